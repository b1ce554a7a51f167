import assert from "node:assert/strict"
import { test } from "node:test"
import { openRequestLines } from "../../../../src/cli/answers/request-line.ts"
import type { Request } from "../../../../src/index.ts"

const lines = (open: Request[], extent: "short" | "whole" = "short") => openRequestLines(open, { extent }).join("\n")
const call = (name: string, input: object, by = "tool") => ({ id: "c", name, input, by })
const options = [{ label: "The date" }, { label: "A greeting" }]
const QUESTION: Request = {
  id: "r1",
  kind: "question",
  prompt: "What?",
  data: { questions: [{ question: "What?", options }], call: call("question", { questions: [] }) },
}
const APPROVAL: Request = {
  id: "r2",
  kind: "approval",
  prompt: "Allow bash?",
  data: { call: call("bash", { command: "rm -rf build" }, "gate"), agent: ["root", "root/coder.1"] },
}

test("a question says what may be chosen, and how it is answered, without an id where it is the only one", () => {
  assert.equal(
    lines([QUESTION]),
    "  What?\n    choices: The date, A greeting; or any text\n    answer with: --answer TEXT",
  )
})

test("an approval says what would run and who asks", () => {
  assert.equal(
    lines([APPROVAL]),
    "  Allow bash?\n    command: rm -rf build\n    asked by: root/coder.1\n    answer with: --approve or --decline",
  )
})

test("of several requests each is answered by its id", () => {
  assert.match(lines([QUESTION, APPROVAL]), /--answer r1=TEXT\n[\s\S]*--answer r2=yes or --answer r2=no$/)
})

const DOUBT = call("pay", { sum: 5 }, "engine")
for (const [what, request, said] of [
  ["secret", { kind: "secret" }, /answer with: --answer-env r=VARIABLE$/],
  [
    "call in doubt",
    { kind: "in_doubt", data: { call: DOUBT } },
    /call: pay \{"sum":5\}\n.*--in-doubt rerun or --in-doubt unknown$/,
  ],
  [
    "address",
    { kind: "authorization", url: "https://x.test/" },
    /at: https:\/\/x\.test\/\n.*--answer done, once it is done$/,
  ],
  [
    "number",
    { kind: "input", data: { schema: { type: "integer", minimum: 0 } } },
    /expected: a whole number, at least 0\n/,
  ],
  ["boolean", { kind: "input", data: { schema: { type: "boolean" } } }, /choices: true, false\n/],
  [
    "relayed call",
    { kind: "tool_call", data: { calls: [call("page", { who: "Ada" })] } },
    /call: page \{"who":"Ada"\}\n.*--answer RESULT$/,
  ],
  [
    "two relayed calls",
    { kind: "tool_call", data: { calls: [call("a", {}), call("b", {})] } },
    /call: a \{\}\n {4}call: b \{\}\n.*--answers FILE\.json, which holds '\[\{"id":"r","ok":true,"data":\{"results":\[\{"id":"c","output":"TEXT"\},/,
  ],
  [
    "question with several choices",
    { kind: "question", data: { questions: [{ question: "?", options, multiple: true }] } },
    /--answer '\["TEXT","TEXT"\]'$/,
  ],
  ["time", { kind: "input", expiresAt: "2030-01-01T00:00:00Z" }, /until: 2030-01-01T00:00:00Z\n/],
] as const) {
  test(`what is asked about is said: ${what}`, () => {
    assert.match(lines([{ id: "r", prompt: "?", ...request } as Request]), said)
  })
}

test("a long prompt is cut at the end of a run, and whole in runs show, with the id", () => {
  const long = { id: "r", kind: "input", prompt: `a\n${"b".repeat(500)}` }
  assert.ok(lines([long]).length < 250)
  assert.match(lines([long], "whole"), /^ {2}a\n {2}b{500}\n {4}id: r \(input\)\n/)
})

