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
      const command = `echo staging | tee -a ${effects}`
      return last.role === "user" ? replyCalls([{ id: "c1", name: "bash", arguments: { command } }]) : replyText("done")
    },
  ]).listen()
  racers = await Promise.all(Array.from({ length: RACERS }, racer))
})

after(async () => {
  for (const { child } of racers) child.kill("SIGKILL")
  await endpoint.close()
  rmSync(folder, { recursive: true, force: true })
})

const equipment = (): string[] => ["--base-url", endpoint.baseUrl, "--model", "m", "--no-input"]

async function racer(): Promise<Racer> {
  const env = { ...process.env, TOOLNEXUS_STATE_DIR: join(folder, "state"), XDG_CONFIG_HOME: folder }
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

interface Halted {
  file: string
  /** Of the approval that it waits for. */
  id: string
}

/** A halted run of its own, and no effect yet. */
async function nextRound(): Promise<Halted> {
  const file = join(folder, `${++round}.run.jsonl`)
  const made = await racers[0]?.run(["run", "go", "--file", file, "--output", "json", ...equipment()])
  assert.equal(made?.code, 3, made?.err)
  rmSync(effects, { force: true })
  endpoint.requests.length = 0
  return { file, id: JSON.parse(made?.out ?? "").pending.id }
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

const resumed = ({ file, id }: Halted): string[] => ["resume", file, "--answer", `${id}=yes`, ...equipment()]

/** An approval with a command of its own: an answer that no other is equal to. */
function resumedWithOwn({ file, id }: Halted, place: number): string[] {
  const answers = join(folder, `answers-${place}.json`)
  const command = `echo place-${place} | tee -a ${effects}`
  writeFileSync(answers, JSON.stringify([{ id, ok: true, data: { input: { command } } }]))
  return ["resume", file, "--answers", answers, ...equipment()]
}

const messageOf = ({ err }: Raced): string => err.trimEnd()

test("eight processes that resume one run with the same answer, at once: one effect, and each has the result or is refused", async () => {
  for (let n = 0; n < ROUNDS; n++) {
    const halted = await nextRound()
    const all = await race(() => resumed(halted))
    assert.deepEqual(effectLines(), ["staging"])
    assert.equal(endpoint.requests.length, 1, "the model is called once")
    requireResultOrRefusal(all)
  }
})

test("the same with different answers: one effect and its result, all others are refused", async () => {
  for (let n = 0; n < ROUNDS; n++) {
    const halted = await nextRound()
    const all = await race((place) => resumedWithOwn(halted, place))
    const winners = all.flatMap(({ code }, place) => (code === 0 ? [place] : []))
    assert.equal(winners.length, 1, all.map(messageOf).join("\n"))
    assert.deepEqual(effectLines(), [`place-${winners[0]}`])
    for (const [place, one] of all.entries()) {
      if (place === winners[0]) continue
      assert.equal(one.code, 5, one.err)
      assert.match(messageOf(one), /is in use by process|was answered already, and differently/)
    }
  }
})

test("answers that are recorded while others resume: the answer counts once, whoever gives it", async () => {
  for (let n = 0; n < ROUNDS; n++) {
    const halted = await nextRound()
    const { file, id } = halted
    const answer = ["answer", file, "--answer", `${id}=yes`, "--no-input"]
    const all = await race((place) => (place % 2 === 0 ? resumed(halted) : answer))
    for (const one of all) {
      if (one.code !== 0) assert.equal(one.code, 5, one.err)
      if (one.code === 5) assert.match(messageOf(one), /is in use by process/)
    }
    const last = await racers[0]?.run(["resume", file, ...equipment()])
    assert.deepEqual([last?.code, last?.out], [0, "done\n"], last?.err)
    assert.deepEqual(effectLines(), ["staging"])
    const { events } = await readRun(file)
    assert.equal(events.filter(({ type }) => type === "request.answered").length, 1)
  }
})

test("eight processes that resume one halted result as plain JSON: one run is made of it, with one effect", async () => {
  for (let n = 0; n < ROUNDS; n++) {
    const { file, id } = await nextRound()
    const plain = join(folder, `${round}-plain.json`)
    writeFileSync(plain, JSON.stringify((await readRun(file)).result))
    const all = await race(() => resumed({ file: plain, id }))
    assert.deepEqual(effectLines(), ["staging"])
    assert.equal(endpoint.requests.length, 1, "the model is called once")
    requireResultOrRefusal(all)
  }
})

test("the same while others are refused, so that the file and its lock are made and taken away again: one effect", async () => {
  for (let n = 0; n < ROUNDS; n++) {
    const { file, id } = await nextRound()
    const plain = join(folder, `${round}-plain.json`)
    writeFileSync(plain, JSON.stringify((await readRun(file)).result))
    const all = await race((place) => resumed({ file: plain, id: place % 2 === 0 ? id : "nobody" }))
    const refused = all.filter((_, place) => place % 2 === 1)
    for (const { code, err } of refused) assert.ok(code === 5, err)
    const last = await racers[0]?.run(resumed({ file: plain, id }))
    assert.deepEqual([last?.code, last?.out], [0, "done\n"], last?.err)
    assert.deepEqual(effectLines(), ["staging"])
    assert.equal(endpoint.requests.length, 1, "the model is called once")
  }
})

test("a holder that was killed keeps nobody out: of eight that resume its run, one effect", async () => {
  for (let n = 0; n < ROUNDS; n++) {
    const halted = await nextRound()
    await killHolderOf(halted.file)
    const all = await race(() => resumed(halted))
    assert.deepEqual(effectLines(), ["staging"])
    requireResultOrRefusal(all)
  }
})

function requireResultOrRefusal(all: readonly Raced[]): void {
  assert.ok(all.some(({ code }) => code === 0))
  for (const one of all) {
    if (one.code === 0) assert.equal(one.out, "done\n")
    else {
      assert.equal(one.code, 5, one.err)
      assert.match(messageOf(one), IN_USE)
    }
  }
}

const IN_USE = /is in use by process \d+ on \S+ since .*Z: wait until it is done, or end it with kill \d+$/
