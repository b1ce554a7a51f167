import assert from "node:assert/strict"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { test } from "node:test"
import { openRun, type RunSummary, readRun, readRunSummary } from "../../../../src/index.ts"
import { agent, calls } from "../../../support/agent.ts"
import { temporaryFolder } from "../../../support/folder.ts"

const FIXTURES = resolve(import.meta.dirname, "../../../fixtures/runs/v1")

async function finishedRun(prompt: string): Promise<string> {
  const file = join(temporaryFolder().path, "it.run.jsonl")
  const journal = await openRun(file, { mode: "new" })
  const { run } = await agent([calls("nothing"), { text: "done" }])
  await run(prompt, { journal })
  await journal.close()
  return file
}

/** What a listing shows, from the whole file. */
async function summaryOfAll(file: string): Promise<Partial<RunSummary>> {
  const { runId, status, prompt, startedAt, updatedAt, result } = await readRun(file)
  const { text, turns, toolCallCount, usage } = result
  return { runId, status, prompt, startedAt, updatedAt, text, turns, toolCallCount, usage }
}

test("a listing shows of every run file what the whole file says", async () => {
  const files = readdirSync(FIXTURES).filter((name) => name.endsWith(".run.jsonl"))
  for (const file of [...files.map((name) => join(FIXTURES, name)), await finishedRun("hello")]) {
    const { open, ...summary } = await readRunSummary(file)
    const { limit, error, ...same } = summary
    assert.deepEqual(same, await summaryOfAll(file), file)
    const { suspended = [] } = (await readRun(file)).result
    assert.deepEqual(
      open.map(({ id }) => id),
      suspended.map(({ id }) => id),
      file,
    )
  }
})

test("of a finished run a listing reads the ends only: what is damaged between them is for runs verify", async () => {
  const file = await finishedRun("hello")
  const lines = readFileSync(file, "utf8").split("\n")
  lines[2] = "no event"
  writeFileSync(file, lines.join("\n"))
  await assert.rejects(readRun(file), { code: "damaged" })
  const { status, prompt, text } = await readRunSummary(file)
  assert.deepEqual([status, prompt, text], ["done", "hello", "done"])
})

test("a line behind the closing one, a last line that was cut off and one that is no event make a listing read all of it", async () => {
  const file = await finishedRun("hello")
  const whole = readFileSync(file, "utf8")
  const last = whole.trimEnd().split("\n").at(-1) ?? ""
  for (const [text, status] of [
    [`${whole}${JSON.stringify({ type: "weather.noted", at: "2026-01-31T12:00:00Z" })}\n`, "done"],
    [whole.slice(0, -10), "done"],
    [whole.replace(last, last.replace('"turns":2', '"turns":"2"')), undefined],
  ] as const) {
    writeFileSync(file, text)
    if (status === undefined) await assert.rejects(readRunSummary(file), { code: "damaged" })
    else assert.equal((await readRunSummary(file)).status, status)
  }
})

test("a long prompt is not written again in full, and a listing shows its beginning", async () => {
  const file = await finishedRun("x".repeat(10_000))
  const closing = readFileSync(file, "utf8").trimEnd().split("\n").at(-1) ?? ""
  assert.ok(closing.length < 1000)
  assert.match((await readRunSummary(file)).prompt, /^x{199}…$/)
})

test("a file that is not there or no run file is told as by reading it", async () => {
  await assert.rejects(readRunSummary("/nowhere/it.run.jsonl"), { code: "no_run" })
  await assert.rejects(readRunSummary("/dev/null"), { code: "no_run" })
})
