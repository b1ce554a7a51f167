import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import {
  createInProcessClient,
  createToolkit,
  defineTool,
  type Journal,
  memoryJournal,
  openRun,
  type RunEvent,
  type RunResult,
} from "../../src/index.ts"
import { temporaryFolder } from "../support/folder.ts"

const KIB = "x".repeat(1024)
const pay = defineTool({ name: "pay", description: "", run: () => KIB })

/** A run of so many turns of one call. */
async function run(turns: number, journal: Journal, prompt: string): Promise<RunResult> {
  let turn = 0
  const generate = () =>
    turn++ < turns ? { toolCalls: [{ id: `c${turn}`, name: "pay", input: {} }] } : { text: "done" }
  const toolkit = await createToolkit({ extraTools: [pay] })
  return createInProcessClient({ model: "m", generate }).run(prompt, { toolkit, journal })
}

/** What each turn costs, counted: from one reply of the model to the next. */
interface Cost {
  bytes: number
  lines: number
  flushes: number
  clones: number
}

function counting(): { journal: Journal; costs: Cost[] } {
  const inner = memoryJournal()
  const costs: Cost[] = []
  let now: Cost = { bytes: 0, lines: 0, flushes: 0, clones: 0 }
  const count = (event: RunEvent) => {
    if (event.type === "model.replied") {
      costs.push(now)
      now = { bytes: 0, lines: 0, flushes: 0, clones: 0 }
    }
    now.bytes += JSON.stringify(event).length
    now.lines += 1
  }
  const clone = globalThis.structuredClone
  globalThis.structuredClone = (value, options) => {
    now.clones += 1
    return clone(value, options)
  }
  return {
    costs,
    journal: {
      ...inner,
      append(events, options) {
        for (const event of events) count(event)
        if (options.flush) now.flushes += 1
        return inner.append(events, options)
      },
    },
  }
}

test("a turn costs the same late in a run as early: bytes written, flushes and objects cloned", async () => {
  const clone = globalThis.structuredClone
  const { journal, costs } = counting()
  assert.equal((await run(1000, journal, "go")).status, "done")
  globalThis.structuredClone = clone
  const [early, late] = [costs[10], costs[1000]]
  assert.ok(early && late)
  const digits = late.bytes - early.bytes // of turn numbers and milliseconds
  assert.ok(digits >= 0 && digits < 30, `${early.bytes} bytes, then ${late.bytes}`)
  assert.deepEqual({ ...late, bytes: 0 }, { ...early, bytes: 0 })
  assert.ok(early.flushes >= 2, "a call with effects is flushed before it starts and after its result")
})

test("a run file stays below 1.5 times its transcript: nothing that earlier lines say is written again", async () => {
  const file = join(temporaryFolder().path, "it.run.jsonl")
  const journal = await openRun(file, { mode: "new" })
  const { messages } = await run(64, journal, KIB)
  await journal.close()
  const transcript = JSON.stringify(messages).length
  const written = readFileSync(file, "utf8").split("\n")
  const counted = written.filter((line) => !line.startsWith('{"type":"run.started"')).join("\n").length
  assert.ok(transcript >= 64 * 1024)
  assert.ok(counted < 1.5 * transcript, `${(counted / transcript).toFixed(2)} times`)
})
