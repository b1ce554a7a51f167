import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createOpenaiStyle } from "../../../../src/endpoint/openai/style.ts"
import type { Reply } from "../../../../src/endpoint/style.ts"
import type { ToolSpec } from "../../../../src/tool/tool.ts"

const TOOLS = ["echo", "ping", "echo_all"].map(
  (name): ToolSpec => ({ name, description: `does ${name}`, inputSchema: {}, source: "native" }),
)

/** Ids are made in order: made00001, made00002. */
function freshStyle() {
  let made = 0
  return createOpenaiStyle(() => `made0000${++made}`)
}

/** Reads deltas of one streamed reply. */
function streamed(deltas: object[], finish_reason: string | null = "stop"): Reply {
  const style = freshStyle()
  const reader = style.openStream(TOOLS)
  for (const delta of deltas) reader.read({ data: JSON.stringify({ choices: [{ index: 0, delta }] }) })
  reader.read({ data: JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason }] }) })
  return style.parseReply(reader.end(), TOOLS)
}

function plain(message: object, finish_reason = "stop"): Reply {
  return freshStyle().parseReply({ choices: [{ index: 0, message, finish_reason }] }, TOOLS)
}

function callsOf(reply: Reply): [string, string, string][] {
  return freshStyle()
    .parseMessage(reply.message)
    .calls.map((call) => [call.id, call.name, call.arguments])
}

const fn = (name: string | undefined, args: unknown) => ({ function: { name, arguments: args } })

describe("the body of a request", () => {
  const render = (more: object, stream = false) =>
    freshStyle().renderBody({ model: "m", messages: [{ role: "user", content: "x" }], tools: [], ...more }, stream)

  it("has messages last and no tools where there are none", () => {
    assert.deepEqual(Object.keys(render({})), ["model", "messages"])
    const all = render({ tools: TOOLS, maxOutputTokens: 5, requestParams: { seed: 1 }, systemPrompt: "be brief" }, true)
    const keys = ["model", "max_tokens", "stream", "stream_options", "tools", "seed", "messages"]
    assert.deepEqual(Object.keys(all), keys)
  })

  it("has the caller's own tools behind ours, and no choice of tools where there are none", () => {
    const requestParams = { tools: [{ type: "web_search" }], tool_choice: "auto", parallel_tool_calls: false }
    const kinds = (render({ tools: TOOLS, requestParams }).tools as { type: string }[]).map(({ type }) => type)
    assert.deepEqual(kinds, [...TOOLS.map(() => "function"), "web_search"])
    assert.deepEqual(Object.keys(render({ requestParams: { ...requestParams, tools: [] } })), ["model", "messages"])
  })

  it("begins its messages with the system prompt", () => {
    assert.deepEqual(render({ systemPrompt: "be brief" }).messages, [
      { role: "system", content: "be brief" },
      { role: "user", content: "x" },
    ])
  })

  it("cannot be given other messages, or another form, by parameters", () => {
    const body = render({ requestParams: { messages: [], stream: true, top_p: 1 } })
    assert.deepEqual(body, { model: "m", top_p: 1, messages: [{ role: "user", content: "x" }] })
  })

  it("gives a tool without parameters an object schema, and no $schema", () => {
    const inputSchema = { $schema: "http://json-schema.org/draft-07/schema#" }
    const tool: ToolSpec = { name: "ping", description: "", inputSchema, source: "native" }
    assert.deepEqual(render({ tools: [tool] }).tools, [
      { type: "function", function: { name: "ping", parameters: { type: "object", properties: {} } } },
    ])
  })

  it("of the next turn begins with that of this one, up to the end of its messages", () => {
    const messages = [{ role: "user", content: "x" }]
    const now = JSON.stringify(render({ messages, tools: TOOLS, systemPrompt: "s" }))
    const more = [...messages, { role: "assistant", content: "y" }, { role: "user", content: "z" }]
    const next = JSON.stringify(render({ messages: more, tools: TOOLS, systemPrompt: "s" }))
    assert.ok(next.startsWith(now.slice(0, -"]}".length)))
  })
})

