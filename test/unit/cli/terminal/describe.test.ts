import assert from "node:assert/strict"
import { test } from "node:test"
import { describe, optionLines, questionLines } from "../../../../src/cli/terminal/describe.ts"
import type { Request } from "../../../../src/index.ts"
import { BASH, DEPLOY, SECRET } from "./requests.ts"

const shown = (request: Request) =>
  describe(request, "/srv/place")
    .map(({ margin, text }) => margin + text)
    .join("\n")

test("a command is shown whole, with what else the call has, where it runs and who asks", () => {
  assert.equal(
    shown(BASH),
    `
May bash run?
  | Run a command?
  command:
  | rm -rf build
  | echo done
  other arguments:
  | timeout: 5
  folder: /srv/place
  asked by: root/coder.1`,
  )
})

test("a tool's arguments are shown as they will run, with what the tool adds", () => {
  const diff = "-a\n+b"
  const text = shown({ ...DEPLOY, data: { ...DEPLOY.data, diff, cost: 5 }, expiresAt: "2026-01-01T00:00:00Z" })
  assert.match(
    text,
    /^deploy asks for approval\n {2}\| Deploy to production\?\n {2}arguments:\n {2}\| target: "prod"\n/m,
  )
  assert.match(text, /^ {2}also:\n {2}\| diff:\n {2}\| {3}-a\n {2}\| {3}\+b\n {2}\| cost: 5\n/m)
  assert.match(text, /^ {2}until: 2026-01-01T00:00:00Z$/m)
})

test('arguments of several lines are shown as lines, others as JSON, so that 42 and "42" differ', () => {
  const input = { text: "a\n  b", number: 42, string: "42", list: ["x"], none: null }
  const text = shown({ ...DEPLOY, data: { call: { id: "c", name: "write", input, by: "gate" } } })
  assert.match(
    text,
    /\| text:\n {2}\| {3}a\n {2}\| {5}b\n {2}\| number: 42\n {2}\| string: "42"\n {2}\| list: \["x"\]\n {2}\| none: null\n/,
  )
})

test("a call in doubt is shown with the answers and notes that it had", () => {
  const call = {
    id: "c",
    name: "pay",
    input: { sum: 5 },
    by: "engine",
    answers: [{ id: "r1", ok: true, data: { output: "yes" } }],
    notes: ["only once"],
  }
  const text = shown({ id: "d", kind: "in_doubt", prompt: "pay was started", data: { call } })
  assert.match(text, /In doubt: pay was started/)
  assert.match(
    text,
    / {2}arguments:\n {2}\| sum: 5\n {2}answered before:\n[\s\S]*"output":"yes"[\s\S]*noted before:\n {2}\| only once/,
  )
})

test("each relayed call is shown with its arguments", () => {
  const calls = [
    { id: "1", name: "weather", input: { city: "Ulm" }, arguments: "{}" },
    { id: "2", name: "time", input: {}, arguments: "{}" },
  ]
  const text = shown({ id: "t", kind: "tool_call", prompt: "two calls", data: { calls } })
  assert.match(text, / {2}tool: weather\n {2}arguments:\n {2}\| city: "Ulm"\n {2}tool: time\n {2}arguments: none/)
})

test("an address is shown whole", () => {
  const request = { id: "a", kind: "authorization", prompt: "Sign in", url: "https://x.test/?a=b" }
  assert.match(shown(request), / {2}at:\n {2}\| https:\/\/x\.test\/\?a=b/)
})

test("a question of a request is shown if the prompt does not say it, and options in full with their descriptions", () => {
  const options = [
    { label: "red", description: "like\nblood" },
    { label: "blue", description: undefined },
  ]
  const text = (lines: ReturnType<typeof optionLines>) => lines.map(({ margin, text }) => margin + text).join("\n")
  const request = (prompt: string) => ({
    id: "q",
    kind: "question",
    prompt,
    data: { questions: [{ question: "Which?", options }] },
  })
  assert.equal(text(questionLines(request("Which?"), 0)), "")
  assert.equal(text(questionLines(request("Colours"), 0)), "  question:\n  | Which?")
  assert.equal(text(optionLines(options)), "    1. red\n       | like\n       | blood\n    2. blue")
})

