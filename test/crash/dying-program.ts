// One process of a run: begins it, or goes on with it, and is killed right before, right after or in the middle of one of its
// appends. Everything that it does besides is in a log that outlives it.
import { appendFileSync, constants, existsSync, readFileSync, rmSync } from "node:fs"
import { open } from "node:fs/promises"
import type { RunEvent } from "../../src/event/event.ts"
import {
  type Answer,
  answerDeclined,
  answerOutput,
  answerResults,
  createGate,
  createInProcessClient,
  createToolkit,
  defineTool,
  outputOf,
  pending,
  type Request,
  type RunJournal,
  readRun,
  relayTool,
} from "../../src/index.ts"
import { openFileJournal } from "../../src/journal/file.ts"
import type { JournalFs } from "../../src/journal/journal-fs.ts"
import type { Logged } from "./life.ts"

/** What a process is told to do. */
export interface Orders {
  file: string
  log: string
  /** Answers are given by `waitFor` while it runs, or to the next process when it resumes. */
  answers: "at once" | "on resume"
  /** What the person says about a call in doubt. */
  doubt: "rerun" | "unknown"
  secret: string
  /** When it is killed; without it it lives. */
  die?: Death
}

export interface Death {
  when: "before" | "after" | "halfway"
  /** Which append of this process, from 1; of `halfway` which write. */
  at: number
}

const orders = JSON.parse(process.argv[2] ?? "") as Orders
let appends = 0
let writes = 0

const log = (entry: Logged): void => appendFileSync(orders.log, `${JSON.stringify(entry)}\n`)

function killMyself(): never {
  process.kill(process.pid, "SIGKILL")
  for (;;); // until the signal is there
}

/** A file system where the process dies in the middle of a write. */
const fs: JournalFs = {
  async open(path, flags, mode) {
    const handle = await open(path, flags, mode)
    if ((flags & constants.O_APPEND) === 0) return handle
    const write = handle.write.bind(handle)
    const writeHalf = async (buffer: Buffer, offset: number, length: number) => {
      writes++
      if (orders.die?.when !== "halfway" || orders.die.at !== writes) return write(buffer, offset, length)
      await write(buffer, offset, Math.floor(length / 2))
      return killMyself()
    }
    return Object.assign(handle, { write: writeHalf })
  },
}

function dying(journal: RunJournal): RunJournal {
  return {
    read: () => journal.read(),
    close: () => journal.close(),
    async append(events, options) {
      const isLast = ++appends === orders.die?.at
      if (isLast && orders.die?.when === "before") killMyself()
      await journal.append(events, options)
      if (isLast && orders.die?.when === "after") killMyself()
    },
  }
}

const effect = (tool: string, ctx: { idempotencyKey?: string }): void =>
  log({ did: "effect", tool, key: ctx.idempotencyKey ?? "" })

const tools = [
  defineTool({
    name: "pay",
    description: "has an effect",
    run: (_args, ctx) => {
      effect("pay", ctx)
      return "paid"
    },
  }),
  defineTool({
    name: "look",
    description: "reads",
    annotations: { readOnly: true },
    run: (_args, ctx) => {
      effect("look", ctx)
      return "seen"
    },
  }),
  defineTool({
    name: "deploy",
    description: "has an effect, and the gate asks first",
    run: (_args, ctx) => {
      effect("deploy", ctx)
      return "deployed"
    },
  }),
  defineTool({
    name: "name_it",
    description: "asks, then has an effect",
    run: (_args, ctx) => {
      if (!ctx.answer) return pending({ kind: "input", prompt: "Which name?" })
      effect("name_it", ctx)
      return `named ${outputOf(ctx.answer)}`
    },
  }),
  relayTool("fetch", "carried out by the host"),
  defineTool({
    name: "login",
    description: "asks for a secret, then has an effect",
    run: (_args, ctx) => {
      if (!ctx.answer) return pending({ kind: "secret", prompt: "Token?" })
      effect("login", ctx)
      return `logged in with ${outputOf(ctx.answer)}`
    },
  }),
]

const TURNS = [
  ["pay", "look", "deploy"],
  ["name_it", "fetch", "login"],
]

/** Each answer says which process gave it, so that a lost one shows. */
function answer(request: Request): Answer {
  const { id, kind } = request
  log({ did: "ask", id, kind, isRecorded: isRecorded(id) })
  const mine = `by ${process.pid}`
  if (kind === "in_doubt") return orders.doubt === "rerun" ? { id, ok: true } : answerDeclined(id)
  if (kind === "approval") return { id, ok: true, data: { note: mine } }
  if (kind === "secret") return answerOutput(id, orders.secret)
  if (kind === "input") return answerOutput(id, mine)
  const relayed = request.data?.calls as { id: string }[]
  return answerResults(id, [{ id: relayed[0]?.id ?? "", output: mine }])
}

function isRecorded(id: string): boolean {
  const lines = readFileSync(orders.file, "utf8").split("\n").slice(0, -1)
  const events = lines.map((line) => JSON.parse(line) as RunEvent)
  return events.some((event) => event.type === "request.answered" && event.answer.id === id)
}

const client = createInProcessClient({
  model: "scripted",
  gate: createGate({ rules: [{ effect: "ask", rule: "deploy" }] }),
  generate: ({ messages }) => {
    log({ did: "send", messages: [...messages] })
    const turn = messages.filter(({ role }) => role === "assistant").length
    const calls = TURNS[turn]
    if (!calls) return { text: "finished" }
    return { toolCalls: calls.map((name, index) => ({ id: `c${turn}_${index}`, name, input: {} })) }
  },
  ...(orders.answers === "at once" ? { waitFor: answer } : {}),
})

async function live(journal: RunJournal) {
  const toolkit = await createToolkit({ extraTools: tools })
  const isBegun = (await journal.read()).some((event) => event.type === "user.said")
  if (!isBegun) return client.run("go", { toolkit, journal })
  const open = orders.answers === "on resume" ? ((await readRun(orders.file)).result.suspended ?? []) : []
  return client.resume(journal, open.map(answer), { toolkit })
}

// Whoever was killed while it wrote its first line left no run behind, and no effect.
if (existsSync(orders.file) && !readFileSync(orders.file, "utf8").includes("\n")) rmSync(orders.file)
const journal = await openFileJournal<RunEvent>(orders.file, { fs })
const result = await live(dying(journal))
await journal.close()
log({ did: "count", appends, writes })
process.exitCode = result.status === "done" ? 0 : 3
