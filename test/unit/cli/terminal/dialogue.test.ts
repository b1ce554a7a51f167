import assert from "node:assert/strict"
import { test } from "node:test"
import type { Approvable } from "../../../../src/cli/terminal/approvable.ts"
import { describe } from "../../../../src/cli/terminal/describe.ts"
import type { Dialogue, PromptStep, Step } from "../../../../src/cli/terminal/dialogue.ts"
import { dialogueFor } from "../../../../src/cli/terminal/dialogue-for.ts"
import { parseDrafts } from "../../../../src/cli/terminal/drafts.ts"
import type { Key } from "../../../../src/cli/terminal/keys.ts"
import type { Prompt } from "../../../../src/cli/terminal/prompt.ts"
import type { Answer, Request } from "../../../../src/index.ts"
import { BASH, DEPLOY } from "./requests.ts"

/** What a person does at each prompt in turn: a number of a list (several: [1, 3]), a text to send, or Esc. */
type Act = number | number[] | string | { esc: string }

const press = (name: string): Key => ({ type: "press", name }) as Key

/** Goes through a dialogue without a terminal. */
async function answerTo(request: Request, acts: Act[], { draft, approvable }: Given = {}) {
  const dialogue = (await dialogueFor(request, approvable))(parseDrafts(draft))
  const labels: string[] = []
  let next = await onward(dialogue, undefined)
  for (const act of acts) {
    const { about, text, prompt } = promptStep(next)
    if (about) labels.push(...describe(about, "/srv").map((line) => line.text))
    labels.push(...text.map((line) => line.text))
    labels.push(...prompt.view({ columns: 80, rows: 24 }, "early").rows.map((row) => row.text))
    next = await onward(dialogue, valueAfter(prompt, act))
  }
  return { answer: next.done ? (next.value as Answer | "later") : undefined, labels }
}

interface Given {
  draft?: string
  approvable?: Approvable
}

/** What is found out meanwhile is waited for. */
async function onward(dialogue: Dialogue, value: unknown): Promise<Next> {
  const next = dialogue.next(value)
  return next.done || next.value.type === "prompt" ? next : onward(dialogue, await next.value.until)
}

type Next = IteratorResult<Step, Answer | "later">

function promptStep(next: Next): PromptStep {
  assert.ok(!next.done && next.value.type === "prompt", "nothing is asked")
  return next.value
}

function valueAfter(prompt: Prompt, act: Act): unknown {
  if (typeof act === "number") return given(prompt, [{ type: "text", text: String(act) }, press("enter")])
  if (Array.isArray(act)) {
    return given(prompt, [
      ...act.flatMap((at): Key[] => [
        { type: "text", text: String(at) },
        { type: "text", text: " " },
      ]),
      press("enter"),
    ])
  }
  return typeof act === "string"
    ? given(prompt.retyped(act), [press("enter")])
    : given(prompt.retyped(act.esc), [press("escape")])
}

function given(prompt: Prompt, keys: Key[]): unknown {
  let now = prompt
  for (const key of keys) {
    const reaction = now.press(key)
    if (reaction.type === "done") return reaction.value
    now = reaction.prompt
  }
  throw new Error(
    `the prompt is not done: ${now
      .view({ columns: 80, rows: 24 }, "count")
      .rows.map(({ text }) => text)
      .join("\n")}`,
  )
}

const EDITED = { command: "ls" }

