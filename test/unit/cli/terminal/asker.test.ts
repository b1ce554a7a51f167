import assert from "node:assert/strict"
import { test } from "node:test"
import { fakeTerminal } from "../../../support/fake-terminal.ts"
import { KEYS } from "../../../support/pty.ts"
import { BASH, DEPLOY, ENVIRONMENT, SECRET } from "./requests.ts"

test("everything that an approval decides about is on the screen: command, arguments, folder, who asks", async () => {
  const t = fakeTerminal()
  t.ask(BASH)
  const screen = await t.screen()
  for (const part of ["Run a command?", "| rm -rf build", "| echo done", "timeout: 5", "/srv/place", "root/coder.1"]) {
    assert.ok(screen.includes(part), `${part} is missing in\n${screen}`)
  }
})

test("the line that names the keys appears when they count", async () => {
  const t = fakeTerminal()
  t.ask(BASH)
  t.clock.advance(349)
  assert.doesNotMatch(await t.screen(), /Enter/)
  t.clock.advance(1)
  assert.match(await t.screen(), /Enter confirms; Ctrl-C declines; Ctrl-D later/)
})

test("the modes are set before anything is shown, and restored when no question follows", async () => {
  const t = fakeTerminal()
  t.ask(ENVIRONMENT)
  assert.deepEqual(t.log.slice(0, 2), ["<raw>", "\x1b[?2004h"])
  t.settle()
  t.type("x")
  t.type(KEYS.enter)
  t.clock.advance(300)
  assert.deepEqual(t.log.slice(-3), ["\x1b[?2004l\x1b[?25h", "<cooked>", "<closed>"])
  assert.ok(!t.log.join("").includes("\x1b[?25l"), "the cursor is never hidden")
  assert.ok(!t.log.join("").includes("\x1b[?1049h"), "nor the alternate screen used")
})

test("in an approval nothing is highlighted at first, and Enter then does nothing", async () => {
  const t = fakeTerminal()
  const asked = t.ask(BASH)
  t.settle()
  t.type(KEYS.enter)
  assert.doesNotMatch(await t.screen(), /^>/m)
  assert.equal(await asked.now(), "waiting")
  t.type(KEYS.down)
  assert.match(await t.screen(), /^> 1\. Approve once/m)
})

test("a key that means nothing changes nothing", async () => {
  const t = fakeTerminal()
  const asked = t.ask(BASH)
  t.settle()
  t.type("4")
  assert.match(await t.screen(), /^> 4\. Decline$/m)
  for (const key of ["x", " ", "0", "9", KEYS.left, "\x1b[H", "\x1b[15~", "\x7f", "\t", "yes\r", "2 files only"])
    t.type(key)
  t.type(KEYS.escape)
  t.clock.advance(50)
  assert.match(await t.screen(), /^> 4\. Decline$/m)
  t.type(KEYS.enter)
  assert.deepEqual(await asked.now(), { id: "r-gate", ok: false, reason: "declined" })
})

test("an approval takes no key from before it was there, nor from its quiet time", async () => {
  const t = fakeTerminal()
  const first = t.ask(ENVIRONMENT)
  t.settle()
  t.type("x")
  t.type(KEYS.enter)
  t.type("1")
  t.type(KEYS.enter)
  assert.equal((await first.answer)?.ok, true)
  const asked = t.ask(BASH)
  for (const key of [KEYS.down, KEYS.enter, "1", KEYS.enter]) {
    t.type(key)
    t.clock.advance(100)
  }
  t.settle()
  assert.doesNotMatch(await t.screen(), /^>.*Approve/m)
  t.type(KEYS.enter)
  assert.equal(await asked.now(), "waiting")
})

test("each key starts the quiet time again, for 2 s at most", async () => {
  const t = fakeTerminal()
  t.ask(BASH)
  for (let at = 0; at < 1900; at += 100) {
    t.clock.advance(100)
    t.type("x")
  }
  assert.doesNotMatch(await t.screen(), /Enter/)
  t.clock.advance(99)
  assert.doesNotMatch(await t.screen(), /Enter/)
  t.clock.advance(1)
  assert.match(await t.screen(), /Enter/)
})

test("in a text field early keys are kept as text, and no Enter among them sends it", async () => {
  const t = fakeTerminal()
  const asked = t.ask(ENVIRONMENT)
  for (const key of ["s", "t", "x", KEYS.backspace, "a", KEYS.enter]) t.type(key)
  t.settle()
  assert.match(await t.screen(), /^> sta$/m)
  assert.equal(await asked.now(), "waiting")
  t.type("g")
  t.type(KEYS.enter)
  assert.deepEqual(await asked.answer, { id: "r-input", ok: true, data: { output: "stag" } })
})

test("what was typed before the terminal was open is text, without the Enter at its end", async () => {
  const t = fakeTerminal()
  const asked = t.ask(ENVIRONMENT)
  t.type("staging\n")
  t.settle()
  assert.match(await t.screen(), /^> staging$/m)
  t.type(KEYS.enter)
  assert.deepEqual((await asked.answer)?.data, { output: "staging" })
})

