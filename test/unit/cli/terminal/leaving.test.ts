import assert from "node:assert/strict"
import { test } from "node:test"
import { fakeTerminal } from "../../../support/fake-terminal.ts"
import { KEYS } from "../../../support/pty.ts"
import { BASH, DEPLOY, ENVIRONMENT, longText, SECRET } from "./requests.ts"

const CANCELLED = { id: "r-input", ok: false, reason: "cancelled" }

test("Ctrl-C declines this request as cancelled, and says so", async () => {
  const t = fakeTerminal()
  const asked = t.ask(ENVIRONMENT)
  t.settle()
  t.type(KEYS.ctrlC)
  assert.deepEqual(await asked.answer, CANCELLED)
  assert.match(await t.screen(), /Ctrl-C: this question is declined/)
  assert.equal(t.asker.left(), undefined)
})

test("Ctrl-C twice by habit declines one question only, also when both come in one read", async () => {
  for (const keys of [[KEYS.ctrlC, KEYS.ctrlC], [KEYS.ctrlC + KEYS.ctrlC]]) {
    const t = fakeTerminal()
    const first = t.ask(ENVIRONMENT)
    const second = t.ask(DEPLOY)
    t.settle()
    for (const key of keys) t.type(key)
    assert.deepEqual(await first.answer, CANCELLED)
    assert.equal(await second.now(), "waiting")
    t.settle()
    assert.match(await t.screen(), /Enter confirms/)
    t.type("2")
    t.type(KEYS.enter)
    assert.deepEqual(await second.answer, { id: "r-tool", ok: false, reason: "declined" })
  }
})

test("a second Ctrl-C within a second of one that declined does nothing, even where keys count again", async () => {
  const t = fakeTerminal()
  t.ask(ENVIRONMENT)
  const second = t.ask(DEPLOY)
  t.settle()
  t.type(KEYS.ctrlC)
  t.clock.advance(999)
  t.type(KEYS.ctrlC)
  assert.equal(t.asker.signal("SIGINT"), "ignored")
  assert.equal(await second.now(), "waiting")
  t.clock.advance(1)
  t.type(KEYS.ctrlC)
  assert.deepEqual(await second.answer, { id: "r-tool", ok: false, reason: "cancelled" })
})

test("after the last question the second Ctrl-C of the habit reaches nobody", async () => {
  const t = fakeTerminal()
  const asked = t.ask(ENVIRONMENT)
  t.settle()
  t.type(KEYS.ctrlC)
  await asked.answer
  t.clock.advance(500)
  assert.equal(t.state.raw, true)
  t.type(KEYS.ctrlC)
  assert.equal(t.asker.signal("SIGINT"), "ignored")
  t.clock.advance(500)
  assert.deepEqual([t.state.raw, t.state.open, t.state.interrupts], [false, 0, 0])
  assert.equal(t.asker.signal("SIGINT"), "not asking")
})

test("a Ctrl-C right after an answer stops the run, if no question follows", async () => {
  const t = fakeTerminal()
  const asked = t.ask(ENVIRONMENT)
  t.settle()
  for (const key of ["x", KEYS.enter, KEYS.ctrlC]) t.type(key)
  await asked.answer
  assert.equal(t.state.interrupts, 0)
  t.clock.advance(300)
  assert.equal(t.state.interrupts, 1)
})

test("a Ctrl-C between two questions does nothing to the second, nor to the process", async () => {
  const t = fakeTerminal()
  const first = t.ask(ENVIRONMENT)
  t.settle()
  for (const key of ["x", KEYS.enter, KEYS.ctrlC]) t.type(key)
  await first.answer
  const second = t.ask(DEPLOY)
  t.clock.advance(1000)
  assert.equal(await second.now(), "waiting")
  assert.equal(t.state.interrupts, 0)
})

test("until keys count, Ctrl-C, Ctrl-D and a SIGINT do nothing", async () => {
  const t = fakeTerminal()
  const asked = t.ask(ENVIRONMENT)
  t.type(KEYS.ctrlC)
  t.type(KEYS.ctrlD)
  assert.equal(t.asker.signal("SIGINT"), "ignored")
  t.settle()
  t.type("x")
  assert.match(await t.screen(), /^> x$/m)
  assert.equal(await asked.now(), "waiting")
})

