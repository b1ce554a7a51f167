import assert from "node:assert/strict"
import { it } from "node:test"
import { anthropic } from "../../../src/endpoint/anthropic/style.ts"
import { openai } from "../../../src/endpoint/openai/style.ts"
import { translateMessages } from "../../../src/endpoint/translate.ts"

const OPENAI = [
  { role: "user", content: "look" },
  {
    role: "assistant",
    content: "Looking.",
    reasoning_content: "secret of the other endpoint",
    tool_calls: [
      { id: "call:1", type: "function", function: { name: "echo", arguments: '{"text":"a"}' } },
      { id: "call_1", type: "function", function: { name: "ping", arguments: "{}" } },
    ],
  },
  { role: "tool", tool_call_id: "call:1", content: "a" },
  { role: "tool", tool_call_id: "call_1", content: "pong" },
  { role: "assistant", content: "Done." },
]

const ANTHROPIC = [
  { role: "user", content: [{ type: "text", text: "look" }] },
  {
    role: "assistant",
    content: [
      { type: "text", text: "Looking." },
      { type: "tool_use", id: "call_1", name: "echo", input: { text: "a" } },
      { type: "tool_use", id: "call_1_2", name: "ping", input: {} },
    ],
  },
  {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "call_1", content: "a" },
      { type: "tool_result", tool_use_id: "call_1_2", content: "pong" },
    ],
  },
  { role: "assistant", content: [{ type: "text", text: "Done." }] },
]

it("an openai transcript is said in anthropic's way, results in one message, ids that it takes", () => {
  assert.deepEqual(translateMessages(OPENAI, openai, anthropic), ANTHROPIC)
})

it("an anthropic transcript is said in openai's way, without what only its endpoint understands", () => {
  const [user, reply, ...rest] = ANTHROPIC
  const thinking = { type: "thinking", thinking: "hm", signature: "s" }
  const withThinking = { role: "assistant", content: [thinking, ...(reply?.content ?? [])] }
  assert.deepEqual(translateMessages([user ?? {}, withThinking, ...rest], anthropic, openai), [
    { role: "user", content: "look" },
    {
      role: "assistant",
      content: "Looking.",
      tool_calls: [
        { id: "call_1", type: "function", function: { name: "echo", arguments: '{"text":"a"}' } },
        { id: "call_1_2", type: "function", function: { name: "ping", arguments: "{}" } },
      ],
    },
    { role: "tool", tool_call_id: "call_1", content: "a" },
    { role: "tool", tool_call_id: "call_1_2", content: "pong" },
    { role: "assistant", content: "Done." },
  ])
})

it("a transcript in its own style is as it was", () => {
  assert.deepEqual(translateMessages(OPENAI, openai, openai), OPENAI)
})

it("a prompt beside results comes after them", () => {
  const results = ANTHROPIC[2]?.content ?? []
  const mixed = { role: "user", content: [...results, { type: "text", text: "and now?" }] }
  const said = translateMessages([...ANTHROPIC.slice(0, 2), mixed], anthropic, openai)
  assert.deepEqual(
    said.map(({ role }) => role),
    ["user", "assistant", "tool", "tool", "user"],
  )
})