test("the folder is shown where something acts in it, and not with a question that wants words", () => {
  for (const kind of ["approval", "in_doubt", "tool_call", "riddle"])
    assert.match(shown({ id: "x", kind, prompt: "?" }), /folder: \/srv\/place/)
  for (const kind of ["input", "question", "secret", "authorization"])
    assert.doesNotMatch(shown({ id: "x", kind, prompt: "?" }), /folder/)
})

test("the tool that asks is named once, in the title", () => {
  assert.equal(shown(DEPLOY).match(/deploy/g)?.length, 1)
  const call = { id: "c", name: "deploy", input: {}, by: "gate" }
  const gate = shown({ id: "a", kind: "approval", prompt: "Allow deploy?", data: { call } })
  assert.equal(gate, "\nMay deploy run?\n  arguments: none\n  folder: /srv/place")
})

test("an MCP tool's call says whose it is", () => {
  const call = { id: "c", name: "search", input: {}, by: "gate", origin: { server: "web\x1b", tool: "search" } }
  assert.match(shown({ id: "a", kind: "approval", prompt: "?", data: { call } }), /^ {2}MCP server: web<U\+001B>$/m)
})

test("a secret says how it is kept", () => assert.match(shown(SECRET), /shown as stars, kept in this process only/))

test("data of the wrong shape is shown and breaks nothing", () => {
  const text = shown({
    id: "x",
    kind: "approval",
    prompt: "",
    data: { call: "rm", calls: 5, questions: {}, agent: 7, digest: [], call2: [1] },
  })
  assert.match(text, /call2: \[1\]\n/)
})

test("no argument's name or text passes for a line of ours", () => {
  const input = { folder: "/safe", note: "x\n  folder: /safe\nfolder: /safe" }
  const text = shown({ ...DEPLOY, data: { folder: "/safe", call: { id: "c", name: "write", input, by: "gate" } } })
  assert.deepEqual(
    text.split("\n").filter((line) => /^ {0,3}folder/.test(line)),
    ["  folder: /srv/place"],
  )
})

test("what a tool's question was made from is not shown twice, but a gate's call always whole", () => {
  const questions = [{ question: "Which?", options: [{ label: "red" }] }]
  const call = { id: "c", name: "question", input: { questions, more: 1 }, by: "tool" }
  const own = shown({ id: "q", kind: "question", prompt: "Which?", data: { questions, call } })
  assert.equal(own, "\nA question\n  | Which?\n  arguments:\n  | more: 1")
  assert.doesNotMatch(own, /red/)
  const gate = shown({
    id: "q",
    kind: "question",
    prompt: "Which?",
    data: { questions, call: { ...call, by: "gate" } },
  })
  assert.match(gate, /"label":"red"/)
})

test("an edit is shown as its diff, once, and nothing of the text can pass for our lines", () => {
  const diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\u001b[2J\n"
  const input = { path: "a.txt", oldText: "one", newText: "two\u001b[2J" }
  const request = {
    id: "r",
    kind: "approval",
    prompt: "Allow edit?",
    data: {
      rule: "ask edit (default)",
      diff,
      basis: "0".repeat(64),
      call: { id: "c", name: "edit", input, by: "gate" },
    },
  }
  const lines = describe(request, "/srv")
  const text = lines.map((line) => line.margin + line.text).join("\n")
  assert.match(text, /changes:\n {2}\| --- a\/a\.txt/)
  assert.match(text, / {2}\| \+two<U\+001B>\[2J/)
  assert.doesNotMatch(text, /oldText|newText|basis|0000/)
  assert.deepEqual(
    lines.filter(({ look }) => look === "added").map((line) => line.text),
    ["+++ b/a.txt", "+two<U+001B>[2J"],
  )
  const impossible = { ...request, data: { ...request.data, diff: undefined, problem: "oldText was not found" } }
  const told = describe(impossible, "/srv")
    .map((line) => line.margin + line.text)
    .join("\n")
  assert.match(told, /it cannot be done now:\n {2}\| oldText was not found/)
  assert.match(told, /oldText: "one"/)
})
