import assert from "node:assert/strict"
import { test } from "node:test"
import { type Answer, answerOutput } from "../../../../src/suspension/answer.ts"
import { manualClock } from "../../../../src/testing/index.ts"
import { pendingOf } from "../../../../src/tool/result.ts"
import { type Elicitation, elicitationFrom } from "../../../../src/tools/mcp/elicitation.ts"
import { OpenCall } from "../../../../src/tools/mcp/open-call.ts"
import { OpenCalls } from "../../../../src/tools/mcp/open-calls.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const question = (message = "Which?"): Elicitation =>
  elicitationFrom({ message, requestedSchema: { type: "object", properties: { v: { type: "string" } } } })

const inNoDoubt = { signal: new AbortController().signal, candidates: [] }

/** A call of a server that answers when told. */
function opened({ clock = manualClock(), token = "t", recorded = [] as Answer[] } = {}) {
  let finish = (_result: Record<string, unknown>): void => {}
  let signal: AbortSignal | undefined
  const call = new OpenCall({
    token,
    tool: `tool_${token}`,
    server: "s",
    repeats: "safely",
    timeoutMs: MINUTE,
    clock,
    recorded,
    outcomeOf: (error) => ({ is: "failed", fact: String(error) }),
    send: (_call, stop) => {
      signal = stop
      return new Promise((resolve) => {
        finish = resolve
      })
    },
  })
  return { call, clock, finish: (text: string) => finish({ text }), isCancelled: () => signal?.aborted === true }
}

const idIn = (news: Awaited<ReturnType<OpenCall["next"]>>): string =>
  news.is === "question" ? (pendingOf(news.asked)?.id ?? "none") : "none"

test("the time in which a person thinks is not the server's", async () => {
  const { call, clock, finish, isCancelled } = opened()
  clock.advance(0.9 * MINUTE)
  const said = call.ask(question(), inNoDoubt)
  const id = idIn(await call.next())
  clock.advance(24 * HOUR)
  assert.equal(isCancelled(), false)
  call.hand(answerOutput(id, '{"v":"x"}'))
  assert.deepEqual(await said, { action: "accept", content: { v: "x" } })
  clock.advance(0.09 * MINUTE)
  assert.equal(isCancelled(), false)
  finish("done")
  assert.deepEqual(await call.next(), { is: "over", outcome: { is: "result", result: { text: "done" } } })
  assert.equal(clock.waiting, 0)
})

test("what the server has used of its time before it asked counts afterwards", async () => {
  const { call, clock, isCancelled } = opened()
  clock.advance(0.9 * MINUTE)
  call.ask(question(), inNoDoubt)
  const id = idIn(await call.next())
  clock.advance(HOUR)
  call.hand(answerOutput(id, '{"v":"x"}'))
  clock.advance(0.1 * MINUTE)
  assert.equal(isCancelled(), true)
  assert.deepEqual(await call.next(), {
    is: "over",
    outcome: { is: "failed", fact: "it did not answer within 60 s (callTimeoutMs)" },
  })
})

test("progress gives a call its whole time again", async () => {
  const { call, clock, isCancelled } = opened()
  for (let n = 0; n < 5; n++) {
    clock.advance(0.9 * MINUTE)
    call.progressed()
  }
  assert.equal(isCancelled(), false)
  clock.advance(MINUTE)
  assert.equal(isCancelled(), true)
})

test("progress while a person thinks does not start the clock", async () => {
  const { call, clock, isCancelled } = opened()
  call.ask(question(), inNoDoubt)
  await call.next()
  call.progressed()
  clock.advance(HOUR)
  assert.equal(isCancelled(), false)
})

