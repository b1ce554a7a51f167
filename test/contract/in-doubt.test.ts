import assert from "node:assert/strict"
import { test } from "node:test"
import {
  answerDeclined,
  createGate,
  defineTool,
  memoryJournal,
  pending,
  type RunJournal,
  type ToolContext,
  type ToolResult,
} from "../../src/index.ts"
import { manualClock } from "../../src/testing/index.ts"
import { agent, calls, resultsIn } from "../support/agent.ts"

const UNKNOWN = "Its outcome is unknown: pay was started, and the process ended before its result was recorded."

type Pay = (ctx: ToolContext, time: number) => unknown

/** A run whose call of `pay` was at work when its process ended. */
async function cutOff(pay: Pay, { idempotent = false } = {}) {
  const clock = manualClock()
  const stop = new AbortController()
  let times = 0
  const tool = defineTool({
    name: "pay",
    description: "",
    annotations: { idempotent },
    run: async (_args, ctx) => {
      const said = await pay(ctx, times + 1)
      if (said !== undefined) return said as ToolResult
      times++
      if (times > 1) return "paid"
      queueMicrotask(() => {
        stop.abort()
        clock.advance(2000)
      })
      return new Promise<never>(() => {})
    },
  })
  const journal = memoryJournal()
  const turns = [calls("pay"), "done"]
  const first = await agent(turns, [tool], { clock })
  assert.notEqual((await first.run("pay", { journal, signal: stop.signal })).status, "done")
  const later = (denied = false) =>
    agent(["done"], [tool], {
      clock,
      ...(denied ? { gate: createGate({ rules: [{ effect: "deny", rule: "pay" }] }) } : {}),
    })
  return { journal, first, later, stop, times: () => times }
}

async function told(journal: RunJournal, by: Awaited<ReturnType<typeof agent>>, answers: readonly unknown[]) {
  const result = await by.resume(journal, answers)
  assert.equal(result.status, "done")
  return resultsIn(result.messages).at(-1)?.[1]
}

test("a payment that had started is not said to be 'not run' where a rule denies running it again", async () => {
  for (const idempotent of [false, true]) {
    const { journal, later, times } = await cutOff(() => undefined, { idempotent })
    const denying = await later(true)
    const halted = idempotent ? undefined : await denying.resume(journal, [])
    const answers = halted?.pending ? [{ id: halted.pending.id, ok: true }] : []
    assert.equal(
      await told(journal, denying, answers),
      `refused by deny pay. It was not run again. ${UNKNOWN} Do not try it again.`,
    )
    assert.equal(times(), 1)
  }
})

test("a payment that had started is not said to be 'not run' where its further question is declined", async () => {
  const pay: Pay = (_ctx, time) =>
    time > 1 ? pending({ id: "which", kind: "input", prompt: "Which account?" }) : undefined
  const { journal, later } = await cutOff(pay)
  const by = await later()
  const doubt = await by.resume(journal, [])
  const asking = await by.resume(journal, [{ id: doubt.pending?.id, ok: true }])
  assert.equal(asking.pending?.id, "which")
  assert.equal(
    await told(journal, by, [answerDeclined("which")]),
    `declined/expired: Which account?\nIt was not run again: the person declined. ${UNKNOWN} Do not try it again.`,
  )
})

test("a new prompt on a payment that had started and then asked something says that its outcome is unknown", async () => {
  const pay: Pay = (_ctx, time) =>
    time > 1 ? pending({ id: "which", kind: "input", prompt: "Which account?" }) : undefined
  const { journal, later } = await cutOff(pay)
  const by = await later()
  const doubt = await by.resume(journal, [])
  await by.resume(journal, [{ id: doubt.pending?.id, ok: true }])
  const result = await by.run("never mind", { journal })
  assert.match(String(resultsIn(result.messages).at(-1)?.[1]), /^outcome unknown: pay was started/)
})

test("a question that is declined before anything was in doubt still says that the call was not run", async () => {
  const ask = defineTool({
    name: "ask",
    description: "",
    run: (_args, { answer }) => (answer ? "ok" : pending({ id: "q", kind: "input", prompt: "Sum?" })),
  })
  const by = await agent([calls("ask"), "done"], [ask])
  const result = await by.resume(await by.run("go"), [answerDeclined("q")])
  assert.match(
    String(resultsIn(result.messages)[0]?.[1]),
    /\nIt was not run: the person declined\. Do not try it again\.$/,
  )
})

test("an edited whole number that cannot be held exactly is refused, and nothing runs with another one", async () => {
  const ran: unknown[] = []
  const pay = defineTool({ name: "pay", description: "", run: (args) => `paid ${ran.push(args)}` })
  const gate = createGate({ rules: [{ effect: "ask", rule: "pay" }] })
  const by = await agent([calls("pay"), "done"], [pay], { gate })
  const halted = await by.run("go")
  const id = halted.pending?.id ?? ""
  for (const input of [
    JSON.parse('{"n":12345678901234567890}'),
    JSON.parse('{"deep":[{"n":-9007199254740993}]}'),
    { n: 2 ** 53 },
  ]) {
    await assert.rejects(by.resume(halted, [{ id, ok: true, data: { input } }]), {
      code: "invalid_answer",
      message: /hold the number -?\d+, which cannot be held exactly .*: give it as a string/,
    })
  }
  assert.deepEqual(ran, [])
  const input = { n: Number.MAX_SAFE_INTEGER, measure: 6.022e23, part: 0.1 }
  assert.equal((await by.resume(halted, [{ id, ok: true, data: { input } }])).status, "done")
  assert.deepEqual(ran, [input])
})
