import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createProgress } from "../../../src/cli/progress.ts"
import type { RunEvent } from "../../../src/index.ts"

const at = "2026-01-01T00:00:00Z"
const workMs = 0

function replied(...calls: [string, string][]): RunEvent {
  const tool_calls = calls.map(([name, input]) => ({ id: "c", type: "function", function: { name, arguments: input } }))
  return { type: "model.replied", at, workMs, style: "openai", message: { role: "assistant", tool_calls } }
}

function texts(...events: RunEvent[]): string[] {
  const progress = createProgress()
  return events.flatMap((event) => progress.lines(event).map(({ text }) => text))
}

describe("progress", () => {
  it("names each automatic decision once, with the call and what decided", () => {
    const decided = { type: "call.decided", at, turn: 1, index: 0 } as const
    assert.deepEqual(
      texts(
        replied(["bash", '{"command":"ls"}']),
        { ...decided, decision: "allow", by: "rule", rule: "allow bash(ls*)" },
        { type: "call.started", at, turn: 1, index: 0 },
      ),
      ['bash {"command":"ls"}: allowed by allow bash(ls*)'],
    )
    assert.deepEqual(texts(replied(["note", "{}"]), { ...decided, decision: "refuse", by: "hook" }), [
      "note: refused by a hook",
    ])
  })
  it("says that a call runs which a person allowed", () => {
    assert.deepEqual(texts(replied(["note", "{}"]), { type: "call.started", at, turn: 1, index: 0 }), ["note: runs"])
  })
  it("knows the calls of an earlier process and of the other style", () => {
    const progress = createProgress()
    progress.see(replied(["first", "{}"]))
    const content = [
      { type: "text", text: "x" },
      { type: "tool_use", id: "t", name: "second", input: { a: 1 } },
    ]
    progress.see({ type: "model.replied", at, workMs, style: "anthropic", message: { role: "assistant", content } })
    const [line] = progress.lines({ type: "call.started", at, turn: 2, index: 0 })
    assert.equal(line?.text, 'second {"a":1}: runs')
  })
  it("says who, for a sub-agent, and keeps its turns apart", () => {
    const agent = ["root", "coder.1"]
    assert.deepEqual(
      texts(
        replied(["mine", "{}"]),
        { ...replied(["theirs", "{}"]), agent },
        { type: "call.started", at, turn: 1, index: 0, agent },
      ),
      ["[coder.1] theirs: runs"],
    )
  })
  it("cuts long arguments and says how long they are", () => {
    const [line = ""] = texts(replied(["write", JSON.stringify({ text: "x".repeat(5000) })]), {
      type: "call.started",
      at,
      turn: 1,
      index: 0,
    })
    assert.ok(line.length < 200)
    assert.match(line, /\(\d+ characters\)/)
  })
  it("does not fall over a message that it cannot read", () => {
    for (const message of [
      {},
      { tool_calls: [null, 5, {}] },
      { content: [null, { type: "tool_use" }] },
      { tool_calls: "x" },
    ]) {
      texts(
        { type: "model.replied", at, workMs, style: "openai", message },
        { type: "call.started", at, turn: 1, index: 0 },
      )
    }
  })
})
