import assert from "node:assert/strict"
import { test } from "node:test"
import { fakeTerminal } from "../../../support/fake-terminal.ts"
import { KEYS } from "../../../support/pty.ts"
import { BASH, ENVIRONMENT, longText } from "./requests.ts"

test("a text longer than the screen is shown a screenful at a time, nothing is cut, and no key skips to the end", async () => {
  const t = fakeTerminal()
  const asked = t.ask({ ...BASH, prompt: longText(100) })
  let pages = 0
  while (!(await t.screen()).includes("? Run bash?")) {
    t.settle()
    const before = await t.screen()
    assert.match(before, /-- \d+ more lines?; Space or Enter shows more/)
    for (const key of ["q", "G", KEYS.down, "\x1b[F", "\x1b[6~"]) t.type(key)
    assert.equal(await t.screen(), before)
    t.type(pages % 2 === 0 ? " " : KEYS.enter)
    pages++
  }
  assert.equal(pages, 5)
  const all = await t.scrollback()
  for (let line = 1; line <= 100; line++) assert.match(all, new RegExp(`^  \\| line ${line}$`, "m"))
  assert.doesNotMatch(all, /more lines/)
  assert.equal(await asked.now(), "waiting")
})

test("an Enter held down does not turn pages that nobody saw", async () => {
  const t = fakeTerminal()
  t.ask({ ...BASH, prompt: longText(100) })
  for (let at = 0; at < 30; at++) {
    t.type(KEYS.enter)
    t.clock.advance(30)
  }
  assert.match(await t.screen(), /^ {2}\| line 15$/m)
})

test("text typed while the first page waits for its quiet time is the field's", async () => {
  const t = fakeTerminal({ rows: 12 })
  t.ask({ ...ENVIRONMENT, prompt: longText(12) })
  t.type("s")
  t.settle()
  t.type(" ")
  t.settle()
  assert.match(await t.screen(), /^> s$/m)
})

test("the whole question is on the screen with the last page", async () => {
  for (let lines = 1; lines < 60; lines++) {
    const t = fakeTerminal({ rows: 16 })
    t.ask({ ...BASH, prompt: longText(lines) })
    while (!(await t.screen()).includes("? Run bash?")) {
      t.settle()
      t.type(" ")
    }
    t.settle()
    const screen = await t.screen()
    assert.match(screen, /\? Run bash\?[^?]*1\. Approve[^?]*6\. Later\n1-6 or Up\/Down/)
    const all = await t.scrollback()
    for (let line = 1; line <= lines; line++) assert.match(all, new RegExp(`\\| line ${line}$`, "m"))
  }
})

test("a long line is broken, with its margin, and every character of it is there", async () => {
  const t = fakeTerminal({ columns: 40 })
  const command = Array.from({ length: 60 }, (_, at) => `arg${at}`).join(" ")
  t.ask({ ...BASH, data: { call: { id: "c", name: "bash", input: { command }, by: "gate" } } })
  const rows = (await t.scrollback()).split("\n").filter((row) => row.startsWith("  | ") && row.includes("arg"))
  // xterm does not tell spaces at the end of a row from none.
  assert.equal(
    rows
      .map((row) => row.slice(4))
      .join("")
      .replaceAll(" ", ""),
    command.replaceAll(" ", ""),
  )
})