const APPROVALS: [what: string, request: Request, acts: Act[], answer: Answer | "later"][] = [
  ["a gate's approval, once", BASH, [1], { id: "r-gate", ok: true, data: { digest: "d1" } }],
  ["the same for the rest of this run", BASH, [2], { id: "r-gate", ok: true, data: { grant: "run", digest: "d1" } }],
  [
    "edited arguments",
    BASH,
    [3, JSON.stringify(EDITED), 1],
    { id: "r-gate", ok: true, data: { input: EDITED, digest: "d1" } },
  ],
  [
    "arguments looked at and left",
    BASH,
    [3, JSON.stringify({ command: "rm -rf build\necho done", timeout: 5 }, undefined, 2), 1],
    { id: "r-gate", ok: true, data: { digest: "d1" } },
  ],
  ["a gate's decline", BASH, [4], { id: "r-gate", ok: false, reason: "declined" }],
  [
    "a decline with a note",
    BASH,
    [5, "use make"],
    { id: "r-gate", ok: false, reason: "declined", data: { note: "use make" } },
  ],
  ["later", BASH, [6], "later"],
  [
    "the edit field left by Esc, then approved once",
    BASH,
    [3, { esc: "{}" }, 1],
    { id: "r-gate", ok: true, data: { digest: "d1" } },
  ],
  ["a tool's own approval", DEPLOY, [1], { id: "r-tool", ok: true, data: { output: "approved", digest: "d2" } }],
  ["a tool's own, declined", DEPLOY, [2], { id: "r-tool", ok: false, reason: "declined" }],
  [
    "a tool's own, declined with a note",
    DEPLOY,
    [3, "not today"],
    { id: "r-tool", ok: false, reason: "declined", data: { note: "not today" } },
  ],
  ["a tool's own, later", DEPLOY, [4], "later"],
  [
    "a bare approval that no engine stamped",
    { id: "b", kind: "approval", prompt: "?" },
    [1],
    { id: "b", ok: true, data: { output: "approved" } },
  ],
]

for (const [what, request, acts, answer] of APPROVALS) {
  test(`approval: ${what}`, async () => assert.deepEqual((await answerTo(request, acts)).answer, answer))
}

test("a tool's own approval can be neither widened nor edited", async () => {
  const { labels } = await answerTo(DEPLOY, [1])
  assert.doesNotMatch(labels.join(), /rest of this run|Edit/)
})

for (const [text, reason] of [
  ["[1]", /JSON object/],
  ["{", /not JSON/],
  ['{"n": 12345678901234567890}', /too large/],
] as const) {
  test(`arguments edited to ${text} are not taken, and the reason is said`, async () => {
    const dialogue = (await dialogueFor(BASH))({})
    dialogue.next()
    const reaction = promptStep(dialogue.next(2)).prompt.retyped(text).press(press("enter"))
    assert.ok(reaction.type === "on")
    assert.match(
      reaction.prompt
        .view({ columns: 80, rows: 24 }, "count")
        .rows.map((row) => row.text)
        .join("\n"),
      reason,
    )
  })
}

test("large numbers inside strings, and fractions, may be edited", async () => {
  const input = { id: "12345678901234567890", f: 1.5e300 }
  assert.deepEqual((await answerTo(BASH, [3, JSON.stringify(input), 1])).answer, {
    id: "r-gate",
    ok: true,
    data: { input, digest: "d1" },
  })
})

const options = [{ label: "red" }, { label: "green", description: "like grass" }]
const ask = (...questions: object[]): Request => ({ id: "q", kind: "question", prompt: "Colours", data: { questions } })
const out = (output: string): Answer => ({ id: "q", ok: true, data: { output } })

const QUESTIONS: [what: string, request: Request, acts: Act[], answer: Answer][] = [
  ["one question gives the label", ask({ question: "Which?", options }), [2], out("green")],
  ["one question gives the typed text of Other", ask({ question: "Which?", options }), [3, "blue"], out("blue")],
  ["Esc in Other leads back to the list", ask({ question: "Which?", options }), [3, { esc: "bl" }, 1], out("red")],
  [
    "multiple gives a JSON list",
    ask({ question: "Which?", options, multiple: true }),
    [[2, 1]],
    out('["red","green"]'),
  ],
  [
    "multiple with Other adds the text",
    ask({ question: "Which?", options, multiple: true }),
    [[1, 3], "blue"],
    out('["red","blue"]'),
  ],
  ["a question without options gives the text", ask({ question: "Name?" }), ["Ada"], out("Ada")],
  [
    "several give a JSON list in order",
    ask({ question: "Which?", options }, { question: "Name?" }),
    [1, "Ada"],
    out('["red","Ada"]'),
  ],
  [
    "several, one of them multiple",
    ask({ question: "Name?" }, { question: "Which?", options, multiple: true }),
    ["Ada", [2]],
    out('["Ada",["green"]]'),
  ],
  ["malformed questions are asked as free text", { ...ask(), data: { questions: "no list" } }, ["Ada"], out("Ada")],
]

for (const [what, request, acts, answer] of QUESTIONS) {
  test(`question: ${what}`, async () => assert.deepEqual((await answerTo(request, acts)).answer, answer))
}

