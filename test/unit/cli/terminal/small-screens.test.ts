import assert from "node:assert/strict"
import { test } from "node:test"
import type { Request } from "../../../../src/index.ts"
import { fakeTerminal } from "../../../support/fake-terminal.ts"
import { KEYS } from "../../../support/pty.ts"
import { BASH } from "./requests.ts"

const LABELS = [
  "Approve once",
  "Approve, and the same call for the rest of this run",
  "Edit the arguments (they are shown again)",
  "Decline",
  "Decline with a note",
  "Later",
]
const words = (text: string) => text.replace(/\s+/g, " ")

test("at 20 columns an approval is whole: each option and each key, over several rows", async () => {
  const t = fakeTerminal({ columns: 20, rows: 24 })
  const asked = t.ask(BASH)
  t.settle()
  assert.match(
    words(await t.screen()),
    /Space or Enter shows more Ctrl-C declines; Ctrl-D later|Ctrl-C declines Ctrl-D later/,
  )
  t.type(" ")
  t.settle()
  const screen = await t.screen()
  assert.doesNotMatch(screen, /…/)
  const all = words(screen)
  for (const [at, label] of LABELS.entries()) assert.ok(all.includes(`${at + 1}. ${label}`), screen)
  for (const key of ["1-6 or Up/Down choose", "Enter confirms", "Ctrl-C declines", "Ctrl-D later"])
    assert.ok(all.includes(key), screen)
  t.type("6")
  assert.match(await t.screen(), /^> 6\. Later$/m)
  t.type(KEYS.enter)
  assert.equal(await asked.answer, undefined)
})

test("at 10 columns and 4 rows every option is printed whole, can be reached, and is named when it is chosen", async () => {
  const t = fakeTerminal({ columns: 10, rows: 4 })
  const asked = t.ask(BASH)
  t.settle()
  for (let page = 0; page < 60 && !/\? Run/.test(await t.screen()); page++) {
    assert.match(words(await t.screen()), /-- \d+.* Space \^C \^D/)
    t.type(" ")
    t.settle()
  }
  const printed = (await t.scrollback()).replace(/\s+/g, "")
  for (const label of LABELS) assert.ok(printed.includes(label.replaceAll(" ", "")), label)
  for (const [at, label] of LABELS.entries()) {
    t.type(KEYS.down)
    const screen = await t.screen()
    assert.match(screen, new RegExp(`^> ${at + 1}\\. ${label.slice(0, 4)}`, "m"))
    assert.match(screen, /1-6 Enter\n\^C \^D/)
  }
  for (let up = 0; up < 5; up++) t.type(KEYS.up)
  t.type(KEYS.enter)
  assert.equal((await asked.answer)?.ok, true)
})

test("a text field at 10 columns and 4 rows shows what is typed and the keys", async () => {
  const t = fakeTerminal({ columns: 10, rows: 4 })
  const asked = t.ask({ id: "i", kind: "input", prompt: "?" })
  t.settle()
  for (let page = 0; page < 20 && !/^> /m.test(await t.screen()); page++) {
    t.type(" ")
    t.settle()
  }
  t.type("abc")
  assert.match(await t.screen(), /\? Your…\n> abc\nEnter \^C\n\^D \^G/)
  t.type(KEYS.enter)
  assert.deepEqual(await asked.answer, { id: "i", ok: true, data: { output: "abc" } })
})

test("a long list on a low screen moves with the option at hand, and numbers stay with their options", async () => {
  const options = Array.from({ length: 9 }, (_, at) => ({ label: `option ${at + 1} is long enough for two rows` }))
  const asked = [{ question: "Which?", options }]
  const request: Request = { id: "q", kind: "question", prompt: "Which?", data: { questions: asked } }
  const t = fakeTerminal({ columns: 24, rows: 9 })
  const waiting = t.ask(request)
  t.settle()
  for (let page = 0; page < 30 && !/\? Your/.test(await t.screen()); page++) {
    t.type(" ")
    t.settle()
  }
  for (let at = 1; at <= 9; at++) {
    t.type(KEYS.down)
    const screen = await t.screen()
    assert.match(words(screen), new RegExp(`> ${at}\\. option ${at} is long enough for two rows`), screen)
  }
  t.type("5")
  t.type(KEYS.enter)
  assert.deepEqual((await waiting.answer)?.data, { output: "option 5 is long enough for two rows" })
})

test("what is wrong with a text is said whole on a narrow screen", async () => {
  const t = fakeTerminal({ columns: 20, rows: 24 })
  t.ask({ id: "i", kind: "input", prompt: "?", data: { schema: { type: "integer" } } })
  await t.untilScreen(/Your answer/)
  t.settle()
  t.type("not a number")
  t.type(KEYS.enter)
  const screen = await t.screen()
  assert.match(screen, /^! /m)
  assert.doesNotMatch(screen, /…/)
})
