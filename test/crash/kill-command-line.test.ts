import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { after, before, test } from "node:test"
import { type Answer, answerResults, type Request, readRun } from "../../src/index.ts"
import { program } from "../support/program.ts"
import { replyCalls, replyText, type ScriptedEndpoint, scriptedEndpoint } from "../support/scripted-endpoint.ts"
import { check, inParallel, type Life, type Logged, upTo } from "./life.ts"
import { CARRIED_OUT, ORDER, type SignalOrder } from "./signal-order.ts"

const BIN = resolve(import.meta.dirname, "../../bin/toolnexus.js")
const PRELOAD = program({ file: "test/crash/dying-preload.ts" })
const SECRET = "correct-horse-battery-staple"
const MAX_PROCESSES = 12
const isLong = process.env.TOOLNEXUS_TEST_SIZE === "long"

/** What each effect is logged by, in the tools' own process. */
const TOOLS = `import { appendFileSync } from "node:fs"
const effect = (tool, ctx) =>
  appendFileSync(process.env.EFFECTS, JSON.stringify({ did: "effect", tool, key: ctx.idempotencyKey }) + "\\n")
export default ({ defineTool, outputOf, pending }) => {
  const tool = (name, result, more) => defineTool({ name, description: "", ...more, run: (_args, ctx) => {
    if (more?.kind && !ctx.answer) return pending({ kind: more.kind, prompt: name + "?" })
    effect(name, ctx)
    return result(ctx)
  } })
  return [
    tool("pay", () => "paid"),
    tool("look", () => "seen", { annotations: { readOnly: true } }),
    tool("deploy", () => "deployed"),
    tool("name_it", (ctx) => "named " + outputOf(ctx.answer), { kind: "input" }),
    tool("login", (ctx) => "logged in with " + outputOf(ctx.answer), { kind: "secret" }),
  ]
}
`
const TURNS = [
  ["pay", "look", "deploy"],
  ["name_it", "fetch", "login"],
]

let endpoint: ScriptedEndpoint
/** What was sent, by the prompt of the run that sent it. */
const sent = new Map<string, Logged[]>()

before(async () => {
  endpoint = await scriptedEndpoint([
    ({ body }) => {
      const { messages } = body as { messages: Record<string, unknown>[] }
      const prompt = String(messages.find(({ role }) => role === "user")?.content)
      sent.set(prompt, [...(sent.get(prompt) ?? []), { did: "send", messages }])
      const turn = messages.filter(({ role }) => role === "assistant").length
      const names = TURNS[turn]
      if (!names) return replyText("finished")
      return replyCalls(names.map((name, index) => ({ id: `c${turn}_${index}`, name, arguments: {} })))
    },
  ]).listen()
})
after(() => endpoint.close())

/** Which process of a run gets which signal, by its place in the run, from 0. */
type Orders = Record<number, SignalOrder>

interface Lived extends Life {
  /** How many events each process appended. */
  appended: number[]
}

let lives = 0

/** Begins a run with the built command line, and resumes it with answers by flags until it is done. */
async function live(orders: Orders, doubt: "rerun" | "unknown"): Promise<Lived> {
  const folder = mkdtempSync(join(tmpdir(), "toolnexus-kill-cli-"))
  const at = (name: string) => join(folder, name)
  const prompt = `life ${++lives}`
  const file = at("it.run.jsonl")
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: folder,
    TOOLNEXUS_STATE_DIR: at("state"),
    EFFECTS: at("effects"),
    TOKEN: SECRET,
    [CARRIED_OUT]: at("carried-out"),
  }
  for (const name of ["effects", "carried-out"]) writeFileSync(at(name), "")
  writeFileSync(at("tools.mjs"), TOOLS)
  writeFileSync(at("relay.json"), JSON.stringify([{ name: "fetch", description: "", inputSchema: { type: "object" } }]))
  const options = ["--base-url", endpoint.baseUrl, "--model", "m", "--no-builtins", "--ask", "deploy"]
  const tools = ["--tools", "tools.mjs", "--relay", "relay.json"]
  const log: Logged[] = []
  const appended: number[] = []
  try {
    for (let number = 0; ; number++) {
      assert.ok(number < MAX_PROCESSES, "the run comes to its end")
      const order = orders[number]
      const held = linesOf(file)
      const argv = held.some((line) => line.includes('"user.said"'))
        ? ["resume", file, ...(await answered(file, at("answers.json"), { doubt, number, log }))]
        : ["run", prompt, "--file", fresh(file)]
      const ended = await started([...argv, ...options, ...tools], folder, { ...env, ...ordered(order) })
      appended.push(linesOf(file).length - held.length)
      if (ended.code === 0) break
      if (order) assert.ok(ended.code === 3 || EXPECTED[order.signal].includes(ended.code), ended.said)
      else assert.equal(ended.code, 3, ended.said)
    }
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(isText))
      assert.doesNotMatch(readFileSync(at(name), "utf8"), /horse/, name)
    const carriedOut = readFileSync(at("carried-out"), "utf8").length
    assert.equal(carriedOut, Object.keys(orders).length, "every signal was sent")
    const effects = linesOf(at("effects")).map((line) => JSON.parse(line) as Logged)
    const { events, result } = await readRun(file)
    return { log: [...log, ...effects, ...(sent.get(prompt) ?? [])], events, messages: result.messages, appended }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const EXPECTED: Record<SignalOrder["signal"], (number | string)[]> = {
  SIGKILL: ["SIGKILL"],
  SIGTERM: [143],
  SIGHUP: [129],
}