const calls = [
  { id: "c1", name: "weather", input: { city: "Ulm" }, arguments: '{"city":"Ulm"}' },
  { id: "c2", name: "time", input: {}, arguments: "{}" },
]
const relay = (...of: object[]): Request => ({ id: "t", kind: "tool_call", prompt: "weather", data: { calls: of } })
const doubt: Request = {
  id: "d",
  kind: "in_doubt",
  prompt: "?",
  data: { call: { id: "c", name: "pay", input: { sum: 5 }, by: "engine" }, digest: "d3" },
}
const signIn: Request = { id: "a", kind: "authorization", prompt: "Sign in", url: "https://example.test" }
const input = (schema: object): Request => ({ id: "q", kind: "input", prompt: "?", data: { schema } })

const OTHERS: [what: string, request: Request, acts: Act[], answer: Answer | "later"][] = [
  ["one relayed call: its output", relay(calls[0] ?? {}), ["sunny"], { id: "t", ok: true, data: { output: "sunny" } }],
  [
    "several relayed calls: results by call id",
    relay(...calls),
    ["sunny", "noon"],
    {
      id: "t",
      ok: true,
      data: {
        results: [
          { id: "c1", output: "sunny" },
          { id: "c2", output: "noon" },
        ],
      },
    },
  ],
  ["in doubt: run it again", doubt, [1], { id: "d", ok: true, data: { digest: "d3" } }],
  ["in doubt: outcome unknown", doubt, [2], { id: "d", ok: false, reason: "declined" }],
  ["in doubt: later", doubt, [3], "later"],
  ["authorization: done", signIn, [1], { id: "a", ok: true }],
  ["authorization: declined", signIn, [2], { id: "a", ok: false, reason: "declined" }],
  ["authorization: later", signIn, [3], "later"],
  ["a boolean is chosen", input({ type: "boolean" }), [2], out("false")],
  [
    "one of several strings is chosen and given as a string",
    input({ type: "string", enum: ["a", "b"] }),
    [2],
    out("b"),
  ],
  ["a list is given as JSON text", input({ type: "array" }), ["[1,2]"], out("[1,2]")],
  ["a kind that nobody knows: free text", { id: "q", kind: "riddle", prompt: "?" }, ["42"], out("42")],
  ["a secret", { id: "q", kind: "secret", prompt: "?" }, ["s3cret"], out("s3cret")],
]

for (const [what, request, acts, answer] of OTHERS) {
  test(what, async () => assert.deepEqual((await answerTo(request, acts)).answer, answer))
}

test("a draft stands in the field that it was typed in", async () => {
  const typed = { fields: { "1": "no" } }
  const dialogue = (await dialogueFor(relay(...calls)))(parseDrafts(JSON.stringify(typed)))
  assert.equal(promptStep(dialogue.next()).prompt.typed, "")
  assert.equal(promptStep(dialogue.next({ how: "sent", text: "sunny" })).prompt.typed, "no")
})

/** A call for which `bash(ls)` and `bash(ls *)` could be saved, and whose command may be edited to anything but `rm`. */
function approvable(more: Partial<Approvable> = {}): Approvable & { saved: string[] } {
  const saved: string[] = []
  return {
    saved,
    rule: "bash(ls)",
    tryRule: async (rule) =>
      /^bash\(ls( \*)?\)$/.test(rule)
        ? { saves: true, lets: `what ${rule} lets through`, file: "~/config.json" }
        : { saves: false, why: `${rule} does not fit` },
    async saveRule(rule) {
      saved.push(rule)
      return undefined
    },
    edited: async (input) =>
      input.command === "rm"
        ? { fits: false, why: "refused by deny bash(rm*) (user)" }
        : { fits: true, shown: "here", call: approvable({ rule: undefined }) },
    ...more,
  }
}

const ONCE = { id: "r-gate", ok: true, data: { digest: "d1" } }

test("always is not offered where there is no rule to save, nor without a gate to try it on", async () => {
  const without = await answerTo(BASH, [1], { approvable: approvable({ rule: undefined }) })
  assert.doesNotMatch([...without.labels, ...(await answerTo(BASH, [1])).labels].join(), /Always/)
})

test("always saves the rule that was shown with what it lets through, and approves the call", async () => {
  const its = approvable()
  const { answer, labels } = await answerTo(BASH, [3, "bash(ls)"], { approvable: its })
  assert.match(labels.join("\n"), /what bash\(ls\) lets through\n {2}saved in: ~\/config.json\n/)
  assert.deepEqual([answer, its.saved], [ONCE, ["bash(ls)"]])
})

