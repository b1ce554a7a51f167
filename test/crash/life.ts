import assert from "node:assert/strict"
import type { RunEvent } from "../../src/index.ts"
import { resultsIn } from "../support/agent.ts"

/** One thing that a process of a run did. */
export type Logged =
  | { did: "effect"; tool: string; key: string }
  | { did: "ask"; id: string; kind: string; isRecorded: boolean }
  | { did: "send"; messages: Record<string, unknown>[] }
  | { did: "count"; appends: number; writes: number }

/** A run of the two turns `pay`, `look`, `deploy` and `name_it`, `fetch`, `login`, over as many processes as it took. */
export interface Life {
  log: readonly Logged[]
  events: readonly RunEvent[]
  messages: readonly Record<string, unknown>[]
}

type Called = Extract<RunEvent, { turn: number; index: number }>

/**
 * Nothing was lost and nothing done twice, whatever became of its processes.
 *
 * @param doubt what the person said about calls in doubt
 */
export function check(life: Life, doubt: "rerun" | "unknown"): void {
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

/** Does work for all of them, some at a time. */
export async function inParallel<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all]
  const worker = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one)
  }
  await Promise.all(Array.from({ length: 4 }, worker))
}

export function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at + 1)
}
