import assert from "node:assert/strict"
import { test } from "node:test"
import {
  answerOutput,
  createClient,
  createToolkit,
  defineTool,
  memoryJournal,
  outputOf,
  pending,
} from "../../src/index.ts"
import { replyCalls, replyText, scriptedEndpoint } from "../support/scripted-endpoint.ts"

const ask = defineTool({
  name: "ask",
  description: "asks",
  run: (_args, ctx) => (ctx.answer ? `heard ${outputOf(ctx.answer)}` : pending({ kind: "input", prompt: "?" })),
})

for (const [from, to] of [
  ["openai", "anthropic"],
  ["anthropic", "openai"],
] as const) {
  test(`a run that halted on ${from} is resumed on ${to}, from its journal or as plain data, and goes on there`, async () => {
    const toolkit = await createToolkit({ extraTools: [ask] })
    const clientOn = (style: "openai" | "anthropic", baseUrl: string) => createClient({ baseUrl, style, model: "m" })
    await using first = await scriptedEndpoint([replyCalls([{ id: "c1", name: "ask", arguments: {} }])]).listen()
    await using second = await scriptedEndpoint([replyText("done"), replyText("again"), replyText("done")]).listen()
    const journal = memoryJournal()
    const halted = await clientOn(from, first.baseUrl).run("go", { toolkit, journal })
    const answer = answerOutput(halted.pending?.id ?? "", "blue")
    const other = clientOn(to, second.baseUrl)

    const resumed = await other.resume(journal, [answer], { toolkit })
    assert.deepEqual([resumed.status, resumed.text], ["done", "done"])
    const followed = await other.run("and now?", { toolkit, journal })
    assert.equal(followed.text, "again")
    const plain = await other.resume(JSON.parse(JSON.stringify(halted)), [answer], { toolkit })
    assert.equal(plain.text, "done")

    const shape = JSON.stringify(second.requests[0]?.body.messages)
    assert.match(shape, to === "openai" ? /"role":"tool"/ : /"tool_result"/)
    assert.match(shape, /heard blue/)
    assert.deepEqual(second.requests[2]?.body.messages, second.requests[0]?.body.messages)
    assert.equal(
      second.requests[1]?.body.messages.filter((message: { role: string }) => message.role === "assistant").length,
      2,
    )
  })
}
