import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { Turn } from "../support/scripted-endpoint.ts"
import { failuresOf, playWireCase, type WireCase } from "./wire-case.ts"

/** Behaviours of servers that the cases beside this file do not hold: title, what the server answers, what comes of it. */
type Row = [title: string, turns: Turn[], expect: WireCase["expect"], more?: Partial<WireCase>]

const HI = [{ name: "echo", args: { text: "hi" } }]
const PING = { name: "ping", args: {} }
const PLAIN = { stream: false }

function sse(...events: (object | string)[]): Turn {
  return { sse: events.map((event) => (typeof event === "string" ? event : line(event))).join("") }
}
function line(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`
}

const DONE = "data: [DONE]\n\n"
const chunk = (delta: object | null, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
})
const call = (delta: object) => chunk({ tool_calls: [delta] })
const echo = (args: unknown) => ({ type: "function", function: { name: "echo", arguments: args } })
const plain = (message: object, finish_reason = "stop"): Turn => ({ body: { choices: [{ message, finish_reason }] } })
const OK = sse(chunk({ content: "done" }), chunk({}, "stop"), DONE)

const OPENAI: Row[] = [
  // Calls.
  [
    "whole calls that share one id, without an index, are two",
    [
      sse(
        call({ id: "call_0", ...echo('{"text":"1"}') }),
        call({ id: "call_0", ...echo('{"text":"2"}') }),
        chunk({}, "tool_calls"),
      ),
      OK,
    ],
    {
      toolCalls: [
        { name: "echo", args: { text: "1" } },
        { name: "echo", args: { text: "2" } },
      ],
    },
  ],
  [
    "a call that is sent twice as it is, by its id, is one",
    [sse(call({ id: "a", ...echo('{"text":"hi"}') }), call({ id: "a", ...echo('{"text":"hi"}') }), DONE), OK],
    { toolCalls: HI },
  ],
  [
    "the calls of a delta are an object and no list",
    [sse(chunk({ tool_calls: { index: 0, id: "a", ...echo('{"text":"hi"}') } }), DONE), OK],
    { toolCalls: HI },
  ],
  [
    "the calls of a delta are an object by their numbers",
    [
      sse(
        chunk({
          tool_calls: { 0: { id: "a", ...echo('{"text":"hi"}') }, 1: { id: "b", function: { name: "ping" } } },
        }),
        DONE,
      ),
      OK,
    ],
    { toolCalls: [...HI, PING] },
  ],
  [
    "the calls of a message are an object by their numbers",
    [plain({ tool_calls: { 0: { id: "a", ...echo('{"text":"hi"}') } } }, "tool_calls"), OK],
    { toolCalls: HI },
    PLAIN,
  ],
  [
    "an empty object stands for the arguments until they come",
    [
      sse(
        call({ index: 0, id: "a", ...echo("{}") }),
        call({ index: 0, function: { arguments: '{"text"' } }),
        call({ index: 0, function: { arguments: ':"hi"}' } }),
        DONE,
      ),
      OK,
    ],
    { toolCalls: HI },
  ],
  // Errors inside a stream.
  [
    "an error is a chunk of its own kind",
    [sse(chunk({ content: "" }), { object: "error", message: "the engine died", code: 400 }, DONE)],
    { error: "status 400.*the engine died", requestCount: 1 },
  ],
  [
    "an error is in what the provider adds",
    [sse(chunk({ content: "" }), { choices: [{ index: 0, delta: {} }], x_groq: { error: "over capacity" } }, DONE)],
    { error: "over capacity" },
  ],
  [
    "an error is a bare line of JSON",
    [sse(chunk({ content: "par" }), '{"error":{"message":"runner process has terminated"}}\n')],
    { error: "runner process has terminated", requestCount: 1 },
  ],
  [
    "an error is all that a stream holds, and is not said to be one",
    [sse({ id: "x", choices: null, base_resp: { status_code: 1004, status_msg: "login fail" } })],
    { error: "login fail", requestCount: 1 },
  ],
  ["a stream of nothing but its end is empty", [sse(DONE), OK], { text: "done", requestCount: 2 }],
  ["a stream of comments only is incomplete", [sse(": ping\n\n: ping\n\n"), OK], { text: "done", requestCount: 2 }],
  [
    "the events are those of the other style",
    [sse({ type: "message_start", message: { role: "assistant", content: [] } }, { type: "message_stop" })],
    { error: "check that it speaks the openai style", requestCount: 1 },
  ],
  [
    "the server ran out of what it needs in the middle",
    [sse(chunk({ content: "par" }), chunk({}, "insufficient_system_resource"), DONE)],
    { error: "insufficient_system_resource" },
  ],
  // Errors in a reply of status 200, and their words.
  [
    "an error in words of its own",
    [{ body: { error_code: 336003, error_msg: "too long" } }],
    { error: "too long" },
    PLAIN,
  ],
  [
    "an error beside no choices",
    [{ body: { object: "error", message: "no", code: 400 } }],
    { error: "status 400\\): no" },
    PLAIN,
  ],
  [
    "an error whose message is in a capital",
    [{ status: 400, body: { Message: "Malformed input" } }],
    { error: "^HTTP 400: Malformed input$" },
  ],
  [
    "a filter left no message",
    [{ body: { choices: [{ finish_reason: "content_filter" }] } }],
    { error: "content filter" },
    PLAIN,
  ],
  // Forms of a reply.
  [
    "chunks are lines of JSON and no events",
    [{ body: `${JSON.stringify(chunk({ content: "do" }))}\n${JSON.stringify(chunk({ content: "ne" }, "stop"))}\n` }],
    { text: "done" },
  ],
  [
    "lines of JSON of another interface",
    [{ body: '{"message":{"role":"assistant"}}\n{"done":true}\n' }],
    { error: "openai style" },
  ],
  [
    "a choice has a text and no message",
    [{ body: { choices: [{ text: "done", finish_reason: "stop" }] } }],
    { text: "done" },
    PLAIN,
  ],
  [
    "the choices of a stream have a text and no delta",
    [sse({ choices: [{ index: 0, text: "done" }] }, DONE)],
    { text: "done" },
  ],
  ["content is a list of strings", [plain({ content: ["do", "ne"] })], { text: "done" }, PLAIN],
  [
    "the content of deltas is a list of strings",
    [sse(chunk({ content: ["do"] }), chunk({ content: ["ne"] }), DONE)],
    { text: "done" },
  ],
  ["data is said twice", [{ sse: `data: ${line(chunk({ content: "done" }))}data: ${DONE}` }], { text: "done" }],
  [
    "a chunk is JSON of its JSON",
    [sse(`data: ${JSON.stringify(JSON.stringify(chunk({ content: "done" })))}\n\n`, 'data: "[DONE]"\n\n')],
    { text: "done" },
  ],
  [
    "the last line is never ended, and the connection hangs",
    [{ sse: `${line(chunk({ content: "done" }))}data: [DONE]`, end: "hang" }],
    { text: "done" },
    { needs: { idleTimeoutMs: 200 } },
  ],
  [
    "the last line is never ended, and the connection breaks",
    [{ sse: `${line(chunk({ content: "done" }))}${line(chunk({}, "stop")).trim()}`, end: "destroy" }],
    { text: "done" },
  ],
  [
    "the body is whole, and shorter than it was said to be",
    [{ ...plain({ content: "done" }), headers: { "content-length": "5000" }, end: "destroy" }],
    { text: "done", requestCount: 1 },
    PLAIN,
  ],
  [
    "a coding is named that was undone",
    [{ ...plain({ content: "done" }), headers: { "content-encoding": "gzip" } }],
    { text: "done" },
    PLAIN,
  ],
]

const ANTHROPIC: Row[] = [
  [
    "the events are those of the other style",
    [OK],
    { error: "check that it speaks the anthropic style", requestCount: 1 },
  ],
  [
    "the message is one event",
    [sse({ type: "message", role: "assistant", content: [{ type: "text", text: "done" }], stop_reason: "end_turn" })],
    { text: "done" },
  ],
  [
    "content is null",
    [{ body: { type: "message", role: "assistant", content: null, stop_reason: "end_turn" } }],
    { text: "" },
    PLAIN,
  ],
  [
    "content is a list of strings",
    [{ body: { type: "message", content: ["do", "ne"], stop_reason: "end_turn" } }],
    { text: "done" },
    PLAIN,
  ],
  [
    "a block and a delta of a later version go back whole",
    [
      sse(
        { type: "message_start", message: { role: "assistant", content: [] } },
        { type: "content_block_start", index: 0, content_block: { type: "compaction", content: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "compaction_delta", content: "what " } },
        { type: "content_block_delta", index: 0, delta: { type: "compaction_delta", content: "was" } },
        { type: "content_block_delta", index: 0, delta: { type: "mark_delta", mark: { at: 3 } } },
        {
          type: "content_block_start",
          index: 1,
          content_block: { type: "tool_use", id: "t", name: "ping", input: {} },
        },
        { type: "message_delta", delta: { stop_reason: "tool_use" } },
        { type: "message_stop" },
      ),
      { body: { type: "message", content: [{ type: "text", text: "done" }], stop_reason: "end_turn" } },
    ],
    {
      text: "done",
      toolCalls: [PING],
      requests: [{ n: 2, has: ['\\{"type":"compaction","content":"what was","mark":\\{"at":3\\}\\}'] }],
    },
  ],
]

for (const [style, rows] of [
  ["openai", OPENAI],
  ["anthropic", ANTHROPIC],
] as const) {
  describe(`what further endpoints of style ${style} send`, () => {
    for (const [title, turns, expect, more] of rows) {
      it(title, { timeout: 10_000 }, async () => {
        const wireCase = { id: title, title, style, stream: true, turns, expect, ...more }
        assert.deepEqual(failuresOf(wireCase, await playWireCase(wireCase)), [])
      })
    }
  })
}
