import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createProgress } from "../../../../src/cli/output/progress.ts"
import type { RunEvent } from "../../../../src/index.ts"

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
      ["bash ls: allowed by allow bash(ls*)"],
    )
    assert.deepEqual(texts(replied(["note", "{}"]), { ...decided, decision: "refuse", by: "hook" }), [
      "note: refused by a hook",
    ])
  })
  it("does not say again what a command printed while it ran", () => {
    const call = { turn: 1, index: 0 }
    const ended: unknown[] = []
    const live = { take() {}, end: (which: unknown) => ended.push(which) === 1 }
    const progress = createProgress(live)
    progress.see(replied(["bash", '{"command":"make"}'], ["bash", '{"command":"make all"}']))
    const finished = (index: number): RunEvent => ({
      type: "call.finished",
      at,
      workMs,
      ...call,
      index,
      output: "cc a.c\nerror\n[exit code 2]",
      isError: true,
    })
    assert.deepEqual(progress.lines(finished(0)), [{ level: "notice", text: "bash: failed: [exit code 2]" }])
    assert.deepEqual(progress.lines(finished(1)), [
      { level: "notice", text: "bash: failed: cc a.c error [exit code 2]" },
    ])
    assert.deepEqual(ended, [
      { turn: 1, id: "c" },
      { turn: 1, id: "c" },
    ])
  })
  it("says that a call runs which a person allowed", () => {
    assert.deepEqual(texts(replied(["note", "{}"]), { type: "call.started", at, turn: 1, index: 0 }), ["note: runs"])
  })
  it("says of an edited call what runs, and not what the model wanted", () => {
    const request = { id: "r", kind: "approval", prompt: "Allow bash?" }
    const suspended = { type: "call.suspended" as const, at, workMs, turn: 1, indexes: [0], request }
    const answer = { id: "r", ok: true, data: { input: { command: "rm -r build" } } }
    const runs = { type: "call.started", at, turn: 1, index: 0 } as const
    const answered = { type: "request.answered", at, answer, via: "waitFor" } as const
    assert.deepEqual(texts(replied(["bash", '{"command":"rm -rf /"}']), { ...suspended, by: "gate" }, answered, runs), [
      "bash rm -r build: runs",
    ])
    // What a tool's own question got is no edit, whatever it looks like.
    assert.deepEqual(texts(replied(["bash", '{"command":"ls"}']), { ...suspended, by: "tool" }, answered, runs), [
      "bash ls: runs",
    ])
  })
  it("knows what was allowed for the rest of the run, as it was approved, and says what a grant answers", () => {
    const suspended = (index: number) => {
      const request = { id: `r${index}`, kind: "approval", prompt: "Allow bash?" }
      return { type: "call.suspended" as const, at, workMs, turn: 1, indexes: [index], request, by: "gate" as const }
    }
    const answer = { id: "r0", ok: true, data: { grant: "run", input: { command: "ls -l" } } }
    const events: RunEvent[] = [
      replied(["bash", '{"command":"ls"}'], ["bash", '{"command":"ls -l"}']),
      suspended(0),
      suspended(1),
      { type: "request.answered", at, answer, via: "waitFor" },
      { type: "grant.given", at, tool: "bash", digest: "d", folder: "/srv" },
      { type: "request.answered", at, answer: { id: "r1", ok: true }, via: "grant" },
    ]
    const progress = createProgress()
    const said = events.flatMap((event) => progress.lines(event).map(({ text }) => text))
    assert.deepEqual(said, ["bash ls -l: allowed by a grant for this run"])
    assert.deepEqual(progress.grants(), ['bash {"command":"ls -l"} in /srv'])
    progress.see({ type: "run.resumed", at, foreign: true } as RunEvent)
    assert.deepEqual(progress.grants(), [])
  })
  it("names the calls of a halted result that came as plain JSON", () => {
    const { message } = replied(["deploy", '{"service":"api"}']) as { message: Record<string, unknown> }
    const messages = [{ role: "user", content: "x" }, { role: "assistant", content: "hm" }, message]
    for (const [turns, turn] of [
      [{}, 2],
      [{ turns: 5 }, 5],
    ] as const) {
      const imported = { type: "run.imported", at, style: "openai", messages, ...turns } as const
      assert.deepEqual(texts(imported, { type: "call.started", at, turn, index: 0 }), ["deploy api: runs"])
      assert.deepEqual(
        texts(imported, replied(["note", "{}"]), { type: "call.started", at, turn: turn + 1, index: 0 }),
        ["note: runs"],
      )
    }
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
    assert.equal(line?.text, "second 1: runs")
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
  it("says one argument in words instead of JSON: the one that tells most, and nothing for a question that is shown next", () => {
    const runs = { type: "call.started", at, turn: 1, index: 0 } as const
    const question = JSON.stringify({ questions: [{ question: "Which?" }] })
    for (const [name, input, said] of [
      ["bash", '{"timeout":5,"command":"ls\\n  -l"}', "bash ls -l: runs"],
      ["edit", '{"text":"x","path":"a.txt"}', "edit a.txt: runs"],
      ["pay", '{"sum":5,"to":"bob"}', "pay 5: runs"],
      ["question", question, "question: runs"],
      ["broken", '{"a":', "broken: runs"],
    ] as const)
      assert.deepEqual(texts(replied([name, input]), runs), [said])
    assert.deepEqual(
      texts(replied(["question", question]), { ...runs, type: "call.decided", decision: "allow", by: "default" }),
      ["question: allowed by default"],
    )
  })
  it("says that a call was declined, with the person's words, and not that it failed", () => {
    const request = { id: "r", kind: "approval", prompt: "Really?" }
    const said = (answer: object, output: string) => {
      const progress = createProgress()
      const events = [
        replied(["bash", "{}"]),
        { type: "call.suspended", at, workMs, turn: 1, indexes: [0], by: "gate", request },
        { type: "request.answered", at, via: "waitFor", answer: { id: "r", ok: false, ...answer } },
        { type: "call.finished", at, workMs, turn: 1, index: 0, isError: true, output },
      ] as RunEvent[]
      return events.flatMap((event) => progress.lines(event))
    }
    const output = "declined/expired: Really?\nIt was not run: the person declined. Do not try it again."
    const [short, whole] = said({ reason: "cancelled" }, output)
    assert.deepEqual(short, { level: "notice", text: "bash: declined" })
    assert.equal(whole?.level, "detail")
    assert.match(whole?.text ?? "", /^bash: declined\/expired: Really\? It was not run/)
    assert.equal(
      said({ reason: "declined", data: { note: "not today" } }, output)[0]?.text,
      "bash: declined (not today)",
    )
    assert.equal(said({ reason: "too risky" }, output)[0]?.text, "bash: declined (too risky)")
    assert.equal(said({ reason: "expired" }, output)[0]?.text, "bash: nobody answered in time")
  })
  it("says a refusal once, when it is decided", () => {
    const progress = createProgress()
    const call = { at, turn: 1, index: 0 }
    const events = [
      replied(["bash", '{"command":"rm x"}']),
      { type: "call.decided", ...call, decision: "refuse", by: "rule", rule: "deny bash(rm*)" },
      { type: "call.finished", ...call, workMs, isError: true, output: "refused by deny bash(rm*). It was not run." },
    ] as RunEvent[]
    const notices = events.flatMap((event) => progress.lines(event)).filter(({ level }) => level === "notice")
    assert.deepEqual(notices, [{ level: "notice", text: "bash rm x: refused by deny bash(rm*)" }])
  })
  it("cuts long arguments and says so", () => {
    const [line = ""] = texts(replied(["write", JSON.stringify({ text: "x".repeat(5000) })]), {
      type: "call.started",
      at,
      turn: 1,
      index: 0,
    })
    assert.ok(line.length < 200)
    assert.match(line, /x…: runs$/)
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
