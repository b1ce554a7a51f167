import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createAnthropicStyle } from "../../../../src/endpoint/anthropic/style.ts"
import type { Reply } from "../../../../src/endpoint/style.ts"
import type { Message } from "../../../../src/event/event.ts"
import type { ToolSpec } from "../../../../src/tool/tool.ts"

const TOOLS = ["echo", "ping"].map(
  (name): ToolSpec => ({ name, description: `does ${name}`, inputSchema: {}, source: "native" }),
)

function freshStyle() {
  let made = 0
  return createAnthropicStyle(() => `made0000${++made}`)
}

function streamed(events: object[]): Reply {
  const style = freshStyle()
  const reader = style.openStream(TOOLS)
  const end = { type: "message_delta", delta: { stop_reason: "tool_use" } }
  for (const event of [...events, end, { type: "message_stop" }]) reader.read({ data: JSON.stringify(event) })
  assert.ok(reader.ended)
  return style.parseReply(reader.end(), TOOLS)
}

function plain(content: unknown, stop_reason = "end_turn"): Reply {
  const style = freshStyle()
  return style.parseReply(style.parseBody(JSON.stringify({ content, stop_reason })), TOOLS)
}

const USER = { role: "user", content: [{ type: "text", text: "hello" }] }
const BREAKPOINT = { cache_control: { type: "ephemeral" } }

function withoutBreakpoints(body: unknown): string {
  return JSON.stringify(body, (key, value) => (key === "cache_control" ? undefined : value))
}

describe("the body of a request", () => {
  const render = (messages: Message[], more: object = {}, stream = false) =>
    freshStyle().renderBody({ model: "m", messages, tools: [], ...more }, stream)

  it("has messages last, a limit always, and no tools where there are none", () => {
    assert.deepEqual(Object.keys(render([USER])), ["model", "max_tokens", "messages"])
    const all = render([USER], { tools: TOOLS, systemPrompt: "s", requestParams: { top_k: 1 } }, true)
    assert.deepEqual(Object.keys(all), ["model", "max_tokens", "stream", "top_k", "tools", "system", "messages"])
  })

  it("has the caller's own tools behind ours, and no choice of tools where there are none", () => {
    const own = { type: "web_search_20250305", name: "web_search" }
    const requestParams = { tools: [own], tool_choice: { type: "auto" } }
    const body = render([USER], { tools: TOOLS, requestParams })
    const names = (body.tools as { name: string }[]).map(({ name }) => name)
    assert.deepEqual(names, ["echo", "ping", "web_search"])
    assert.ok("tool_choice" in body)
    assert.ok(!("tool_choice" in render([USER], { requestParams: { tool_choice: { type: "any" } } })))
  })

  it("sets breakpoints at tools, system prompt and the newest two of the user's messages", () => {
    const reply = { role: "assistant", content: [{ type: "text", text: "x" }] }
    const body = render([USER, reply, USER, reply, USER], { tools: TOOLS, systemPrompt: "s" })
    const marked = (value: unknown) => JSON.stringify(value).split('"cache_control"').length - 1
    const messages = body.messages as Message[]
    assert.deepEqual(messages.map(marked), [0, 0, 1, 0, 1])
    assert.deepEqual([marked(body.tools), marked(body.system)], [1, 1])
    assert.deepEqual(body.system, [{ type: "text", text: "s", ...BREAKPOINT }])
  })

  it("of each turn begins with that of the turn before, breakpoints aside, over 30 turns", () => {
    const style = freshStyle()
    const messages: Message[] = [style.renderUser("go")]
    let before = ""
    for (let turn = 0; turn < 30; turn++) {
      const body = withoutBreakpoints(
        style.renderBody({ model: "m", messages, tools: TOOLS, systemPrompt: "s" }, false),
      )
      assert.ok(body.startsWith(before), `turn ${turn}`)
      before = body.slice(0, -"]}".length)
      const call = { id: `c${turn}`, name: "echo", arguments: '{"text":"x"}' }
      messages.push(style.renderReply({ text: "", calls: [call] }))
      messages.push(
        ...style.renderResults([{ id: call.id, name: "echo", output: turn % 2 ? "" : "x", isError: false }]),
      )
    }
  })

  it("puts results before a prompt that followed them, in one message", () => {
    const style = freshStyle()
    const results = style.renderResults([
      { id: "a", name: "echo", output: "one", isError: false },
      { id: "b", name: "echo", output: "two", isError: true },
    ])
    const body = render([...results, style.renderUser("and now?")])
    assert.deepEqual(JSON.parse(withoutBreakpoints(body.messages)), [
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: "one" },
          { type: "tool_result", tool_use_id: "b", content: "two", is_error: true },
          { type: "text", text: "and now?" },
        ],
      },
    ])
  })

  it("leaves out what the wire refuses: blank text and empty messages", () => {
    const body = render([
      USER,
      { role: "assistant", content: [] },
      { role: "user", content: "  " },
      { role: "user", content: "x" },
    ])
    assert.deepEqual(JSON.parse(withoutBreakpoints(body.messages)), [
      {
        role: "user",
        content: [
          { type: "text", text: "hello" },
          { type: "text", text: "x" },
        ],
      },
    ])
  })
})