test("a rule that was typed is tried and shown before an Enter saves it", async () => {
  const its = approvable()
  const { answer, labels } = await answerTo(BASH, [3, "bash(ls *)"], { approvable: its })
  assert.deepEqual([answer, its.saved], [undefined, []])
  const after = await answerTo(BASH, [3, "bash(ls *)", "bash(ls *)"], { approvable: its })
  assert.match(after.labels.join("\n").slice(labels.join("\n").length), /what bash\(ls \*\) lets through/)
  assert.deepEqual([after.answer, its.saved], [ONCE, ["bash(ls *)"]])
})

test("a rule that would not do is not saved, the reason is said and the field stays", async () => {
  const its = approvable()
  const { answer, labels } = await answerTo(BASH, [3, "bash(rm)", "bash(rm)", "bash(ls)", "bash(ls)"], {
    approvable: its,
  })
  assert.match(labels.join("\n"), /> bash\(rm\)\n! Not saved: bash\(rm\) does not fit\./)
  assert.deepEqual([answer, its.saved], [ONCE, ["bash(ls)"]])
})

test("Esc leads from the rule back to the choices, and what was typed is there the next time", async () => {
  const its = approvable()
  const { labels } = await answerTo(BASH, [3, { esc: "bash(ls *)" }, 3, "bash(ls *)"], { approvable: its })
  assert.match(labels.join("\n"), /> bash\(ls \*\)/)
  assert.deepEqual(its.saved, ["bash(ls *)"])
})

test("where a rule could not be saved the reason is said and the person chooses again", async () => {
  const its = approvable({ saveRule: async () => "~/config.json cannot be changed: the disk is full" })
  const { answer, labels } = await answerTo(BASH, [3, "bash(ls)", 5], { approvable: its })
  assert.match(
    labels.join("\n"),
    /The rule was not saved:\n~\/config.json cannot be changed: the disk is full\n\? Run bash\?/,
  )
  assert.equal(answer !== "later" && answer?.reason, "declined")
})

test("an edited call is shown again, whole, before it is approved", async () => {
  const { answer, labels } = await answerTo(BASH, [4, JSON.stringify(EDITED), 1], { approvable: approvable() })
  assert.match(labels.join("\n"), /command:\nls\n[\s\S]*as you edited them\)\n\? Run bash\?/)
  assert.deepEqual(answer, { id: "r-gate", ok: true, data: { input: EDITED, digest: "d1" } })
})

test("an edited call is approved for the rest of the run, declined or left like any other", async () => {
  const edit = [4, JSON.stringify(EDITED)]
  const its = { approvable: approvable() }
  const run = { input: EDITED, grant: "run", digest: "d1" }
  assert.deepEqual((await answerTo(BASH, [...edit, 2], its)).answer, { id: "r-gate", ok: true, data: run })
  assert.deepEqual((await answerTo(BASH, [...edit, 4], its)).answer, { id: "r-gate", ok: false, reason: "declined" })
  assert.equal((await answerTo(BASH, [...edit, 6], its)).answer, "later")
})

test("arguments that could not run are not taken: the reason is said, and the field stays", async () => {
  const acts = [4, '{"command":"rm"}', JSON.stringify(EDITED), 1]
  const { answer, labels } = await answerTo(BASH, acts, { approvable: approvable() })
  assert.match(labels.join("\n"), /! refused by deny bash\(rm\*\) \(user\)/)
  assert.deepEqual(answer, { id: "r-gate", ok: true, data: { input: EDITED, digest: "d1" } })
})

test("where the changes of an edited call are found out anew it is the gate that shows it again", async () => {
  const its = approvable({ edited: async () => ({ fits: true, shown: "by the gate" }) })
  const { answer } = await answerTo(BASH, [4, JSON.stringify(EDITED)], { approvable: its })
  assert.deepEqual(answer, { id: "r-gate", ok: true, data: { input: EDITED, digest: "d1" } })
})

test("arguments edited back to what they were are not said to be edited", async () => {
  const original = JSON.stringify({ command: "rm -rf build\necho done", timeout: 5 })
  const { answer, labels } = await answerTo(BASH, [4, JSON.stringify(EDITED), 3, original, 1], {
    approvable: approvable(),
  })
  assert.match(labels.join("\n"), /nothing was edited\)/)
  assert.deepEqual(answer, ONCE)
})

