import assert from "node:assert/strict"
import { test } from "node:test"
import { loadAnswerSchema } from "../../../../src/cli/terminal/answer-schema.ts"
import type { Approvable, EditOutcome } from "../../../../src/cli/terminal/approvable.ts"
import { fakeTerminal } from "../../../support/fake-terminal.ts"
import { KEYS } from "../../../support/pty.ts"
import { BASH, ENVIRONMENT, SECRET } from "./requests.ts"

test("Ctrl-Z lets the terminal go in order, then stops the group", async () => {
  const t = fakeTerminal()
  const asked = t.ask(ENVIRONMENT)
  t.settle()
  t.type("a")
  const before = t.log.length
  t.type(KEYS.ctrlZ)
  assert.deepEqual(t.log.slice(before + 1), ["\x1b[?2004l\x1b[?25h", "<cooked>", "<closed>", "<stopped>"])
  assert.deepEqual(asked.drafts, ["a"])
  assert.equal(await asked.now(), "waiting")
})

test("fg shows the question with its text, what was typed and a new quiet time", async () => {
  const t = fakeTerminal()
  const asked = t.ask(ENVIRONMENT)
  t.settle()
  t.type("ab")
  t.type(KEYS.ctrlZ)
  t.signal("SIGCONT")
  assert.deepEqual([t.state.opened, t.state.raw], [2, true])
  t.type(KEYS.enter)
  assert.equal((await t.scrollback()).match(/Which environment/g)?.length, 2)
  assert.match(await t.screen(), /^> ab$/m)
  assert.doesNotMatch(await t.screen(), /Enter sends/)
  assert.equal(await asked.now(), "waiting")
  t.settle()
  t.type(KEYS.enter)
  assert.deepEqual((await asked.answer)?.data, { output: "ab" })
})

test("a group that cannot be stopped goes on by itself after 50 ms, once", async () => {
  const t = fakeTerminal()
  t.ask(ENVIRONMENT)
  t.type(KEYS.ctrlZ)
  t.clock.advance(49)
  assert.equal(t.state.opened, 1)
  t.clock.advance(1)
  assert.equal(t.state.opened, 2)
  assert.match(await t.screen(), /Your answer/)
})

test("SIGCONT and the timer of one stop show the question once, whichever comes first", async () => {
  for (const first of ["timer", "SIGCONT"]) {
    const t = fakeTerminal()
    t.ask(ENVIRONMENT)
    t.type(KEYS.ctrlZ)
    if (first === "SIGCONT") t.signal("SIGCONT")
    t.clock.advance(50)
    if (first === "timer") t.signal("SIGCONT")
    assert.deepEqual([t.state.opened, t.state.open], [2, 1])
    assert.equal((await t.scrollback()).match(/Which environment/g)?.length, 2)
    // A later one is of another stop.
    t.clock.advance(50)
    t.signal("SIGCONT")
    assert.deepEqual([t.state.opened, t.state.open], [3, 1])
  }
})

test("fg at a field that a choice led to shows the question of that choice, too", async () => {
  const t = fakeTerminal({ rows: 40 })
  const questions = [{ question: "Which colour?", options: [{ label: "red" }] }]
  t.ask({ id: "q", kind: "question", prompt: "Colours", data: { questions } })
  t.settle()
  t.type("2")
  t.type(KEYS.enter)
  t.settle()
  t.type("b")
  t.type(KEYS.ctrlZ)
  t.signal("SIGCONT")
  assert.match(await t.screen(), /Which colour\?[\s\S]*Which colour\?\n {4}1\. red[\s\S]*^> b$/m)
})

test("what was typed in a field that was left is no draft of the next one, after a stop either", async () => {
  const t = fakeTerminal()
  const asked = t.ask({
    id: "q",
    kind: "question",
    prompt: "P",
    data: { questions: [{ question: "A?" }, { question: "B?" }] },
  })
  t.settle()
  t.type("a")
  t.type(KEYS.ctrlZ)
  t.signal("SIGCONT")
  t.settle()
  t.type("2")
  t.type(KEYS.enter)
  t.settle()
  t.type(KEYS.ctrlD)
  assert.equal(await asked.answer, undefined)
  assert.deepEqual(asked.drafts, ['{"fields":{"0":"a"}}', '{"fields":{"0":"a2"}}'])
})

test("bg leaves the question open, with what was typed, and touches the terminal no more", async () => {
  const t = fakeTerminal()
  const asked = t.ask(ENVIRONMENT)
  t.settle()
  t.type("ab")
  t.type(KEYS.ctrlZ)
  const before = t.log.length
  t.state.foreground = false
  t.signal("SIGCONT")
  assert.equal(await asked.answer, undefined)
  assert.deepEqual(asked.drafts, ["ab"])
  assert.equal(t.log.length, before)
  assert.deepEqual(t.asker.left(), { why: "background" })
})