const isText = (name: string): boolean => /\.(jsonl?|lock)$|effects$/.test(name)

const ordered = (order: SignalOrder | undefined) => (order ? { [ORDER]: JSON.stringify(order) } : {})

function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : []
}

/** Who was killed before the prompt was written left no run behind: it is begun again, under the same name. */
function fresh(file: string): string {
  rmSync(file, { force: true })
  return file
}

/** The flags that answer what is open, each answer by the number of the process that it is given to. */
async function answered(
  file: string,
  answersFile: string,
  { doubt, number, log }: { doubt: "rerun" | "unknown"; number: number; log: Logged[] },
): Promise<string[]> {
  const { events, result } = await readRun(file)
  const mine = `by ${number}`
  const listed: Answer[] = []
  const flags = ["--in-doubt", doubt]
  for (const { id, kind, data } of result.suspended ?? []) {
    const isRecorded = events.some((event) => event.type === "request.answered" && event.answer.id === id)
    log.push({ did: "ask", id, kind, isRecorded })
    if (kind === "approval") listed.push({ id, ok: true, data: { note: mine } })
    if (kind === "tool_call") listed.push(answerResults(id, [{ id: relayedId(data), output: mine }]))
    if (kind === "input") flags.push("--answer", `${id}=${mine}`)
    if (kind === "secret") flags.push("--answer-env", `${id}=TOKEN`)
  }
  writeFileSync(answersFile, JSON.stringify(listed))
  return [...flags, "--answers", answersFile]
}

function relayedId(data: Request["data"]): string {
  const [call] = (data?.calls ?? []) as { id: string }[]
  return call?.id ?? ""
}

async function started(argv: string[], cwd: string, env: Record<string, string>) {
  const child = spawn(process.execPath, ["--import", PRELOAD, BIN, ...argv], {
    cwd,
    env,
    stdio: ["ignore", "ignore", "pipe"],
  })
  let said = ""
  child.stderr.setEncoding("utf8").on("data", (piece: string) => {
    said += piece
  })
  const [code, signal] = (await once(child, "close")) as [number | null, string | null]
  return { code: code ?? signal ?? "", said }
}

/** Every event of an undisturbed run, before and after; in the short size each once, and some with the gentler signals. */
function ordersOf({ appended }: Lived): Orders[] {
  const places = appended.flatMap((count, number) => upTo(count).map((at) => ({ number, at })))
  const all = places.flatMap(({ number, at }) =>
    (["SIGKILL", "SIGTERM", "SIGHUP"] as const).flatMap((signal) =>
      (["before", "after"] as const).map((when): Orders => ({ [number]: { signal, when, at } })),
    ),
  )
  if (isLong) return all
  return places.map(({ number, at }, index): Orders => {
    const signal = index % 4 === 1 ? "SIGTERM" : index % 4 === 3 ? "SIGHUP" : "SIGKILL"
    return { [number]: { signal, when: index % 8 < 4 ? "before" : "after", at } }
  })
}

for (const doubt of isLong ? (["rerun", "unknown"] as const) : (["rerun"] as const)) {
  test(`a command line (in doubt ${doubt}) that gets a signal right before or after an event loses and repeats nothing`, async () => {
    const whole = await live({}, doubt)
    check(whole, doubt)
    await inParallel(ordersOf(whole), async (orders) => {
      try {
        check(await live(orders, doubt), doubt)
      } catch (error) {
        throw new Error(`${JSON.stringify(orders)}: ${(error as Error).message}`, { cause: error })
      }
    })
  })
}

test("a run that is killed right after any of its first lines is ours: its endpoint need not be named again", async () => {
  let resumes = 0
  for (const at of upTo(3)) {
    const folder = mkdtempSync(join(tmpdir(), "toolnexus-kill-cli-"))
    const file = join(folder, "it.run.jsonl")
    const env = { PATH: process.env.PATH ?? "", HOME: folder, TOOLNEXUS_STATE_DIR: join(folder, "state") }
    const dying = { ...env, [CARRIED_OUT]: join(folder, "carried-out") }
    try {
      const order = { signal: "SIGKILL", when: "after", at } as const
      const options = ["--base-url", endpoint.baseUrl, "--model", "m", "--no-builtins", "--relay", "relay.json"]
      writeFileSync(join(folder, "relay.json"), JSON.stringify([{ name: "pay", description: "", inputSchema: {} }]))
      const killed = await started(["run", `first ${at}`, "--file", file, ...options], folder, {
        ...dying,
        ...ordered(order),
      })
      assert.equal(killed.code, "SIGKILL", killed.said)
      if (!linesOf(file).some((line) => line.includes('"user.said"'))) continue
      const resumed = await started(["resume", file], folder, env)
      assert.equal(resumed.code, 3, resumed.said)
      assert.doesNotMatch(resumed.said, /from elsewhere/)
      resumes += 1
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  assert.ok(resumes > 0)
})