test("what a hostile request holds is shown, wherever it holds it, and obeyed nowhere", async () => {
  const evil = "x\x1b[2J\x1b[H\u202Ey\r\x07"
  const t = fakeTerminal()
  t.ask({
    id: "r",
    kind: evil,
    prompt: evil,
    url: evil,
    expiresAt: evil,
    data: {
      call: { id: "c", name: evil, input: { [evil]: [evil], b: evil }, by: "gate" },
      agent: [evil],
      [evil]: evil,
    },
  })
  const drawn = t.log.join("").replace(/\x1b\[(\?2004h|J|\d+[AC])|\r\n|\r(?=[\x1b?])/g, "")
  assert.doesNotMatch(drawn, /[\p{Cc}\p{Cf}]/u)
  assert.match(await t.scrollback(), /x<U\+001B>\[2J<U\+001B>\[H<U\+202E>y<U\+000D><U\+0007>/)
})

test("options that would draw or break the list are harmless in it", async () => {
  const t = fakeTerminal()
  const options = [{ label: "a\nb\x1b[1A" }, { label: "c", description: "d\re" }]
  t.ask({ id: "q", kind: "question", prompt: "Which?", data: { questions: [{ question: "Which?", options }] } })
  assert.match(await t.screen(), /^ {2}1\. a<U\+000A>b<U\+001B>\[1A$/m)
  assert.match(await t.screen(), /^ {2}2\. c +d<U\+000D>e$/m)
})

test("a change of size shows the question again, not its text, and keys that counted go on counting", async () => {
  const t = fakeTerminal()
  t.ask(BASH)
  t.settle()
  t.type("2")
  t.resize(100, 30)
  const screen = await t.scrollback()
  assert.equal(screen.match(/May bash run/g)?.length, 1)
  assert.match(screen, /^> 2\. .*\n[\s\S]*Enter confirms/m)
  t.type(KEYS.down)
  assert.match(await t.screen(), /^> 3\./m)
})

test("a narrower window never loses the text above the question", async () => {
  const t = fakeTerminal({ columns: 100 })
  t.ask(BASH)
  t.settle()
  t.resize(30, 24)
  assert.match(await t.scrollback(), /\| rm -rf build\n {2}\| echo done/)
  assert.match(await t.screen(), /Enter confirms/)
})

test("a terminal that does not know its size is taken for 80x24", async () => {
  const t = fakeTerminal()
  t.size = { columns: 0, rows: 0 }
  t.ask({ ...BASH, prompt: longText(30) })
  t.settle()
  assert.match(await t.screen(), /-- \d+ more lines; Space or Enter/)
})

test("a pasted text is one insertion that keeps its line ends and sends nothing", async () => {
  for (const pasted of ["one\rtwo\r", `${KEYS.pasteStart}one\ntwo\n${KEYS.pasteEnd}`]) {
    const t = fakeTerminal()
    const asked = t.ask(ENVIRONMENT)
    t.settle()
    t.type(pasted)
    assert.match(await t.screen(), /^> one\n {2}two$/m)
    assert.equal(await asked.now(), "waiting")
    t.type(KEYS.enter)
    assert.deepEqual((await asked.answer)?.data, { output: "one\ntwo\n" })
  }
})

test("text and Enter that a slow line brings in one read do not send, and the field says so and what does", async () => {
  const t = fakeTerminal()
  const asked = t.ask(ENVIRONMENT)
  t.settle()
  t.type("staging\r")
  assert.match(await t.screen(), /^> staging\n.*\n! An Enter that comes together with text is a line end/m)
  assert.equal(await asked.now(), "waiting")
  t.type(KEYS.backspace)
  assert.doesNotMatch(await t.screen(), /An Enter that comes/)
  t.type(KEYS.enter)
  assert.deepEqual((await asked.answer)?.data, { output: "staging" })
})

test("a paste without its end is closed by 500 ms of silence", async () => {
  const t = fakeTerminal()
  const asked = t.ask(ENVIRONMENT)
  t.settle()
  t.type(`${KEYS.pasteStart}one`)
  t.clock.advance(499)
  t.type("\rtwo")
  t.clock.advance(499)
  assert.doesNotMatch(await t.screen(), /one/)
  t.clock.advance(1)
  assert.match(await t.screen(), /^> one\n {2}two$/m)
  t.type(KEYS.enter)
  assert.deepEqual((await asked.answer)?.data, { output: "one\ntwo" })
})

test("a paste into a choice does nothing", async () => {
  const t = fakeTerminal()
  const asked = t.ask(BASH)
  t.settle()
  t.type("1\r")
  t.type(`${KEYS.pasteStart}1\r${KEYS.pasteEnd}`)
  assert.doesNotMatch(await t.screen(), /^>/m)
  assert.equal(await asked.now(), "waiting")
})

test("a long text is shown in part, and drawn in little", async () => {
  const t = fakeTerminal()
  const asked = t.ask(ENVIRONMENT)
  t.settle()
  const pasted = longText(500)
  t.type(pasted)
  assert.match(await t.screen(), /\(500 lines, \d+ characters; a part of it is shown\)[\s\S]*line 500$/m)
  assert.ok(t.log.join("").length < 5000)
  t.type(KEYS.enter)
  assert.deepEqual((await asked.answer)?.data, { output: pasted })
})

test("5 kB typed character by character keep the cursor where it belongs", async () => {
  const t = fakeTerminal()
  t.ask(ENVIRONMENT)
  t.settle()
  for (let at = 0; at < 5000; at++) t.type("x")
  t.type("!")
  const { column, row } = await t.cursor()
  assert.equal((await t.screen()).split("\n")[row]?.slice(0, column).endsWith("!"), true)
})

test("wide characters leave the cursor behind the text, on its row", async () => {
  const t = fakeTerminal({ columns: 20 })
  t.ask(ENVIRONMENT)
  t.settle()
  for (const char of "日本語日本語日本語日") t.type(char)
  const rows = (await t.screen()).split("\n")
  const at = rows.indexOf("> 日本語日本語日本")
  assert.equal(rows[at + 1], "  語日")
  assert.deepEqual(await t.cursor(), { column: 6, row: at + 1 })
})

test("typed text that could draw is shown harmless and sent as it is", async () => {
  const t = fakeTerminal()
  const asked = t.ask(ENVIRONMENT)
  t.settle()
  t.type("a\u202Eb")
  assert.match(await t.screen(), /^> a<U\+202E>b$/m)
  t.type(KEYS.enter)
  assert.deepEqual((await asked.answer)?.data, { output: "a\u202Eb" })
})

test("in a window too low for it the question can still be answered", async () => {
  const t = fakeTerminal({ rows: 5, columns: 30 })
  const asked = t.ask(BASH)
  while (!(await t.screen()).includes("? Run bash?")) {
    t.settle()
    t.type(" ")
  }
  t.settle()
  for (let at = 0; at < 4; at++) t.type(KEYS.down)
  assert.match(await t.screen(), /^> 4\. Decline$/m)
  t.type(KEYS.enter)
  assert.equal((await asked.answer)?.reason, "declined")
})

test("a frame that is higher than the window is drawn in part, over itself", async () => {
  const t = fakeTerminal({ rows: 4, columns: 20 })
  t.ask({ ...ENVIRONMENT, prompt: "?" })
  while (!(await t.screen()).includes("? Your answer")) {
    t.settle()
    t.type(" ")
  }
  t.settle()
  for (const key of ["a", "b", "c"]) t.type(key)
  assert.match(await t.screen(), /^> abc$/m)
  assert.equal((await t.scrollback()).match(/Your answer/g)?.length, 1)
})
