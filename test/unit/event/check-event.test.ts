import assert from "node:assert/strict"
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { test } from "node:test"
import { problemOfEvent, problemOfMembers } from "../../../src/event/check-event.ts"

const FIXTURES = resolve(import.meta.dirname, "../../fixtures/runs/v1")

test("every event that a run file of ours holds passes, and so do members and events that are not known", () => {
  for (const name of readdirSync(FIXTURES).filter((file) => file.endsWith(".run.jsonl"))) {
    const lines = readFileSync(join(FIXTURES, name), "utf8").split("\n").slice(0, -1)
    for (const line of lines) assert.equal(problemOfMembers({ ...JSON.parse(line), later: [null] }), undefined, line)
  }
  assert.equal(problemOfEvent({ type: "weather.noted", turn: "x" }), undefined)
  assert.equal(problemOfEvent({ type: "toString" }), undefined)
})

test("a member that is not what something reads is named", () => {
  const call = { turn: 1, index: 0 }
  const wrong: [object, string][] = [
    [{ type: "call.started", turn: "1", index: 0 }, "turn must be a whole number, 0 or more"],
    [{ type: "call.started", ...call, agent: "root" }, "agent must be a list, got string"],
    [{ type: "call.finished", ...call, output: 1, isError: false, workMs: 0 }, "output must be a string, got number"],
    [{ type: "call.finished", ...call, from: "answer" }, "workMs must be a number, 0 or more"],
    [{ type: "run.resumed", limits: { maxTurns: null } }, "limits.maxTurns must be a number, 0 or more"],
    [{ type: "run.started", runId: "r", model: "m", style: "x" }, "style must be one of openai, anthropic"],
    [{ type: "user.said", message: null }, "message must be an object, got null"],
    [
      { type: "request.answered", answer: { id: "a", ok: "true" }, via: "resume" },
      'answer.ok must be true or false, got "true"',
    ],
  ]
  for (const [event, problem] of wrong) {
    assert.equal(problemOfMembers(event as Record<string, unknown>), problem)
    assert.equal(problemOfEvent(event as Record<string, unknown>), problem)
  }
})

test("what is nested so deeply that walking over it could fail is refused", () => {
  const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`)
  assert.equal(problemOfEvent({ type: "agent.posted", item: deep }), "it is nested too deeply")
})