test("a SIGINT while keys count leaves the question open and the terminal restored, and nothing else is asked", async () => {
  const t = fakeTerminal()
  const asked = t.ask(ENVIRONMENT)
  const second = t.ask(DEPLOY)
  t.settle()
  for (const key of ["a", "b"]) t.type(key)
  assert.equal(t.asker.signal("SIGINT"), "left")
  assert.deepEqual([t.state.raw, t.state.open], [false, 0])
  assert.equal(await asked.answer, undefined)
  assert.equal(await second.answer, undefined)
  assert.deepEqual(asked.drafts, ["ab"])
  assert.deepEqual(t.asker.left(), { why: "SIGINT" })
})

for (const name of ["SIGTERM", "SIGHUP"] as const) {
  test(`a ${name} leaves the question open at once, whether keys count or not`, async () => {
    const t = fakeTerminal()
    const asked = t.ask(DEPLOY)
    assert.equal(t.asker.signal(name), "left")
    assert.equal(await asked.answer, undefined)
    assert.deepEqual(t.asker.left(), { why: name })
    assert.equal(t.state.raw, false)
  })
}

test("a signal while no question is up is not the asker's", () => {
  const t = fakeTerminal()
  assert.equal(t.asker.signal("SIGINT"), "not asking")
  assert.equal(t.asker.signal("SIGTERM"), "not asking")
})

test("Ctrl-D in an empty field leaves the question open; in one with text it erases the next character", async () => {
  const t = fakeTerminal()
  const asked = t.ask(ENVIRONMENT)
  t.settle()
  for (const key of ["a", "b", KEYS.left, KEYS.ctrlD]) t.type(key)
  assert.match(await t.screen(), /^> a$/m)
  t.type(KEYS.ctrlD)
  assert.match(await t.screen(), /^> a$/m)
  t.type(KEYS.backspace)
  t.type(KEYS.ctrlD)
  assert.equal(await asked.answer, undefined)
  assert.deepEqual(t.asker.left(), { why: "later" })
  assert.match(await t.screen(), /Left open/)
})

test("Later, and Ctrl-D at a choice, leave an approval open, and the next question is asked all the same", async () => {
  const t = fakeTerminal()
  const first = t.ask(BASH)
  const second = t.ask(DEPLOY)
  const third = t.ask(ENVIRONMENT)
  t.settle()
  t.type("6")
  t.type(KEYS.enter)
  assert.equal(await first.answer, undefined)
  t.settle()
  t.type(KEYS.ctrlD)
  assert.equal(await second.answer, undefined)
  t.settle()
  t.type("x")
  t.type(KEYS.enter)
  assert.equal((await third.answer)?.ok, true)
  assert.deepEqual(t.asker.left(), { why: "later" })
})

for (const how of ["end", "close", "EIO"] as const) {
  test(`a terminal that goes away (${how}) leaves the question open and keeps what was typed`, async () => {
    const t = fakeTerminal()
    const asked = t.ask(ENVIRONMENT)
    t.settle()
    t.type("a")
    t.vanish(how)
    assert.equal(await asked.answer, undefined)
    assert.deepEqual(asked.drafts, ["a"])
    assert.deepEqual(t.asker.left(), { why: "end of terminal" })
    assert.match(t.notices.join(), /the terminal is gone/)
  })
}

test("a terminal that is gone as soon as it is opened leaves the question open", async () => {
  const t = fakeTerminal()
  t.state.dead = true
  const asked = t.ask(ENVIRONMENT)
  assert.equal(await asked.answer, undefined)
  assert.deepEqual(t.asker.left(), { why: "end of terminal" })
  assert.equal(t.state.open, 0)
})

test("errors that come late from a terminal that is gone end nothing", async () => {
  const t = fakeTerminal()
  const asked = t.ask(ENVIRONMENT)
  t.vanish("EIO")
  t.vanish("EIO")
  t.vanish("close")
  assert.equal(await asked.answer, undefined)
})

test("without a terminal nothing is asked, and the reason is said once", async () => {
  const t = fakeTerminal()
  t.state.there = false
  assert.equal(await t.ask(ENVIRONMENT).answer, undefined)
  assert.equal(await t.ask(DEPLOY).answer, undefined)
  assert.deepEqual(t.asker.left(), { why: "no terminal" })
  assert.equal(t.notices.length, 1)
})

