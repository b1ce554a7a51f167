import assert from "node:assert/strict"
import { test } from "node:test"
import { openRequestLines } from "../../../src/cli/request-line.ts"
import type { Request } from "../../../src/index.ts"

const lines = (open: Request[], extent?: "short" | "whole") => openRequestLines(open, extent).join("\n")
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
    /call: a \{\}\n {4}call: b \{\}\n.*--answers FILE\.json$/,
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

test("data of the wrong shape breaks nothing", () => {
  for (const data of [
    { questions: [null, 5, { options: "x" }, { options: [null] }], call: 5 },
    { schema: [], calls: "x", agent: "me" },
    { schema: { enum: 5, minimum: {} }, call: { input: null } },
  ])
    for (const kind of ["question", "approval", "tool_call", "input"])
      openRequestLines([{ id: "r", kind, prompt: "?", data }], "whole")
})