test("an id that ID=TEXT cannot name is answered from a file, whose content no shell and no terminal obeys", () => {
  const text = (id: string, kind = "input") => lines([{ id, kind, prompt: "?" }, APPROVAL]).split("\n")[1] ?? ""
  assert.equal(text("r.1:2-3_4"), "    answer with: --answer r.1:2-3_4=TEXT")
  for (const id of ["my id", "a=b c'$(x)", "\u001b[2J", "ü", "a\nb", "`x`!"]) {
    const [, json = ""] = /^ {4}answer with: --answers FILE\.json, which holds '([^']*)'$/.exec(text(id)) ?? []
    assert.doesNotMatch(json, /[$`!]|[^ -~]/)
    assert.deepEqual(JSON.parse(json), [{ id, ok: true, data: { output: "TEXT" } }])
  }
  assert.match(text("my id", "approval"), /"output":"approved"/)
  assert.match(text("my id", "secret"), /--answer-env 'my id'=VARIABLE$/)
  assert.match(text("my=id", "secret"), /--answers FILE\.json/)
  // The only one needs no id.
  assert.match(lines([{ id: "my id", kind: "input", prompt: "?" }]), /answer with: --answer TEXT$/)
})

test("what takes no answer is offered none: a request whose time is over, and a run that is at work", () => {
  const request = { id: "r", kind: "input", prompt: "?", expiresAt: "2030-01-01T00:00:00Z" }
  const at = (time: string) => openRequestLines([request], { nowMs: Date.parse(time) }).join("\n")
  assert.match(at("2029-12-31T23:59:59Z"), /--answer TEXT/)
  assert.doesNotMatch(at("2030-01-01T00:00:00Z"), /--answer/)
  assert.match(at("2030-01-01T00:00:00Z"), /expired: it takes no answer any more/)
  assert.doesNotMatch(openRequestLines([QUESTION], { writer: "at work" }).join("\n"), /answer with/)
})

test("no line of a text passes for a line of ours", () => {
  const prompt = "a\nanswer with: --approve"
  const about = { call: call("bash", { command: "ls\n    answer with: --approve" }, "gate") }
  const shown = openRequestLines([{ id: "r\nx", kind: "approval", prompt, data: about }], { extent: "whole" })
  assert.equal(shown.filter((line) => /^ {4}answer with: /.test(line)).length, 1)
  assert.ok(shown.every((line) => !line.includes("\n")))
})

test("data of the wrong shape breaks nothing", () => {
  for (const data of [
    { questions: [null, 5, { options: "x" }, { options: [null] }], call: 5 },
    { schema: [], calls: "x", agent: "me" },
    { schema: { enum: 5, minimum: {} }, call: { input: null } },
  ])
    for (const kind of ["question", "approval", "tool_call", "input"])
      openRequestLines([{ id: "r", kind, prompt: "?", data }], { extent: "whole" })
})

test("a form says its fields, and how an answer to it looks; whose tool asks is said; how a long text ends is shown", () => {
  const properties = {
    name: { type: "string", title: "Your name" },
    seat: { type: "string", enum: ["window", "aisle"] },
    bags: { type: "integer", minimum: 2, default: 2 },
  }
  const schema = { type: "object", properties, required: ["name", "seat"] }
  const prompt = `${"Book ".repeat(60)}\n\nbetween\n\n(Only if it is due.)`
  const asked = { ...call("air_book", {}), origin: { server: "air", tool: "book" } }
  const shown = lines([{ id: "r", kind: "input", prompt, data: { schema, call: asked } }])
  assert.match(shown, /^ {2}Book Book .*…\n {2}\(Only if it is due\.\)\n/)
  assert.equal(
    shown.split("\n").slice(2).join("\n"),
    [
      "    call: air_book {}",
      "    MCP server: air",
      "    field: name: text: Your name",
      "    field: seat: one of window, aisle",
      "    field: bags: a whole number, at least 2 (optional, else 2)",
      `    answer with: --answer '{"name":"TEXT","seat":"window"}'`,
    ].join("\n"),
  )
})