test("recorded answers go to the same questions, in order, and to no other", async () => {
  const [red, blue] = await Promise.all(
    ["red", "blue"].map(async (colour) => {
      const { call } = opened()
      call.ask(question(), inNoDoubt)
      return answerOutput(idIn(await call.next()), JSON.stringify({ v: colour }))
    }),
  )
  assert.ok(red && blue)
  const { call } = opened({ recorded: [red, blue] })
  const other = call.ask(question("Another?"), inNoDoubt)
  assert.deepEqual(await call.ask(question(), inNoDoubt), { action: "accept", content: { v: "red" } })
  assert.deepEqual(await call.ask(question(), inNoDoubt), { action: "accept", content: { v: "blue" } })
  const news = await call.next()
  assert.match(news.is === "question" ? news.asked.output : "", /^Another\?/)
  call.hand(answerOutput(idIn(news), '{"v":"x"}'))
  assert.deepEqual(await other, { action: "accept", content: { v: "x" } })
})

test("a call that is given up cancels its question, and itself when the server does not end it in time", async () => {
  const { call, clock, isCancelled } = opened()
  const said = call.ask(question(), inNoDoubt)
  await call.next()
  call.giveUp("enough")
  assert.deepEqual(await said, { action: "cancel" })
  assert.equal(isCancelled(), false)
  clock.advance(1000)
  assert.equal(isCancelled(), true)
  assert.deepEqual(await call.ask(question(), inNoDoubt), { action: "cancel" })
})

const unknown = { token: undefined, taskId: undefined }

test("a question is the call's whose stream it came on, or whose task it names", async () => {
  const calls = new OpenCalls(manualClock(), "which call asks")
  const [a, b] = [opened({ token: "a" }), opened({ token: "b" })]
  for (const { call } of [a, b]) calls.add(call)
  b.call.taskId = "task"
  assert.equal((await calls.askerOf({ token: "a", taskId: undefined }))?.call, a.call)
  assert.equal((await calls.askerOf({ token: undefined, taskId: "task" }))?.call, b.call)
  assert.equal(await calls.askerOf({ token: "gone", taskId: undefined }), undefined)
})

test("a question over one line is the only call's that it can be", async () => {
  const clock = manualClock()
  const calls = new OpenCalls(clock, "nothing of calls")
  const [a, b] = [opened({ clock, token: "a" }), opened({ clock, token: "b" })]
  for (const { call } of [a, b]) calls.add(call)
  assert.equal(await calls.askerOf(unknown), undefined)
  await calls.turnOf(a.call)
  assert.equal((await calls.askerOf(unknown))?.call, a.call)
  a.call.ask(question(), inNoDoubt)
  await calls.turnOf(b.call)
  // one that waits for a person asks nothing meanwhile
  assert.deepEqual(await calls.askerOf(unknown), { call: b.call, candidates: [] })
})

test("where several calls can be meant, the end of the others tells; else it is said that it is not known", async () => {
  const clock = manualClock()
  const calls = new OpenCalls(clock, "nothing of calls")
  const [a, b] = [opened({ clock, token: "a" }), opened({ clock, token: "b" })]
  for (const { call } of [a, b]) calls.add(call)
  await calls.turnOf(a.call)
  const turn = calls.turnOf(b.call)
  clock.advance(250)
  await turn
  const asker = calls.askerOf(unknown)
  a.finish("done")
  assert.deepEqual(await asker, { call: b.call, candidates: [] })
  const c = opened({ clock, token: "c" })
  calls.add(c.call)
  const third = calls.turnOf(c.call)
  clock.advance(250)
  await third
  const nobody = calls.askerOf(unknown)
  clock.advance(2000)
  assert.deepEqual(await nobody, { call: b.call, candidates: ["tool_b", "tool_c"] })
})

test("over one line calls begin apart, or as soon as the one before has ended or asks", async () => {
  const clock = manualClock()
  const calls = new OpenCalls(clock, "nothing of calls")
  const begun: string[] = []
  const all = ["a", "b", "c", "d"].map((token) => opened({ clock, token }))
  for (const { call } of all) {
    calls.add(call)
    calls.turnOf(call).then(() => begun.push(call.token))
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  await settled()
  assert.deepEqual(begun, ["a"])
  all[0]?.finish("done")
  await settled()
  assert.deepEqual(begun, ["a", "b"])
  all[1]?.call.ask(question(), inNoDoubt)
  await settled()
  assert.deepEqual(begun, ["a", "b", "c"])
  clock.advance(250)
  await settled()
  assert.deepEqual(begun, ["a", "b", "c", "d"])
})
