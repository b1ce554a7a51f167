import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test } from "node:test"
import { readRun } from "../../src/index.ts"
import { program } from "../support/program.ts"
import type { Death, Orders } from "./dying-program.ts"
import { check, inParallel, type Life, type Logged, upTo } from "./life.ts"

const PROGRAM = program({ file: "test/crash/dying-program.ts" })
const SECRET = "correct-horse-battery-staple"
const MAX_PROCESSES = 12
const isLong = process.env.TOOLNEXUS_TEST_SIZE === "long"

/** Where the processes of one run are killed, by the process's place in the run, from 0. */
type Deaths = Record<number, Death>
type Manner = Pick<Orders, "answers" | "doubt">

interface Lived extends Life {
  /** What each process that was not killed counted. */
  counts: { appends: number; writes: number }[]
}

async function runLife(manner: Manner, deaths: Deaths): Promise<Lived> {
  const folder = mkdtempSync(join(tmpdir(), "toolnexus-kill-"))
  try {
    let killed = 0
    const [file, log] = [join(folder, "it.run.jsonl"), join(folder, "log")]
    for (let number = 0; ; number++) {
      assert.ok(number < MAX_PROCESSES, "the run comes to its end")
      const die = deaths[number]
      const ended = await child({ file, log, secret: SECRET, ...manner, ...(die ? { die } : {}) })
      if (die && ended === "SIGKILL") killed++
      else if (ended === 0) break
      else assert.equal(ended, 3, `process ${number} ended with ${ended}`)
    }
    for (const name of readdirSync(folder)) assert.doesNotMatch(readFileSync(join(folder, name), "utf8"), /horse/)
    if (!isHalfway(deaths)) assert.ok(killed > 0, "no process was killed")
    const entries = readFileSync(log, "utf8").trimEnd().split("\n")
    const logged = entries.map((entry) => JSON.parse(entry) as Logged)
    const { events, result } = await readRun(file)
    const counts = logged.flatMap((entry) => (entry.did === "count" ? [entry] : []))
    return { log: logged, events, messages: result.messages, counts }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function child(orders: Orders): Promise<number | string> {
  const process_ = spawn(process.execPath, [PROGRAM, JSON.stringify(orders)], {
    stdio: ["ignore", "ignore", "inherit"],
  })
  const [code, signal] = (await once(process_, "exit")) as [number | null, string | null]
  return code ?? signal ?? ""
}

const MANNERS: Manner[] = [
  { answers: "at once", doubt: "rerun" },
  { answers: "on resume", doubt: "rerun" },
  ...(isLong
    ? ([
        { answers: "at once", doubt: "unknown" },
        { answers: "on resume", doubt: "unknown" },
      ] as const)
    : []),
]

for (const manner of MANNERS) {
  const title = `answered ${manner.answers}, in doubt ${manner.doubt}`

  test(`a run (${title}) that is killed right before, right after or in the middle of any write loses and repeats nothing`, async () => {
    const whole = await runLife(manner, {})
    check(whole, manner.doubt)
    await inParallel(deathsOf(whole, manner), async (deaths) => {
      try {
        check(await runLife(manner, deaths), manner.doubt)
      } catch (error) {
        throw new Error(`killed ${JSON.stringify(deaths)}: ${(error as Error).message}`, { cause: error })
      }
    })
  })
}

/** Every place where a process of an undisturbed run can be killed; then also the one that takes over, early on. */
function deathsOf({ counts }: Lived, { answers }: Manner): Deaths[] {
  const single = counts.flatMap(({ appends, writes }, number): Deaths[] => [
    ...upTo(appends).flatMap((at): Deaths[] => [
      { [number]: { when: "before", at } },
      { [number]: { when: "after", at } },
    ]),
    ...upTo(writes).map((at): Deaths => ({ [number]: { when: "halfway", at } })),
  ])
  if (!isLong) return answers === "at once" ? single : single.filter((deaths) => !deaths[0] && !isHalfway(deaths))
  const twice = single.flatMap((deaths) =>
    (["before", "after", "halfway"] as const).flatMap((when) =>
      [1, 2, 3].map((at) => ({ ...deaths, [Number(Object.keys(deaths)[0]) + 1]: { when, at } })),
    ),
  )
  return [...single, ...twice]
}

/** How lines are grouped into writes varies: a death among them need not come. */
function isHalfway(deaths: Deaths): boolean {
  return Object.values(deaths).every(({ when }) => when === "halfway")
}