test("a stop by somebody else, then fg, sets the modes again and shows the question", async () => {
  const t = fakeTerminal()
  t.ask(BASH)
  t.settle()
  t.type("2")
  t.signal("SIGCONT")
  assert.deepEqual([t.state.opened, t.state.open, t.state.raw], [2, 1, true])
  t.settle()
  assert.match(await t.screen(), /^> 2\./m)
})

test("Ctrl-Z works before keys count, too", () => {
  const t = fakeTerminal()
  t.ask(BASH)
  t.type(KEYS.ctrlZ)
  assert.equal(t.state.stops, 1)
})

test("Ctrl-Z right after an answer, while no question is up, stops the group with the modes restored", async () => {
  const t = fakeTerminal()
  const asked = t.ask(ENVIRONMENT)
  t.settle()
  t.type("x")
  t.type(KEYS.enter)
  await asked.answer
  t.type(KEYS.ctrlZ)
  assert.deepEqual([t.state.stops, t.state.raw, t.state.open], [1, false, 0])
})

test("a secret survives a stop in memory, and is written nowhere", async () => {
  const t = fakeTerminal()
  const asked = t.ask(SECRET)
  t.settle()
  t.type("hunter2")
  t.type(KEYS.ctrlZ)
  t.signal("SIGCONT")
  t.settle()
  t.type(KEYS.enter)
  assert.deepEqual((await asked.answer)?.data, { output: "hunter2" })
  assert.deepEqual(asked.drafts, [])
})

test("while the process is stopped a SIGINT does nothing, and a SIGTERM leaves the question open", async () => {
  const t = fakeTerminal()
  const asked = t.ask(ENVIRONMENT)
  t.settle()
  t.type(KEYS.ctrlZ)
  assert.equal(t.asker.signal("SIGINT"), "ignored")
  assert.equal(t.asker.signal("SIGTERM"), "left")
  assert.equal(await asked.answer, undefined)
  t.clock.advance(50)
  assert.equal(t.state.opened, 1)
})

test("a stop while the schema is loaded shows the question when it goes on", async () => {
  const t = fakeTerminal()
  const asked = t.ask({ ...ENVIRONMENT, data: { schema: { type: "integer" } } })
  t.type(KEYS.ctrlZ)
  // It is loaded in order: then the question's schema is, too.
  await loadAnswerSchema({ type: "integer" })
  assert.equal(await asked.now(), "waiting")
  t.signal("SIGCONT")
  await t.untilScreen(/Your answer/)
  t.settle()
  t.type("7")
  t.type(KEYS.enter)
  assert.deepEqual((await asked.answer)?.data, { output: "7" })
})

test("Ctrl-G hands the text to the editor with the terminal let go, and takes what it gives back", async () => {
  const t = fakeTerminal()
  const asked = t.ask(ENVIRONMENT)
  t.settle()
  t.type("dr")
  t.type("\x07")
  assert.deepEqual([t.state.raw, t.state.open], [false, 0])
  assert.equal(t.edits[0]?.draft, "dr")
  assert.equal(t.asker.signal("SIGINT"), "ignored")
  t.signal("SIGCONT")
  assert.equal(t.state.open, 0)
  t.edits[0]?.finish("draft\nof two lines")
  await t.untilScreen(/^> draft\n {2}of two lines$/m)
  t.settle()
  t.type(KEYS.enter)
  assert.deepEqual((await asked.answer)?.data, { output: "draft\nof two lines" })
})

test("an editor that fails changes nothing, and the reason is said", async () => {
  const t = fakeTerminal()
  t.ask(ENVIRONMENT)
  t.settle()
  t.type("kept")
  t.type("\x07")
  t.edits[0]?.fail(new Error("vi ended with code 1"))
  assert.match(await t.untilScreen(/^> kept$/m), /The editor failed: vi ended with code 1/)
})

test("a question that is left while the editor is open stays left when the editor ends", async () => {
  const t = fakeTerminal()
  const asked = t.ask(ENVIRONMENT)
  t.settle()
  t.type("kept")
  t.type("\x07")
  t.asker.signal("SIGTERM")
  assert.equal(await asked.answer, undefined)
  t.edits[0]?.finish("late")
  await asked.now()
  assert.equal(t.state.opened, 1)
  assert.deepEqual(asked.drafts, ["kept"])
})

test("a stop by somebody else, then bg, leaves the question open without a word to the terminal", async () => {
  const t = fakeTerminal()
  const asked = t.ask(BASH)
  t.settle()
  const before = t.log.length
  t.state.foreground = false
  t.signal("SIGCONT")
  assert.equal(await asked.answer, undefined)
  assert.deepEqual(t.asker.left(), { why: "background" })
  assert.deepEqual(t.log.slice(before), ["<closed>"])
})