describe("which call a delta belongs to", () => {
  const CASES: [string, object[][], [string, string][]][] = [
    [
      "whole calls that all say index 0, without ids",
      [[{ index: 0, ...fn("echo", '{"a":1}') }], [{ index: 0, ...fn("echo", '{"a":2}') }]],
      [
        ["echo", '{"a":1}'],
        ["echo", '{"a":2}'],
      ],
    ],
    [
      "two entries of one delta that both say index 0",
      [
        [
          { index: 0, ...fn("echo", "{}") },
          { index: 0, ...fn("ping", "{}") },
        ],
      ],
      [
        ["echo", "{}"],
        ["ping", "{}"],
      ],
    ],
    [
      "fragments without index or id continue the newest",
      [[fn("echo", "")], [fn(undefined, '{"a"')], [fn(undefined, ":1}")]],
      [["echo", '{"a":1}']],
    ],
    [
      "fragments by id, without index",
      [
        [{ id: "a", ...fn("echo", '{"a"') }],
        [{ id: "b", ...fn("ping", "{") }],
        [{ id: "a", ...fn(undefined, ":1}") }],
        [{ id: "b", ...fn(undefined, "}") }],
      ],
      [
        ["echo", '{"a":1}'],
        ["ping", "{}"],
      ],
    ],
    [
      "a name alone begins a call",
      [[fn("echo", "{}")], [fn("ping", "{}")]],
      [
        ["echo", "{}"],
        ["ping", "{}"],
      ],
    ],
    [
      "an index as text",
      [[{ index: "0", ...fn("echo", '{"a"') }], [{ index: "0", ...fn(undefined, ":1}") }]],
      [["echo", '{"a":1}']],
    ],
    [
      "an index that grows with each fragment",
      [[{ index: 0, ...fn("echo", '{"a"') }], [{ index: 1, ...fn(undefined, ":1}") }]],
      [["echo", '{"a":1}']],
    ],
    [
      "indexes out of order",
      [[{ index: 5, ...fn("ping", "{}") }], [{ index: 2, ...fn("echo", "{}") }]],
      [
        ["ping", "{}"],
        ["echo", "{}"],
      ],
    ],
    [
      "entries that are no objects are none",
      [[null as never, 7 as never, { index: 0, ...fn("ping", "{}") }]],
      [["ping", "{}"]],
    ],
  ]
  for (const [title, deltas, calls] of CASES) {
    it(title, () => {
      const reply = streamed(deltas.map((tool_calls) => ({ tool_calls })))
      assert.deepEqual(
        callsOf(reply).map(([, ...call]) => call),
        calls,
      )
      assert.equal(reply.problems, undefined)
    })
  }
})

describe("arguments in pieces", () => {
  const ARGUMENTS: [string, unknown[], string][] = [
    ["fragments", ['{"a":', '{"a":', "1}}"], '{"a":{"a":1}}'],
    ["a growing prefix", ['{"a', '{"a":"x', '{"a":"x"}'], '{"a":"x"}'],
    ["a whole buffer sent again", ['{"a":1}', '{"a":1}'], '{"a":1}'],
    ["fragments, and the whole again at the end", ['{"a"', ":1}", '{"a":1}'], '{"a":1}'],
    ["an object", [{ a: 1 }], '{"a":1}'],
    ["an object sent again", [{ a: 1 }, { a: 1 }], '{"a":1}'],
    ["nothing", ["", null], "{}"],
    ["a string that holds an object", ['"{\\"a\\"', ':1}"'], '{"a":1}'],
  ]
  for (const [title, pieces, whole] of ARGUMENTS) {
    it(title, () => {
      const [first, ...rest] = pieces.map((piece, at) => ({
        tool_calls: [{ index: 0, ...(at === 0 ? { id: "a" } : {}), ...fn(at === 0 ? "echo" : undefined, piece) }],
      }))
      assert.deepEqual(callsOf(streamed([first ?? {}, ...rest])), [["a", "echo", whole]])
    })
  }
})

describe("a call that cannot run keeps its place, with valid JSON and a problem for the model", () => {
  const BAD: [string, unknown, RegExp][] = [
    ["no JSON", "{oops", /not valid JSON/],
    ["a list", "[1]", /must be a JSON object, got array/],
    ["a text", '"hello"', /must be a JSON object, got string/],
    ["a number", 5, /must be a JSON object, got number/],
  ]
  for (const [title, raw, problem] of BAD) {
    it(title, () => {
      const reply = plain({
        tool_calls: [
          { id: "a", ...fn("echo", "{}") },
          { id: "b", ...fn("echo", raw) },
        ],
      })
      assert.deepEqual(callsOf(reply)[1], ["b", "echo", "{}"])
      assert.deepEqual(Object.keys(reply.problems ?? {}), ["1"])
      assert.match(reply.problems?.[1] ?? "", problem)
    })
  }
  it("after a stop for length every call has one", () => {
    const calls = [
      { id: "a", ...fn("echo", "{}") },
      { id: "b", ...fn("ping", "{}") },
    ]
    const reply = plain({ tool_calls: calls }, "length")
    assert.deepEqual(Object.keys(reply.problems ?? {}), ["0", "1"])
    assert.match(reply.problems?.[0] ?? "", /cut off at a length limit \(length\)/)
  })
  it("a call without a name", () => {
    const reply = plain({ tool_calls: [{ id: "a", ...fn("", "{}") }] })
    assert.match(reply.problems?.[0] ?? "", /names no tool/)
  })
})

