import assert from "node:assert/strict"
import { test } from "node:test"
import type { Request } from "../../../../src/index.ts"
import { fakeTerminal } from "../../../support/fake-terminal.ts"
import { KEYS } from "../../../support/pty.ts"
import { BASH } from "./requests.ts"

const options = [
  { label: "The date", description: "runs: date" },
  { label: "A greeting", description: "runs: echo" },
]
const LOOK_UP: Request = {
  id: "q",
  kind: "question",
  prompt: "What is looked up?",
  data: {
    questions: [{ question: "What is looked up?", options }],
    call: {
      id: "c",
      name: "question",
      input: { questions: [{ question: "What is looked up?", options }] },
      by: "tool",
    },
  },
}

test("a question shows each option once, with what it means beside it, and nothing that is not about it", async () => {
  const t = fakeTerminal()
  t.ask(LOOK_UP)
  t.settle()
  assert.equal(
    await t.screen(),
    `
A question
  | What is looked up?
? Your answer
  1. The date     runs: date
  2. A greeting   runs: echo
  3. Other: type an answer
1-3 or Up/Down choose; Enter confirms; Ctrl-C declines; Ctrl-D later`,
  )
})

test("where a description has no room in the list, all of them are shown whole above it", async () => {
  const t = fakeTerminal({ columns: 28 })
  t.ask(LOOK_UP)
  t.settle()
  assert.match(
    await t.screen(),
    /1\. The date\n {7}\| runs: date\n {4}2\. A greeting\n {7}\| runs: echo\n\? Your answer\n {2}1\. The date\n/,
  )
})

test("a description of several lines is shown above the list, as lines", async () => {
  const t = fakeTerminal()
  const asked = [{ question: "Which?", options: [{ label: "red", description: "like\nblood" }] }]
  t.ask({ id: "q", kind: "question", prompt: "Which?", data: { questions: asked } })
  assert.match(await t.screen(), /1\. red\n {7}\| like\n {7}\| blood\n\? Your answer\n {2}1\. red\n/)
})

test("a window made too narrow for the descriptions shows them above the list, once, and keys go on counting", async () => {
  const t = fakeTerminal()
  const asked = t.ask(LOOK_UP)
  t.settle()
  t.type("2")
  for (const columns of [28, 24, 80]) {
    t.resize(columns, 24)
    t.signal("SIGWINCH")
  }
  const all = await t.scrollback()
  assert.equal(all.match(/\| runs: echo/g)?.length, 1)
  t.type(KEYS.enter)
  assert.deepEqual(await asked.answer, { id: "q", ok: true, data: { output: "A greeting" } })
})

test("Enter with nothing chosen says that one has to be chosen, and does nothing else", async () => {
  const t = fakeTerminal()
  const asked = t.ask(BASH)
  t.settle()
  assert.doesNotMatch(await t.screen(), /choose one first/)
  t.type(KEYS.enter)
  t.type(KEYS.enter)
  assert.match(await t.screen(), /6\. Later\nchoose one first\n1-6 or Up\/Down choose; Enter confirms/)
  assert.equal(await asked.now(), "waiting")
  t.type("4")
  assert.doesNotMatch(await t.screen(), /choose one first/)
  t.type(KEYS.enter)
  assert.deepEqual(await asked.answer, { id: "r-gate", ok: false, reason: "declined" })
})

test("Enter before any option is marked says how one is marked", async () => {
  const t = fakeTerminal()
  t.ask({ id: "q", kind: "question", prompt: "?", data: { questions: [{ question: "?", options, multiple: true }] } })
  t.settle()
  t.type(KEYS.enter)
  assert.match(await t.screen(), /mark one first, with Space\n1-3 or Up\/Down move; Space marks/)
})

test("Left Left C-a X in one read put X where the cursor was led", async () => {
  const t = fakeTerminal()
  const asked = t.ask({ id: "i", kind: "input", prompt: "?" })
  t.settle()
  t.type("bc")
  t.type(`${KEYS.left}${KEYS.left}\x01X`)
  t.type(KEYS.enter)
  assert.deepEqual(await asked.answer, { id: "i", ok: true, data: { output: "Xbc" } })
})

test("Down and Enter in one read choose, and confirm nothing", async () => {
  const t = fakeTerminal()
  const asked = t.ask(BASH)
  t.settle()
  t.type(`${KEYS.down}${KEYS.enter}`)
  assert.match(await t.screen(), /^> 1\. Approve once$/m)
  assert.equal(await asked.now(), "waiting")
})
