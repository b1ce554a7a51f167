import assert from "node:assert/strict"
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { after, before, test } from "node:test"
import { readRun } from "../../src/index.ts"
import { program } from "../support/program.ts"
import { replyCalls, replyText, type ScriptedEndpoint, scriptedEndpoint } from "../support/scripted-endpoint.ts"
import type { Raced } from "./racing-program.ts"

const PROGRAM = program({ file: "test/crash/racing-program.ts" })
const HOLDER = program({
  code: `import { takeLock } from "./src/journal/lock.ts"
await takeLock(process.argv[2])
console.log("held")
setInterval(() => {}, 1000)`,
})
const ROUNDS = process.env.TOOLNEXUS_TEST_SIZE === "long" ? 200 : 10
const RACERS = 8

/** Asks, then has an effect: a line in the file that its arguments name. */
const TOOLS = `import { appendFileSync } from "node:fs"
export default ({ defineTool, pending }) => [
  defineTool({
    name: "deploy",
    description: "has an effect",
    inputSchema: { type: "object", properties: {} },
    run: (_args, ctx) => {
      if (!ctx.answer) return pending({ id: "where", kind: "input", prompt: "Where to?" })
      appendFileSync(process.env.EFFECTS, ctx.idempotencyKey + " " + ctx.answer.data.output + "\\n")
      return "deployed to " + ctx.answer.data.output
    },
  }),
]
`

interface Racer {
  child: ChildProcessWithoutNullStreams
  run(argv: string[]): Promise<Raced>
}

const folder = mkdtempSync(join(tmpdir(), "toolnexus-race-"))
const effects = join(folder, "effects")
let endpoint: ScriptedEndpoint
let racers: Racer[] = []
let round = 0

before(async () => {
  endpoint = await scriptedEndpoint([
    ({ body }) => {
      const last = body.messages.at(-1)
      return last.role === "user" ? replyCalls([{ id: "c1", name: "deploy", arguments: {} }]) : replyText(last.content)
    },
  ]).listen()
  writeFileSync(join(folder, "tools.mjs"), TOOLS)
  racers = await Promise.all(Array.from({ length: RACERS }, racer))
})

after(async () => {
  for (const { child } of racers) child.kill("SIGKILL")
  await endpoint.close()
  rmSync(folder, { recursive: true, force: true })
})

const equipment = (): string[] => [
  ...[
    "--base-url",
    endpoint.baseUrl,
    "--model",
    "m",
    "--tools",
    join(folder, "tools.mjs"),
    "--no-builtins",
    "--no-input",
  ],
]

async function racer(): Promise<Racer> {
  const env = { ...process.env, EFFECTS: effects, TOOLNEXUS_STATE_DIR: join(folder, "state"), XDG_CONFIG_HOME: folder }
  const child = spawn(process.execPath, [PROGRAM], { env, cwd: folder })
  child.stderr.on("data", (text) => process.stderr.write(text))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  assert.equal((await lines.next()).value, "ready")
  return {
    child,
    async run(argv) {
      child.stdin.write(`${JSON.stringify(argv)}\n`)
      return JSON.parse((await lines.next()).value)
    },
  }
}

/** A halted run of its own, and no effect yet. */
async function nextRound(): Promise<string> {
  const file = join(folder, `${++round}.run.jsonl`)
  const made = await racers[0]?.run(["run", "go", "--file", file, ...equipment()])
  assert.equal(made?.code, 3, made?.err)
  rmSync(effects, { force: true })
  endpoint.requests.length = 0
  return file
}

async function killHolderOf(file: string): Promise<void> {
  const holder = spawn(process.execPath, [HOLDER, file], { stdio: ["ignore", "pipe", "inherit"] })
  await once(holder.stdout, "data")
  holder.kill("SIGKILL")
  await once(holder, "exit")
}

function effectLines(): string[] {
  return existsSync(effects) ? readFileSync(effects, "utf8").trimEnd().split("\n") : []
}

const race = (argvOf: (place: number) => string[]): Promise<Raced[]> =>
  Promise.all(racers.map(({ run }, place) => run(argvOf(place))))

const resumeWith = (file: string, answer: string): string[] => [
  "resume",
  file,
  "--answer",
  `where=${answer}`,
  ...equipment(),
]

const messageOf = ({ err }: Raced): string => err.trimEnd()

test("eight processes that resume one run with the same answer, at once: one effect, and each has the result or is refused", async () => {
  for (let n = 0; n < ROUNDS; n++) {
    const file = await nextRound()
    const all = await race(() => resumeWith(file, "staging"))
    assert.equal(effectLines().length, 1)
    assert.equal(endpoint.requests.length, 1, "the model is called once")
    assert.ok(all.some(({ code }) => code === 0))
    for (const one of all) {
      if (one.code === 0) assert.equal(one.out, "deployed to staging\n")
      else {
        assert.equal(one.code, 5, one.err)
        assert.match(
          messageOf(one),
          /is in use by process \d+ on \S+ since .*Z: wait until it is done, or end it with kill \d+$/,
        )
      }
    }
  }
})

test("the same with different answers: one effect and its result, all others are refused", async () => {
  for (let n = 0; n < ROUNDS; n++) {
    const file = await nextRound()
    const all = await race((place) => resumeWith(file, `place-${place}`))
    const winners = all.flatMap(({ code }, place) => (code === 0 ? [place] : []))
    assert.equal(winners.length, 1, all.map(messageOf).join("\n"))
    assert.deepEqual(
      effectLines().map((line) => line.split(" ")[1]),
      [`place-${winners[0]}`],
    )
    assert.equal(all[winners[0] ?? 0]?.out, `deployed to place-${winners[0]}\n`)
    for (const [place, one] of all.entries()) {
      if (place === winners[0]) continue
      assert.equal(one.code, 5, one.err)
      assert.match(messageOf(one), /is in use by process|was answered already, and differently/)
    }
  }
})

test("answers that are recorded while others resume: the answer counts once, whoever gives it", async () => {
  for (let n = 0; n < ROUNDS; n++) {
    const file = await nextRound()
    const all = await race((place) =>
      place % 2 === 0 ? resumeWith(file, "staging") : ["answer", file, "--answer", "where=staging", "--no-input"],
    )
    for (const one of all) {
      if (one.code !== 0) assert.equal(one.code, 5, one.err)
      if (one.code === 5) assert.match(messageOf(one), /is in use by process/)
    }
    const last = await racers[0]?.run(["resume", file, ...equipment()])
    assert.equal(last?.code, 0, last?.err)
    assert.equal(last?.out, "deployed to staging\n")
    assert.equal(effectLines().length, 1)
    const { events } = await readRun(file)
    assert.equal(events.filter(({ type }) => type === "request.answered").length, 1)
  }
})

test("a holder that was killed keeps nobody out: of eight that resume its run, one effect", async () => {
  for (let n = 0; n < ROUNDS; n++) {
    const file = await nextRound()
    await killHolderOf(file)
    const all = await race(() => resumeWith(file, "staging"))
    assert.equal(effectLines().length, 1)
    assert.ok(all.some(({ code }) => code === 0))
    for (const one of all) assert.equal(one.code, one.out === "deployed to staging\n" ? 0 : 5, one.err)
  }
})