describe("a repaired message", () => {
  it("has an id for each call: real ones stay, missing and repeated ones are made", () => {
    const ids = ["", "a", "a", null, "null", 7]
    const reply = plain({ tool_calls: ids.map((id) => ({ id, ...fn("ping", "{}") })) })
    assert.deepEqual(
      callsOf(reply).map(([id]) => id),
      ["made00001", "a", "made00002", "made00003", "made00004", "7"],
    )
  })
  it("keeps unknown members, of the message, of a call and of its function", () => {
    const call = { id: "a", type: "function", x: 1, function: { name: "echo", arguments: "{}", y: 2 } }
    const message = { role: "assistant", content: null, reasoning_content: "hm", z: { w: 3 }, tool_calls: [call] }
    assert.deepEqual(plain(message).message, message)
  })
  it("keeps a null that nothing followed, streamed as in a plain reply", () => {
    const call = { id: "a", type: "function", x: null, function: { name: "echo", arguments: "{}" } }
    const message = { role: "assistant", content: "x", refusal: null, y: null, tool_calls: [call] }
    const deltas = [
      { refusal: null, y: null, content: "x" },
      { tool_calls: [{ index: 0, ...call }] },
      { y: null, content: null },
    ]
    assert.deepEqual(streamed(deltas).message, plain(message).message)
    assert.deepEqual(streamed([{ y: null }, { y: 1 }, { y: null, content: "x" }]).message.y, 1)
  })
  it("has content where it has no calls, and no empty list of calls", () => {
    assert.deepEqual(plain({ content: null, tool_calls: [] }).message, { content: "", role: "assistant" })
  })
  it("has no template words in a name, and keeps a name that no tool has", () => {
    const names = ["echo<|channel|>json", " ping ", "functions.echo", "functions.echo:0", "nope"]
    const reply = plain({ tool_calls: names.map((name) => fn(name, "{}")) })
    assert.deepEqual(
      callsOf(reply).map(([, name]) => name),
      ["echo", "ping", "echo", "echo", "nope"],
    )
  })
  it("a name in pieces is continued until it is a tool's", () => {
    const names = (pieces: string[]) =>
      callsOf(streamed(pieces.map((name) => ({ tool_calls: [{ index: 0, id: "a", ...fn(name, "") }] }))))[0]?.[1]
    assert.equal(names(["ec", "ho"]), "echo")
    assert.equal(names(["ec", "echo"]), "echo")
    assert.equal(names(["echo", "echo"]), "echo")
    assert.equal(names(["echo", "_all"]), "echo_all")
    assert.equal(names(["nope", "nope"]), "nope")
  })
})

describe("a stream that says nothing sound", () => {
  it("without a sign of an end is an error, and nothing runs", () => {
    const reader = freshStyle().openStream(TOOLS)
    reader.read({ data: '{"choices":[{"delta":{"tool_calls":[{"function":{"name":"ping","arguments":"{}"}}]}}]}' })
    assert.throws(() => reader.end(), { code: "provider", message: /incomplete/ })
  })
  it("malformed data is an error; a foreign event, a keep-alive and what is no object are skipped", () => {
    const reader = freshStyle().openStream(TOOLS)
    for (const data of ["", " ", "ping", "null", "5", "[]", '"x"']) assert.equal(reader.read({ data }), "")
    assert.equal(reader.read({ event: "progress", data: "50 %" }), "")
    assert.throws(() => reader.read({ data: '{"choices":' }), { code: "provider", message: /not JSON/ })
  })
  it("an error is raised in any shape", () => {
    const read = (data: string, name?: string) => () =>
      freshStyle()
        .openStream(TOOLS)
        .read(name === undefined ? { data } : { event: name, data })
    assert.throws(read('{"error":{"message":"boom"}}'), /boom/)
    assert.throws(read('{"error":"boom","choices":[]}'), /boom/)
    assert.throws(read('{"choices":[{"error":{"message":"boom"}}]}'), /boom/)
    assert.throws(read('[{"error":{"message":"boom"}}]'), /boom/)
    assert.throws(read('{"message":"boom"}', "error"), /boom/)
    assert.throws(read("boom", "error"), /boom/)
  })
})

describe("usage", () => {
  const usage = (it: unknown) =>
    freshStyle().parseReply({ choices: [{ message: { content: "x" } }], usage: it }, []).usage
  it("counts cached tokens, under any of their names", () => {
    const total = { promptTokens: 9, completionTokens: 1, totalTokens: 10, cachedTokens: 4 }
    const counts = { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 }
    assert.deepEqual(usage({ ...counts, prompt_tokens_details: { cached_tokens: 4 } }), total)
    assert.deepEqual(usage({ ...counts, prompt_cache_hit_tokens: 4 }), total)
  })
  it("that is absent, null or senseless is none", () => {
    for (const it of [undefined, null, 5, {}, { prompt_tokens: null }, { prompt_tokens: "9" }, { prompt_tokens: -1 }]) {
      assert.equal(usage(it), undefined)
    }
  })
})

it("reasoning and parts in pieces are put together, and are no text", () => {
  const reply = streamed([
    { content: [{ type: "thinking", thinking: [{ type: "text", text: "Well" }] }], reasoning: "a" },
    { content: [{ type: "thinking", thinking: [{ type: "text", text: ", hmm" }] }], reasoning: "b" },
    { content: [{ type: "text", text: "Hel" }] },
    { content: "lo" },
  ])
  assert.deepEqual(reply.message, {
    role: "assistant",
    content: [
      { type: "thinking", thinking: [{ type: "text", text: "Well, hmm" }] },
      { type: "text", text: "Hello" },
    ],
    reasoning: "ab",
  })
})