test("what was typed behind the sending Enter belongs to the next question as early keys", async () => {
  const t = fakeTerminal()
  const first = t.ask(ENVIRONMENT)
  const second = t.ask({ ...ENVIRONMENT, id: "second" })
  t.settle()
  for (const key of ["a", KEYS.enter, "b", KEYS.enter]) t.type(key)
  assert.deepEqual((await first.answer)?.data, { output: "a" })
  t.settle()
  assert.match(await t.screen(), /^> b$/m)
  assert.equal(await second.now(), "waiting")
  assert.equal(t.state.opened, 1)
})

test("keys typed between two questions that follow each other are the second one's", async () => {
  const t = fakeTerminal()
  const first = t.ask(ENVIRONMENT)
  t.settle()
  t.type("a")
  t.type(KEYS.enter)
  await first.answer
  t.type("b")
  t.clock.advance(299)
  t.ask({ ...ENVIRONMENT, id: "second" })
  assert.match(await t.screen(), /^> b$/m)
  assert.equal(t.state.opened, 1)
})

test("two questions due at once are asked one after the other, each with its own answer", async () => {
  const t = fakeTerminal()
  const first = t.ask(DEPLOY)
  const second = t.ask(BASH)
  assert.doesNotMatch(await t.screen(), /rm -rf/)
  t.settle()
  t.type("1")
  t.type(KEYS.enter)
  assert.deepEqual(await first.answer, { id: "r-tool", ok: true, data: { output: "approved", digest: "d2" } })
  t.settle()
  t.type("4")
  t.type(KEYS.enter)
  assert.deepEqual(await second.answer, { id: "r-gate", ok: false, reason: "declined" })
})

test("an empty text is asked again, with the reason", async () => {
  const t = fakeTerminal()
  const asked = t.ask(ENVIRONMENT)
  t.settle()
  t.type(KEYS.enter)
  assert.match(await t.screen(), /^! Nothing is typed yet/m)
  assert.equal(await asked.now(), "waiting")
  t.type("x")
  assert.doesNotMatch(await t.screen(), /Nothing is typed/)
})

test("a value that does not fit the schema is asked again with the reason, and what was typed is still there", async () => {
  const t = fakeTerminal()
  const asked = t.ask({ ...ENVIRONMENT, data: { schema: { type: "integer", minimum: 1 } } })
  await asked.now()
  t.type("f") // before the schema was loaded, or after: kept
  await t.untilScreen(/Your answer/)
  t.settle()
  t.type(KEYS.enter)
  assert.match(await t.screen(), /^> f\n! It must be a whole number, at least 1\.$/m)
  t.type(KEYS.backspace)
  t.type("0")
  t.type(KEYS.enter)
  assert.match(await t.screen(), />= 1/)
  t.type(KEYS.backspace)
  t.type("7")
  t.type(KEYS.enter)
  assert.deepEqual((await asked.answer)?.data, { output: "7" })
})

test("a secret is shown as stars, also when it is sent, and is never drafted", async () => {
  const t = fakeTerminal()
  const asked = t.ask(SECRET, { draft: "never" })
  t.settle()
  for (const key of ["h", "u", "n", "t"]) t.type(key)
  assert.match(await t.screen(), /^> \*\*\*\*$/m)
  t.type("\x07")
  assert.equal(t.edits.length, 0)
  t.type(KEYS.enter)
  assert.deepEqual((await asked.answer)?.data, { output: "hunt" })
  assert.ok(!t.log.join("").includes("hunt"))
  assert.deepEqual(asked.drafts, [])
})

test("what others print is held back while a question is on the screen, and printed after it", async () => {
  const t = fakeTerminal()
  const written: string[] = []
  const stream = (isTTY: boolean) =>
    ({ isTTY, write: (text: string) => written.push(text) }) as unknown as NodeJS.WritableStream
  t.asker.print(stream(true), "before")
  const asked = t.ask(ENVIRONMENT)
  t.asker.print(stream(true), "held")
  t.asker.print(stream(false), "to a file")
  assert.deepEqual(written, ["before", "to a file"])
  t.settle()
  t.type("x")
  t.type(KEYS.enter)
  await asked.answer
  assert.deepEqual(written, ["before", "to a file", "held"])
})

test("a question that is over listens to no signal", async () => {
  const t = fakeTerminal()
  const asked = t.ask(ENVIRONMENT)
  assert.equal(t.listening(), 2)
  t.settle()
  t.type("x")
  t.type(KEYS.enter)
  await asked.answer
  assert.equal(t.listening(), 0)
})

test("Esc in a field that no choice led to does nothing", async () => {
  const t = fakeTerminal()
  const asked = t.ask(ENVIRONMENT)
  t.settle()
  t.type("ab")
  t.type(KEYS.escape)
  t.clock.advance(50)
  t.type("c")
  assert.match(await t.screen(), /^> abc$/m)
  assert.equal(await asked.now(), "waiting")
})