const form = (properties: object, required: string[] = []): Request => ({
  id: "r-form",
  kind: "input",
  prompt: "Please fill in",
  data: { schema: { type: "object", properties, required } },
})
const output = (answer: Answer | "later" | undefined) => (answer === "later" ? answer : answer?.data?.output)

test("a form of one field is that field, and its answer the JSON of an object", async () => {
  const { answer, labels } = await answerTo(form({ n: { type: "integer", minimum: 1, title: "How many" } }, ["n"]), [
    "7",
  ])
  assert.deepEqual(answer, { id: "r-form", ok: true, data: { output: '{"n":7}' } })
  assert.ok(labels.includes("  How many [n]: a whole number, at least 1"))
  await assert.rejects(answerTo(form({ n: { type: "integer" } }, ["n"]), ["seven"]), /It must be a whole number\./)
  await assert.rejects(answerTo(form({ n: { type: "string" } }, ["n"]), [""]), /Nothing is typed yet\./)
})

const BOOKING = form(
  {
    name: { type: "string", description: "As in the passport" },
    seat: {
      type: "string",
      oneOf: [
        { const: "w", title: "Window" },
        { const: "a", title: "Aisle" },
      ],
    },
    meal: { type: "boolean" },
    bags: { type: "array", items: { type: "string", enum: ["small", "large"] } },
    note: { type: "string", default: "none" },
  },
  ["name", "seat"],
)

test("a form of several fields is asked field by field and looked over; what is optional may be left out", async () => {
  const all = await answerTo(BOOKING, ["Ada", 1, 2, [1, 2], "a note", 1])
  assert.equal(output(all.answer), '{"name":"Ada","seat":"w","meal":false,"bags":["small","large"],"note":"a note"}')
  assert.ok(all.labels.includes("? seat (2 of 5)"))
  assert.ok(all.labels.includes("As in the passport") && all.labels.includes("  1. Window (w)"))
  const few = await answerTo(BOOKING, ["Ada", 2, 3, [3], "", 1])
  assert.equal(output(few.answer), '{"name":"Ada","seat":"a"}')
  assert.deepEqual(few.labels.slice(few.labels.indexOf("  your answers:") + 1).slice(0, 5), [
    "name: Ada",
    "seat: a",
    "meal: (left out)",
    "bags: (left out)",
    "note: (left out)",
  ])
})

test("a form that was filled in may be filled in again, declined, or left for later", async () => {
  const two = form({ a: { type: "string" }, b: { type: "string" } }, ["a", "b"])
  assert.equal(output((await answerTo(two, ["1", "2", 2, "3", "4", 1])).answer), '{"a":"3","b":"4"}')
  assert.deepEqual((await answerTo(two, ["1", "2", 3])).answer, { id: "r-form", ok: false, reason: "declined" })
  assert.equal((await answerTo(two, ["1", "2", 4])).answer, "later")
})

test("a form offers what is standard as typed, and keeps what was typed before", async () => {
  const one = form({ s: { type: "string", default: "as ever" } })
  const { prompt } = promptStep(await onward((await dialogueFor(one))(parseDrafts(undefined)), undefined))
  assert.equal(prompt.typed, "as ever")
  const drafted = promptStep(await onward((await dialogueFor(one))(parseDrafts("half an ans")), undefined))
  assert.equal(drafted.prompt.typed, "half an ans")
})

test("a field of a form that is named like a member of every object is a field", async () => {
  const { answer } = await answerTo(form({ __proto__x: { type: "string" } }), ["v"])
  assert.equal(output(answer), '{"__proto__x":"v"}')
  const proto = form(JSON.parse('{"__proto__":{"type":"string"}}'), ["__proto__"])
  assert.equal(output((await answerTo(proto, ["v"])).answer), '{"__proto__":"v"}')
})

test("a schema that is no plain form is asked for as JSON, and shown whole", async () => {
  const nested = form({ a: { type: "object", properties: {} } }, ["a"])
  assert.equal(output((await answerTo(nested, ['{"a":{}}'])).answer), '{"a":{}}')
  assert.ok(describe(nested, "/srv").some(({ text }) => text.includes('"properties"')))
  assert.ok(!describe(BOOKING, "/srv").some(({ text }) => text.includes('"properties"')))
})