test("in the background nothing is asked, nor is the terminal touched; brought back, the next question is", async () => {
  const t = fakeTerminal()
  t.state.foreground = false
  assert.equal(await t.ask(ENVIRONMENT).answer, undefined)
  assert.deepEqual(t.log, [])
  assert.deepEqual(t.asker.left(), { why: "background" })
  assert.match(t.notices.join(), /background/)
  t.state.foreground = true
  t.ask(DEPLOY)
  assert.match(await t.screen(), /Deploy to production/)
})

test("a question that was settled otherwise, or whose time is up, leaves the screen and gives no answer", async () => {
  const t = fakeTerminal()
  const stop = new AbortController()
  const asked = t.ask(ENVIRONMENT, { signal: stop.signal })
  t.settle()
  t.type("a")
  stop.abort()
  assert.equal(await asked.answer, undefined)
  assert.deepEqual(asked.drafts, ["a"])
  assert.match(await t.screen(), /No longer asked/)
  assert.equal(t.asker.left(), undefined)
})

test("a question whose signal is aborted already is not shown", async () => {
  const t = fakeTerminal()
  assert.equal(await t.ask(ENVIRONMENT, { signal: AbortSignal.abort() }).answer, undefined)
  assert.deepEqual(t.log, [])
})

test("a draft is offered in the field, and recorded again only when it changed", async () => {
  const t = fakeTerminal()
  const first = t.ask(ENVIRONMENT, { draft: "stag" })
  t.settle()
  assert.match(await t.screen(), /^> stag$/m)
  t.asker.signal("SIGTERM")
  await first.answer
  assert.deepEqual(first.drafts, [])
})

test("a sent text is no draft, but a cancelled one is", async () => {
  const t = fakeTerminal()
  const first = t.ask(ENVIRONMENT)
  const second = t.ask({ ...ENVIRONMENT, id: "second" })
  t.settle()
  for (const key of ["a", KEYS.enter]) t.type(key)
  await first.answer
  t.settle()
  for (const key of ["b", KEYS.ctrlC]) t.type(key)
  await second.answer
  assert.deepEqual([first.drafts, second.drafts], [[], ["b"]])
})

test("a note that was begun is offered again in its own field", async () => {
  const t = fakeTerminal()
  const first = t.ask(BASH)
  t.settle()
  t.type("5")
  t.type(KEYS.enter)
  t.settle()
  t.type("because")
  t.vanish("end")
  await first.answer
  const [draft] = first.drafts
  t.state.there = true
  t.ask(BASH, { draft: draft ?? "" })
  t.settle()
  t.type("5")
  t.type(KEYS.enter)
  assert.match(await t.screen(), /^> because$/m)
})

test("a secret that was begun is kept nowhere", async () => {
  const t = fakeTerminal()
  const asked = t.ask(SECRET)
  t.settle()
  t.type("hunter2")
  t.asker.signal("SIGTERM")
  await asked.answer
  assert.deepEqual(asked.drafts, [])
  assert.ok(!t.log.join("").includes("hunter2"))
})

test("Ctrl-C and Ctrl-D mean the same below a page of text as at the question", async () => {
  const t = fakeTerminal()
  const first = t.ask({ ...ENVIRONMENT, prompt: longText(60) })
  const second = t.ask({ ...DEPLOY, prompt: longText(60) })
  t.settle()
  t.type(KEYS.ctrlC)
  assert.deepEqual(await first.answer, CANCELLED)
  t.settle()
  t.type(KEYS.ctrlD)
  assert.equal(await second.answer, undefined)
})

test("closing restores the modes and leaves what is up and what is due open", async () => {
  const t = fakeTerminal()
  const first = t.ask(ENVIRONMENT)
  const second = t.ask(DEPLOY)
  t.asker.close()
  assert.deepEqual([t.state.raw, t.state.open], [false, 0])
  assert.deepEqual([await first.answer, await second.answer], [undefined, undefined])
  assert.equal(await t.ask(ENVIRONMENT).answer, undefined)
  assert.equal(t.state.opened, 1)
})
