import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test } from "node:test"
import { type RunEvent, readRun } from "../../src/index.ts"
import { resultsIn } from "../support/agent.ts"
import { program } from "../support/program.ts"
import type { Death, Logged, Orders } from "./dying-program.ts"

const PROGRAM = program({ file: "test/crash/dying-program.ts" })
const SECRET = "correct-horse-battery-staple"
const MAX_PROCESSES = 12
const isLong = process.env.TOOLNEXUS_TEST_SIZE === "long"

/** Where the processes of one run are killed, by the process's place in the run, from 0. */
type Deaths = Record<number, Death>
type Manner = Pick<Orders, "answers" | "doubt">

/** A run over as many processes as it takes. */
interface Life {
  file: string
  log: Logged[]
  events: RunEvent[]
  messages: Record<string, unknown>[]
  /** What each process that was not killed counted. */
  counts: { appends: number; writes: number }[]
}

async function runLife(manner: Manner, deaths: Deaths): Promise<Life> {
  const folder = mkdtempSync(join(tmpdir(), "toolnexus-kill-"))
  try {
    let killed = 0
    const [file, log] = [join(folder, "it.run.jsonl"), join(folder, "log")]
    for (let number = 0; ; number++) {
      assert.ok(number < MAX_PROCESSES, "the run comes to its end")
      const die = deaths[number]
      const ended = await child({ file, log, secret: SECRET, ...manner, ...(die ? { die } : {}) })
      if (die && ended === "SIGKILL") killed++
      else if (ended === 0) break
      else assert.equal(ended, 3, `process ${number} ended with ${ended}`)
    }
    for (const name of readdirSync(folder)) assert.doesNotMatch(readFileSync(join(folder, name), "utf8"), /horse/)
    if (!isHalfway(deaths)) assert.ok(killed > 0, "no process was killed")
    const entries = readFileSync(log, "utf8").trimEnd().split("\n")
    const logged = entries.map((entry) => JSON.parse(entry) as Logged)
    const { events, result } = await readRun(file)
    const counts = logged.flatMap((entry) => (entry.did === "count" ? [entry] : []))
    return { file, log: logged, events, messages: result.messages, counts }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function child(orders: Orders): Promise<number | string> {
  const process_ = spawn(process.execPath, [PROGRAM, JSON.stringify(orders)], {
    stdio: ["ignore", "ignore", "inherit"],
  })
  const [code, signal] = (await once(process_, "exit")) as [number | null, string | null]
  return code ?? signal ?? ""
}

type Called = Extract<RunEvent, { turn: number; index: number }>

function check(life: Life, { doubt }: Manner): void {
  const { events, messages, log } = life
  requireBalanced(messages)
  for (const entry of log) if (entry.did === "send") requireBalanced(entry.messages)
  for (const entry of log) if (entry.did === "ask") assert.equal(entry.isRecorded, false, `${entry.id} was asked again`)
  const answers = new Map<string, RunEvent & { type: "request.answered" }>()
  for (const event of events) {
    if (event.type !== "request.answered") continue
    assert.ok(!answers.has(event.answer.id), "an answer is recorded once")
    answers.set(event.answer.id, event)
  }
  const results = new Map(resultsIn(messages) as [string, string][])
  assert.deepEqual([...results.keys()], ["c0_0", "c0_1", "c0_2", "c1_0", "c1_1", "c1_2"])
  const given = (kind: string, from: "gate" | "tool" | "relay") =>
    events.flatMap((event) =>
      event.type === "call.suspended" && event.by === from && event.request.kind === kind
        ? [answers.get(event.request.id)?.answer.data ?? {}]
        : [],
    )
  const unknown = (id: string) => doubt === "unknown" && results.get(id)?.startsWith("outcome unknown: ")
  if (!unknown("c0_0")) assert.equal(results.get("c0_0"), "paid")
  assert.equal(results.get("c0_1"), "seen")
  const [approval] = given("approval", "gate")
  if (!unknown("c0_2")) assert.equal(results.get("c0_2"), `deployed\nThe person's note: ${approval?.note}`)
  if (!unknown("c1_0")) assert.equal(results.get("c1_0"), `named ${given("input", "tool")[0]?.output}`)
  const [relayed] = given("tool_call", "relay")
  assert.equal(results.get("c1_1"), (relayed?.results as { output: string }[] | undefined)?.[0]?.output)
  if (!unknown("c1_2")) assert.match(results.get("c1_2") ?? "", /^logged in with \[secret req_/)
  for (const [turn, count] of [
    [1, 3],
    [2, 3],
  ] as const)
    for (let index = 0; index < count; index++) checkCall(life, answers, turn, index)
}

/** A call runs once for its start, once for each answer, and once for each doubt that a person settled so. */
function checkCall({ events, log }: Life, answers: ReadonlyMap<string, RunEvent>, turn: number, index: number): void {
  const mine = events.filter(
    (event) => "turn" in event && event.turn === turn && "index" in event && event.index === index,
  )
  const last = mine.at(-1) as Called | undefined
  assert.equal(last?.type, "call.finished", "nothing happens to a call after its result")
  assert.equal(mine.filter(({ type }) => type === "call.finished").length, 1)
  const reruns = [...answers].filter(([id, event]) => id.startsWith(`in_doubt:root:${turn}:${index}:`) && isOk(event))
  const effects = log.filter(
    (entry) => entry.did === "effect" && entry.key.endsWith(["", "root", turn, index].join("/")),
  )
  const keys = new Set(effects.map((entry) => entry.did === "effect" && entry.key))
  assert.ok(keys.size <= 1, "the idempotency key is the same whenever a call is run again")
  if (index === 1) return // the one that only reads, and the relayed one
  assert.ok(
    effects.length <= 1 + reruns.length,
    `${effects.length} effects of ${turn}/${index}, ${reruns.length} reruns`,
  )
}

function isOk(event: RunEvent): boolean {
  return event.type === "request.answered" && event.answer.ok
}

/** One result for each call, in order, right after the message that made it. */
function requireBalanced(messages: readonly Record<string, unknown>[]): void {
  const due: unknown[] = []
  for (const message of messages) {
    if (message.role === "tool") assert.equal(message.tool_call_id, due.shift())
    else assert.deepEqual(due, [])
    for (const { id } of (message.tool_calls ?? []) as { id: string }[]) due.push(id)
  }
  assert.deepEqual(due, [])
}

const MANNERS: Manner[] = [
  { answers: "at once", doubt: "rerun" },
  { answers: "on resume", doubt: "rerun" },
  ...(isLong
    ? ([
        { answers: "at once", doubt: "unknown" },
        { answers: "on resume", doubt: "unknown" },
      ] as const)
    : []),
]

for (const manner of MANNERS) {
  const title = `answered ${manner.answers}, in doubt ${manner.doubt}`

  test(`a run (${title}) that is killed right before, right after or in the middle of any write loses and repeats nothing`, async () => {
    const whole = await runLife(manner, {})
    check(whole, manner)
    await inParallel(deathsOf(whole, manner), async (deaths) => {
      try {
        check(await runLife(manner, deaths), manner)
      } catch (error) {
        throw new Error(`killed ${JSON.stringify(deaths)}: ${(error as Error).message}`, { cause: error })
      }
    })
  })
}

/** Every place where a process of an undisturbed run can be killed; then also the one that takes over, early on. */
function deathsOf({ counts }: Life, { answers }: Manner): Deaths[] {
  const single = counts.flatMap(({ appends, writes }, number): Deaths[] => [
    ...upTo(appends).flatMap((at): Deaths[] => [
      { [number]: { when: "before", at } },
      { [number]: { when: "after", at } },
    ]),
    ...upTo(writes).map((at): Deaths => ({ [number]: { when: "halfway", at } })),
  ])
  if (!isLong) return answers === "at once" ? single : single.filter((deaths) => !deaths[0] && !isHalfway(deaths))
  const twice = single.flatMap((deaths) =>
    (["before", "after", "halfway"] as const).flatMap((when) =>
      [1, 2, 3].map((at) => ({ ...deaths, [Number(Object.keys(deaths)[0]) + 1]: { when, at } })),
    ),
  )
  return [...single, ...twice]
}

/** How lines are grouped into writes varies: a death among them need not come. */
function isHalfway(deaths: Deaths): boolean {
  return Object.values(deaths).every(({ when }) => when === "halfway")
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at + 1)
}

async function inParallel<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all]
  const worker = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one)
  }
  await Promise.all(Array.from({ length: 4 }, worker))
}