describe("results", () => {
  it("come back as they were given, an empty one too, though it is sent as words", () => {
    const style = freshStyle()
    const [message] = style.renderResults([
      { id: "a", name: "echo", output: "", isError: true },
      { id: "b", name: "echo", output: "x", isError: false },
    ])
    assert.match(JSON.stringify(message), /\(no output\)/)
    assert.deepEqual(style.parseResults(message ? [message] : []), [
      { id: "a", output: "", isError: true },
      { id: "b", output: "x", isError: false },
    ])
  })
  it("of nothing are no message", () => assert.deepEqual(freshStyle().renderResults([]), []))
  it("from elsewhere may be lists of blocks; what is no text goes back as it came", () => {
    const parts = [{ type: "text", text: "x" }, { type: "image" }]
    const content = [
      { type: "tool_result", tool_use_id: "a", content: parts },
      { type: "tool_result", tool_use_id: "b", content: [{ type: "text", text: "y" }] },
    ]
    const results = freshStyle().parseResults([{ role: "user", content }])
    assert.deepEqual(results, [
      { id: "a", output: "x", isError: false, parts },
      { id: "b", output: "y", isError: false },
    ])
    const named = results.map((result) => ({ ...result, name: "echo" }))
    assert.deepEqual(freshStyle().renderResults(named)[0]?.content, [
      { type: "tool_result", tool_use_id: "a", content: parts },
      { type: "tool_result", tool_use_id: "b", content: "y" },
    ])
  })
})

describe("a reply", () => {
  const start = (index: number, content_block: object) => ({ type: "content_block_start", index, content_block })
  const json = (index: number, partial_json: unknown) => ({
    type: "content_block_delta",
    index,
    delta: { type: "input_json_delta", partial_json },
  })

  it("whose input is cut or no JSON keeps the call, with {} and a problem", () => {
    const reply = streamed([start(0, { type: "tool_use", id: "a", name: "echo", input: {} }), json(0, '{"text":')])
    assert.deepEqual(reply.message.content, [{ type: "tool_use", id: "a", name: "echo", input: {} }])
    assert.match(reply.problems?.[0] ?? "", /not valid JSON/)
  })

  it("whose blocks all say index 0 keeps them apart", () => {
    const reply = streamed([
      start(0, { type: "tool_use", id: "a", name: "echo", input: {} }),
      json(0, '{"text":"x"}'),
      start(0, { type: "tool_use", id: "b", name: "ping" }),
    ])
    assert.deepEqual(reply.message.content, [
      { type: "tool_use", id: "a", name: "echo", input: { text: "x" } },
      { type: "tool_use", id: "b", name: "ping", input: {} },
    ])
  })

  it("whose input comes whole in the start is taken from there", () => {
    const reply = streamed([start(0, { type: "tool_use", id: "a", name: "echo", input: { text: "x" } })])
    assert.deepEqual(reply.message.content, [{ type: "tool_use", id: "a", name: "echo", input: { text: "x" } }])
  })

  it("with a whole number that cannot be held does not run, streamed or plain", () => {
    const digits = "9007199254740993"
    const parts = [start(0, { type: "tool_use", id: "a", name: "echo", input: {} }), json(0, `{"id":${digits}}`)]
    assert.match(streamed(parts).problems?.[0] ?? "", new RegExp(digits))
    const body = `{"content":[{"type":"tool_use","id":"a","name":"echo","input":{"t":"\\"9007199254740993","id":${digits}}}]}`
    const style = freshStyle()
    const reply = style.parseReply(style.parseBody(body), TOOLS)
    assert.match(reply.problems?.[0] ?? "", new RegExp(digits))
  })

  it("with long numbers in strings, and long ones that can be held, runs", () => {
    const input = '{"text":"9007199254740993","size":9007199254740994,"part":0.1234567890123456789}'
    const body = `{"content":[{"type":"tool_use","id":"a","name":"echo","input":${input}}]}`
    const style = freshStyle()
    assert.equal(style.parseReply(style.parseBody(body), TOOLS).problems, undefined)
  })

  it("drops blank text, and keeps thinking, signatures and unknown blocks in order", () => {
    const content = [
      { type: "thinking", thinking: "", signature: "s" },
      { type: "text", text: " " },
      { type: "new_thing", x: 1 },
      { type: "text", text: "Hi", citations: null },
    ]
    assert.deepEqual(plain(content).message.content, [content[0], content[2], content[3]])
  })

  it("that refuses with no word is an error, and one with words is an answer", () => {
    assert.throws(() => plain([], "refusal"), { code: "provider", message: /refused/ })
    assert.equal(freshStyle().parseMessage(plain([{ type: "text", text: "No." }], "refusal").message).text, "No.")
  })

  it("that says nothing and ends is an empty answer", () => {
    assert.deepEqual(plain([]).message, { role: "assistant", content: [] })
  })
})
