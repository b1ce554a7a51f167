import assert from "node:assert/strict"
import { test } from "node:test"
import { answerOutput, createClient, createToolkit, defineTool, outputOf } from "../../src/index.ts"
import { replyText, scriptedEndpoint } from "../support/scripted-endpoint.ts"

const ask = defineTool({
  name: "ask",
  description: "",
  run: (_args, ctx) => (ctx.answer ? `told ${outputOf(ctx.answer)}` : "asked nobody"),
})

const request = { id: "r1", kind: "input", prompt: "Which?" }

/** What goes over the wire when a transcript of another host is resumed with an answer. */
async function sentOn(style: "openai" | "anthropic", messages: Record<string, unknown>[]) {
  await using endpoint = await scriptedEndpoint([replyText("done")]).listen()
  const toolkit = await createToolkit({ extraTools: [ask] })
  const client = createClient({ baseUrl: endpoint.baseUrl, style, model: "m" })
  const result = await client.resume({ messages, suspended: [request] }, [answerOutput("r1", "blue")], { toolkit })
  assert.equal(result.status, "done")
  return endpoint.requests[0]?.body.messages
}

test("on openai, another host's placeholder is replaced, and what else it has results of goes back as it came", async () => {
  const call = (id: string, name: string) => ({ id, type: "function", function: { name, arguments: "{}" } })
  const picture = [
    { type: "text", text: "a picture" },
    { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
  ]
  const before = [
    { role: "user", content: "go" },
    { role: "assistant", content: null, tool_calls: [call("c1", "ask"), call("c2", "look"), call("c3", "look")] },
  ]
  const result = (id: string, content: unknown) => ({ role: "tool", tool_call_id: id, content })
  const placed = [result("c3", "seen"), result("c1", "Which?"), result("c2", picture)]
  assert.deepEqual(await sentOn("openai", [...before, ...placed]), [
    ...before,
    result("c1", "told blue"),
    result("c2", picture),
    result("c3", "seen"),
  ])
})

test("on anthropic, a result of another host that failed has failed, and pictures are kept", async () => {
  const use = (id: string, name: string) => ({ type: "tool_use", id, name, input: {} })
  const result = (id: string, content: unknown, more = {}) => ({
    type: "tool_result",
    tool_use_id: id,
    content,
    ...more,
  })
  const picture = [{ type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } }]
  const reply = { role: "assistant", content: [use("t1", "ask"), use("t2", "look"), use("t3", "look")] }
  const failed = result("t2", "no such place", { is_error: true })
  const messages = [
    { role: "user", content: "go" },
    reply,
    { role: "user", content: [result("t1", "Which?"), failed, result("t3", picture)] },
  ]
  const sent = await sentOn("anthropic", messages)
  const [told, still, seen] = sent.at(-1).content
  assert.deepEqual([sent.length, sent[1]], [3, reply])
  assert.deepEqual([told, still], [result("t1", "told blue"), failed])
  assert.deepEqual(seen.content, picture)
})
