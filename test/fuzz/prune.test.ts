import assert from "node:assert/strict"
import { appendFileSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { test } from "node:test"
import fc from "fast-check"
import { thisProcess } from "../../src/journal/process-life.ts"
import { place } from "../cli/command-line.ts"
import { elsewhere, hold, keptRuns, type PutStatus, parent } from "../cli/kept-runs.ts"

const CASES = process.env.TOOLNEXUS_TEST_SIZE === "long" ? 3_000 : 150
const STATUSES = ["done", "failed", "pending", "incomplete", "interrupted"] as const satisfies PutStatus[]

const HOLDERS = {
  nobody: undefined,
  dead: { ...thisProcess(), pid: 2 ** 22 + 1 },
  alive: parent(),
  elsewhere,
}

const kept = fc.record({
  status: fc.constantFrom(...STATUSES),
  days: fc.integer({ min: 0, max: 60 }),
  remembers: fc.constantFrom("it" as const, "nothing" as const),
  holder: fc.constantFrom(
    "nobody" as const,
    "nobody" as const,
    "dead" as const,
    "alive" as const,
    "elsewhere" as const,
  ),
  is: fc.constantFrom("ours" as const, "ours" as const, "a person's" as const, "damaged" as const, "gone" as const),
})

const wish = fc.record({
  olderThan: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }),
  statuses: fc.oneof(fc.constant("all" as const), fc.subarray([...STATUSES])),
  says: fc.constantFrom("--yes" as const, "--yes" as const, "--dry-run" as const, "nothing" as const),
})

type Kept = typeof kept extends fc.Arbitrary<infer T> ? T : never
type Wish = typeof wish extends fc.Arbitrary<infer T> ? T : never

test("whatever the state folder holds and whatever is asked for, what goes is what the rules choose, whole, and nothing else changes", async (t) => {
  const { run } = place(t)
  await fc.assert(
    fc.asyncProperty(fc.array(kept, { maxLength: 6 }), wish, async (all, wished) => {
      const dir = mkdtempSync(join(tmpdir(), "toolnexus-prune-"))
      try {
        await agrees(dir, all, wished, (argv) => run(argv, { env: { TOOLNEXUS_STATE_DIR: dir } }))
      } finally {
        rmSync(dir, { recursive: true, force: true })
      }
    }),
    { numRuns: CASES, includeErrorInReport: true },
  )
})

type Run = (argv: string[]) => ReturnType<ReturnType<typeof place>["run"]>

async function agrees(dir: string, all: readonly Kept[], wished: Wish, run: Run): Promise<void> {
  const { put, held } = keptRuns(dir)
  const files = all.map((it) => {
    const { file, entry } = put({ ...it, days: it.days + 0.5 }) // never just as old as is asked for
    const placed = it.is === "a person's" ? join(dirname(file), `${entry.slice(-12, -5)}.run.jsonl`) : file
    renameSync(file, placed)
    if (it.is === "damaged") appendFileSync(placed, "rubbish\n{}\n")
    if (HOLDERS[it.holder]) hold(placed, HOLDERS[it.holder] ?? thisProcess())
    if (it.is === "gone") rmSync(placed)
    return { file: placed, entry }
  })
  const before = held()
  const ran = await run(["runs", "prune", ...wordsOf(wished)])
  const goes = all.map((it) => mayGo(it, wished))
  const expected = { ...before }
  for (const [at, { file, entry }] of files.entries())
    if (goes[at] && wished.says === "--yes") for (const path of [file, `${file}.lock`, entry]) delete expected[path]
  assert.deepEqual(held(), expected, ran.err)
  assert.equal(ran.code, wished.says === "nothing" && goes.some((it) => it) ? 3 : 0, ran.err)
}

function mayGo({ status, days, holder, is, remembers }: Kept, { olderThan = 30, statuses }: Wish): boolean {
  if (days < olderThan) return false
  if (is === "gone") return remembers === "it"
  if (is !== "ours" || holder === "alive" || holder === "elsewhere") return false
  return statuses === "all" || (statuses.length === 0 ? status === "done" : statuses.includes(status))
}

function wordsOf({ olderThan, statuses, says }: Wish): string[] {
  return [
    ...(olderThan === undefined ? [] : ["--older-than", `${olderThan}d`]),
    ...(statuses === "all" ? ["--all"] : statuses.length > 0 ? ["--status", statuses.join(",")] : []),
    ...(says === "nothing" ? [] : [says]),
  ]
}
