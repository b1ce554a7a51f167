import assert from "node:assert/strict"
import { test } from "node:test"
import { answerOutput } from "../../../../src/suspension/answer.ts"
import type { Question } from "../../../../src/suspension/request.ts"
import { pendingOf } from "../../../../src/tool/result.ts"
import { createToolkit } from "../../../../src/tools/create-toolkit.ts"

const ONE: Question[] = [{ question: "Where?", options: [{ label: "here", description: "near" }, { label: "there" }] }]
const TWO: Question[] = [{ question: "Where?" }, { question: "When?", multiple: true }]

async function run(questions: unknown, output?: string) {
  const toolkit = await createToolkit({ builtins: ["question"] })
  const ctx = output === undefined ? {} : { answer: answerOutput("r", output) }
  return toolkit.execute("question", { questions }, ctx)
}

test("it suspends with what is asked, and nothing else that a model put there", async () => {
  const request = pendingOf(await run([{ ...ONE[0], evil: 1 }]))
  assert.deepEqual([request?.kind, request?.prompt, request?.data], ["question", "Where?", { questions: ONE }])
})

test("the prompt of several questions lists them", async () => {
  assert.equal(pendingOf(await run(TWO))?.prompt, "1. Where?\n2. When?")
})

test("no options are no choice", async () => {
  const request = pendingOf(await run([{ question: "Where?", options: [], multiple: false }]))
  assert.deepEqual(request?.data, { questions: [{ question: "Where?" }] })
})

test("the answer to one question is the text", async () => {
  assert.deepEqual(await run(ONE, '["here"]'), { output: '["here"]', isError: false })
  assert.deepEqual(await run(ONE, ""), { output: "", isError: false })
})

test("several choices and several answers become readable text", async () => {
  assert.equal((await run([{ question: "Which?", multiple: true }], '["a","b"]')).output, "- a\n- b")
  assert.equal((await run([{ question: "Which?", multiple: true }], "[]")).output, "(none chosen)")
  assert.equal((await run(TWO, '["here",["now","later"]]')).output, "Where?\nhere\n\nWhen?\n- now\n- later")
})

test("an answer in another shape is passed on as it is", async () => {
  assert.equal((await run([{ question: "Which?", multiple: true }], "both")).output, "both")
  assert.equal((await run(TWO, '["only one"]')).output, '["only one"]')
})

test("a call without a question is told what is missing", async () => {
  assert.match((await run([])).output, /questions must NOT have fewer than 1 items/)
  assert.match((await run([{ options: [] }])).output, /questions\[0\]\.question is missing/)
})

test("more questions or options than anybody answers are refused, odd ones are asked as they are", async () => {
  const many = Array.from({ length: 21 }, () => ({ question: "?" }))
  assert.match((await run(many)).output, /questions must NOT have more than 20 items/)
  const options = Array.from({ length: 51 }, (_, at) => ({ label: `${at}` }))
  assert.match((await run([{ question: "?", options }])).output, /must NOT have more than 50 items/)
  assert.match((await run([{ question: "?", options: [{ label: "" }] }])).output, /label must NOT have fewer than 1/)
  assert.match((await run([{ question: "?", options: "a" }])).output, /options must be array/)
  assert.match((await run({ question: "?" })).output, /questions must be array/)
  const odd: Question[] = [
    { question: "\u001b[2J\u202e?", options: [{ label: "__proto__" }, { label: "same" }, { label: "same" }] },
  ]
  assert.deepEqual(pendingOf(await run(odd))?.data, { questions: odd })
})
