import assert from "node:assert/strict"
import { test } from "node:test"
import { answerOutput, createGate, defineTool, pending } from "../../src/index.ts"
import { agent, calls } from "../support/agent.ts"

const id = "r1"

test("an answer that does not fit is refused in words about the answer, with the request's id in the details", async () => {
  const schema = { type: "integer", minimum: 0 }
  const run = () => pending({ id, kind: "input", prompt: "How many?", data: { schema } })
  const asking = await agent([calls("ask")], [defineTool({ name: "ask", description: "", run })])
  const halted = await asking.run("go")
  for (const [typed, fact] of [
    ["many", "it must be integer"],
    ["-1", "it must be >= 0"],
  ] as const) {
    const message = `The answer to "How many?" does not fit: ${fact}`
    await assert.rejects(asking.resume(halted, [answerOutput(id, typed)]), {
      code: "invalid_answer",
      message,
      details: { id },
    })
  }
})

test("edited arguments that do not fit are refused in words about them", async () => {
  const inputSchema = { type: "object", properties: { sum: { type: "number" } } }
  const pay = defineTool({ name: "pay", description: "", inputSchema, run: () => "paid" })
  const gate = createGate({ rules: [{ effect: "ask", rule: "pay" }] })
  const gated = await agent([calls("pay")], [pay], { gate })
  const halted = await gated.run("go")
  await assert.rejects(gated.resume(halted, [{ id: halted.pending?.id, ok: true, data: { input: { sum: "5" } } }]), {
    code: "invalid_answer",
    message: "The edited arguments of pay do not fit: sum must be number",
    details: { id: halted.pending?.id },
  })
})
