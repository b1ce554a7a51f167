import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { pathToFileURL } from "node:url"
import {
  createDemoClient,
  memoryJournal,
  openRun,
  readRun,
  readRunSummary,
  recordAnswers,
  unlockRun,
  verifyRun,
} from "../../src/index.ts"

/** As a program without types calls it. */
// biome-ignore lint/suspicious/noExplicitAny: that is what is tested
const given = (value: unknown): any => value

const client = createDemoClient()

describe("what is passed in a journal's place is told, with what to pass", () => {
  const pass = "pass what openRun or memoryJournal gives"
  const cases: [value: unknown, got: string][] = [
    ["deploy.run.jsonl", "string: pass await openRun(FILE)"],
    [Promise.resolve(memoryJournal()), "a promise: await it"],
    [null, `null: ${pass}`],
    [undefined, `undefined: ${pass}`],
    [5, `number: ${pass}`],
    [[], `array: ${pass}`],
  ]
  for (const [value, got] of cases) {
    it(`to resume and recordAnswers: ${got}`, async () => {
      const resumed = { code: "usage", message: `What is resumed must be a journal or a RunResult, got ${got}` }
      await assert.rejects(client.resume(given(value), []), resumed)
      const recorded = { code: "usage", message: `What answers are recorded in must be a journal, got ${got}` }
      await assert.rejects(recordAnswers(given(value), []), recorded)
    })
  }
  it("to run and resume as options.journal", async () => {
    const journal = given("deploy.run.jsonl")
    const failed = { code: "usage", message: "options.journal must be a journal, got string: pass await openRun(FILE)" }
    await assert.rejects(client.run("x", { journal }), failed)
    await assert.rejects(client.resume({ messages: [] }, [], { journal }), failed)
  })
})

describe("what is passed in a path's place is told, with what to pass", () => {
  const cases: [value: unknown, fact: string][] = [
    [pathToFileURL("/tmp/x.run.jsonl"), "the run file must be named by a string, got a URL: pass fileURLToPath(url)"],
    [null, "the run file must be named by a string, got null: give a path"],
    [5, "the run file must be named by a string, got number: give a path"],
    ["", "the run file's name is empty: give a path"],
  ]
  for (const [value, message] of cases) {
    it(message, async () => {
      for (const take of [openRun, readRun, readRunSummary, verifyRun, unlockRun])
        await assert.rejects(take(given(value)), { code: "usage", message })
    })
  }
})

describe("a file that the system cannot read", { skip: process.platform !== "linux" }, () => {
  it("is named, with the system's fact", async () => {
    const message = /^\/proc\/\S+\/mem cannot be read: the disk failed; mend that, or name another file$/
    await assert.rejects(openRun("/proc/self/mem"), { code: "usage", message })
    for (const take of [readRun, readRunSummary, verifyRun])
      await assert.rejects(take("/proc/self/mem"), /^Tool.*\/mem /)
  })
})