test("a note that was begun before a stop, and left by Esc for Later, is the note's draft and no other's", async () => {
  const t = fakeTerminal()
  const asked = t.ask(BASH)
  const step = (...keys: string[]) => {
    t.settle()
    for (const key of keys) t.type(key)
  }
  step("5", KEYS.enter)
  step("x", KEYS.ctrlZ)
  t.signal("SIGCONT")
  step(KEYS.escape)
  t.clock.advance(50)
  step("6", KEYS.enter)
  assert.equal(await asked.answer, undefined)
  assert.deepEqual(asked.drafts, ['{"fields":{"note":"x"}}'])
})

/** An edit that is found to fit when the test says so. */
function checkedLater() {
  let found = (_outcome: EditOutcome) => {}
  const outcome = new Promise<EditOutcome>((resolve) => {
    found = resolve
  })
  const approvable: Approvable = {
    rule: undefined,
    tryRule: async () => ({ saves: false, why: "no" }),
    saveRule: async () => "no",
    edited: () => outcome,
  }
  const fits = async () => {
    found({ fits: true, shown: "here", call: approvable })
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { approvable, fits }
}

function editTo(t: ReturnType<typeof fakeTerminal>, command: string): void {
  t.settle()
  t.type("3")
  t.type(KEYS.enter)
  t.settle()
  t.type(KEYS.backspace.repeat(200))
  t.type(`${KEYS.pasteStart}${JSON.stringify({ command })}${KEYS.pasteEnd}`)
  t.type(KEYS.enter)
}

test("fg shows a call that was edited as it would run now", async () => {
  const t = fakeTerminal()
  const { approvable, fits } = checkedLater()
  const asked = t.ask(BASH, { approvable })
  editTo(t, "echo edited")
  await fits()
  t.settle()
  t.type(KEYS.ctrlZ)
  t.resize(80, 23) // the screen is another one by now
  const before = (await t.scrollback()).length
  t.signal("SIGCONT")
  const after = (await t.scrollback()).slice(before)
  assert.match(after, /\| echo edited\n[\s\S]*as you edited them\)[\s\S]*Run bash\?/)
  assert.doesNotMatch(after, /rm -rf build/)
  t.settle()
  t.type("1")
  t.type(KEYS.enter)
  assert.deepEqual((await asked.answer)?.data?.input, { command: "echo edited" })
})

test("a stop while an edit is checked keeps it: fg shows the edited call, whichever is done first", async () => {
  for (const first of ["checked", "continued"]) {
    const t = fakeTerminal()
    const { approvable, fits } = checkedLater()
    const asked = t.ask(BASH, { approvable })
    editTo(t, "echo edited")
    t.type(KEYS.ctrlZ)
    if (first === "checked") await fits()
    t.signal("SIGCONT")
    if (first === "continued") await fits()
    assert.match(await t.screen(), /\| echo edited\n[\s\S]*Run bash\?/)
    t.settle()
    t.type("1")
    t.type(KEYS.enter)
    assert.deepEqual((await asked.answer)?.data?.input, { command: "echo edited" })
  }
})

test("while an edit is checked no key counts: neither Enter nor Ctrl-C decides about what nobody saw", async () => {
  const t = fakeTerminal()
  const { approvable, fits } = checkedLater()
  const asked = t.ask(BASH, { approvable })
  editTo(t, "echo edited")
  for (const key of ["1", KEYS.enter, KEYS.ctrlC, KEYS.ctrlD]) t.type(key)
  assert.equal(t.asker.signal("SIGINT"), "ignored")
  await fits()
  for (const key of ["1", KEYS.enter]) t.type(key)
  assert.equal(await asked.now(), "waiting")
  t.settle()
  assert.doesNotMatch(await t.screen(), /^> 1/m)
})

test("a terminal that is gone while an edit is checked leaves the question open", async () => {
  const t = fakeTerminal()
  const { approvable, fits } = checkedLater()
  const asked = t.ask(BASH, { approvable })
  editTo(t, "echo edited")
  t.vanish("close")
  await fits()
  assert.equal(await asked.answer, undefined)
  assert.deepEqual(t.asker.left(), { why: "end of terminal" })
})

test("a check that fails is the host's error, not an answer", async () => {
  const t = fakeTerminal()
  const { approvable } = checkedLater()
  const asked = t.ask(BASH, { approvable: { ...approvable, edited: () => Promise.reject(new Error("no schema")) } })
  editTo(t, "echo edited")
  await assert.rejects(asked.answer, /no schema/)
})
