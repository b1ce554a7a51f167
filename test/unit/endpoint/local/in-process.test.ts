import assert from "node:assert/strict"
import { it } from "node:test"
import type { Generate } from "../../../../src/endpoint/local/generate.ts"
import { createInProcessModel } from "../../../../src/endpoint/local/in-process.ts"
import { ToolnexusError } from "../../../../src/tool/error.ts"

function ask(generate: Generate, onText?: (text: string) => void) {
  const model = createInProcessModel({ model: "mine", generate })
  const request = { systemPrompt: "s", messages: [{ role: "user", content: "x" }], tools: [] }
  return model.complete(request, { signal: new AbortController().signal, ...(onText ? { onText } : {}) })
}

it("it is given system prompt, messages and tools, and its text is a message in openai's shape", async () => {
  const seen: unknown[] = []
  const reply = await ask((request) => {
    seen.push(request)
    return { text: "hi" }
  })
  assert.deepEqual(seen, [{ systemPrompt: "s", messages: [{ role: "user", content: "x" }], tools: [] }])
  assert.deepEqual(reply, { message: { role: "assistant", content: "hi" } })
})

it("a call without an id gets one, and its input becomes JSON text", async () => {
  const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 }
  const calls = [
    { name: "echo", input: { text: "x" } },
    { id: "b", name: "ping", input: undefined },
  ]
  const reply = await ask(async () => ({ toolCalls: calls, usage }))
  const made = reply.message.tool_calls as { id: string; function: object }[]
  assert.match(made[0]?.id ?? "", /^[a-zA-Z0-9]{9}$/)
  assert.deepEqual(
    made.map((call) => call.function),
    [
      { name: "echo", arguments: '{"text":"x"}' },
      { name: "ping", arguments: "{}" },
    ],
  )
  assert.equal(made[1]?.id, "b")
  assert.deepEqual(reply.usage, usage)
})

it("text is shown once: as it streams it, else whole at the end", async () => {
  const shown: string[] = []
  const onText = (text: string) => shown.push(text)
  await ask(() => ({ text: "whole" }), onText)
  await ask((_, options) => {
    options.onText?.("in ")
    options.onText?.("pieces")
    return { text: "in pieces" }
  }, onText)
  assert.deepEqual(shown, ["whole", "in ", "pieces"])
})

it("what it throws is a provider error that names the model, with the cause; one of ours stays", async () => {
  const cause = new Error("boom")
  const throwing = (error: unknown) => () => {
    throw error
  }
  await assert.rejects(ask(throwing(cause)), {
    code: "provider",
    message: "The in-process model mine failed: boom",
    cause,
  })
  const ours = new ToolnexusError("provider", "x", { details: { limit: "context" } })
  await assert.rejects(ask(throwing(ours)), ours)
})

for (const wrong of [undefined, "text", { text: 5 }, { toolCalls: {} }, { toolCalls: [{ input: {} }] }]) {
  it(`${JSON.stringify(wrong)} is refused with what to return`, async () => {
    await assert.rejects(ask((() => wrong) as unknown as Generate), { message: /return \{ text\?, toolCalls\? \}/ })
  })
}

it("an abort comes out as its reason", async () => {
  const controller = new AbortController()
  const reason = new Error("stop")
  const generate: Generate = () => {
    controller.abort(reason)
    throw new Error("aborted")
  }
  const model = createInProcessModel({ model: "mine", generate })
  await assert.rejects(model.complete({ messages: [], tools: [] }, { signal: controller.signal }), reason)
})
