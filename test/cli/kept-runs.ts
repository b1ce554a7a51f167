import { createHash } from "node:crypto"
import { lstatSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import type { TestContext } from "node:test"
import type { RememberedRun } from "../../src/cli/state/remembered-run.ts"
import { stateFolder } from "../../src/cli/state/state-folder.ts"
import { type ProcessIdentity, thisProcess } from "../../src/journal/process-life.ts"
import { type Place, place, type Ran, type RunWith, type Started } from "./command-line.ts"

const FIXTURES = resolve(import.meta.dirname, "../fixtures/runs/v1")
const DAY_MS = 86_400_000

/** By status, a fixture that comes to it. */
const FIXTURE_OF = {
  done: "finished",
  pending: "halted",
  incomplete: "limited",
  interrupted: "in-doubt",
  failed: "finished",
} as const

export type PutStatus = keyof typeof FIXTURE_OF

interface PutRun {
  status?: PutStatus
  /** Since its last change; default 40. */
  days?: number
  /** `nothing`: the state folder has no entry of it. */
  remembers?: "it" | "nothing"
  /** Where; by default in the state folder, under a name as toolnexus gives. */
  file?: string
  prompt?: string
}

export interface PutFile {
  file: string
  runId: string
  entry: string
}

interface KeptRuns {
  put(run?: PutRun): PutFile
  /** All files in the state folder, with what they hold. */
  held(): Record<string, string>
  runs: string
  known: string
}

/** A state folder with runs in it, as old as a test wants them. */
export function keptRuns(path: string): KeptRuns {
  const state = stateFolder({ path, named: "by the user" }, process.getuid?.())
  let count = 0
  const put = ({ status = "done", days = 40, remembers = "it", file, prompt = "tidy up" }: PutRun = {}): PutFile => {
    count++
    const atMs = Date.now() - days * DAY_MS
    const runId = runIdOf(count)
    const target = file ?? state.newRunFile(atMs)
    writeFileSync(target, linesOf(status, { at: new Date(atMs).toISOString(), runId, prompt }), { mode: 0o600 })
    const entry = join(path, "known", `${runId}.json`)
    if (remembers === "it") {
      state.remember({ ...NOTHING_ELSE, runId, file: target, cwd: path })
      utimesSync(entry, new Date(atMs), new Date(atMs))
    }
    return { file: target, runId, entry }
  }
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const held = () =>
    Object.fromEntries(
      readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((it) => !it.isDirectory())
        .map((it) => join(it.parentPath, it.name))
        .map((it) => [it, lstatSync(it).isFile() ? hashOf(readFileSync(it)) : "no file"]),
    )
  return { put, held, runs: join(path, "runs"), known: join(path, "known") }
}

function hashOf(bytes: string | Buffer): string {
  return createHash("sha256").update(bytes).digest("hex")
}

const NOTHING_ELSE = {
  made: "here" as const,
  endpoint: { kind: "demo" as const },
  tools: [],
  relay: [],
  mcp: [],
  skills: [],
  builtins: true,
  seals: {},
  rules: { allow: [], ask: [], deny: [] },
} satisfies Partial<RememberedRun>

function runIdOf(count: number): string {
  const hash = hashOf(`run ${count}`)
  return `run_${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`
}

function linesOf(status: PutStatus, { at, runId, prompt }: { at: string; runId: string; prompt: string }): string {
  const text = readFileSync(join(FIXTURES, `${FIXTURE_OF[status]}.run.jsonl`), "utf8")
  const events = text
    .trimEnd()
    .split("\n")
    .map((line) => ({ ...JSON.parse(line), at }))
  if (status === "failed")
    events.splice(-1, 1, { type: "run.failed", at, code: "provider", message: "500", ...CLOSING })
  for (const event of events) {
    if (event.type === "run.started") event.runId = runId
    if (event.type === "user.said") event.message = { role: "user", content: prompt }
  }
  return `${events.map((event) => JSON.stringify(event)).join("\n")}\n`
}

const CLOSING = {
  workMs: 1000,
  text: "",
  turns: 2,
  toolCallCount: 4,
  usage: { promptTokens: 0, completionTokens: 0, totalTokens: 0 },
}

/** A lock file that says who has a run open. */
export function hold(file: string, by: ProcessIdentity): void {
  const claim = { claim: "n", by, time: "2026-03-01T09:00:00Z" }
  writeFileSync(`${file}.lock`, `${JSON.stringify(claim)}\n{"held":"n"}\n`)
}

/** A process that lives as long as this one. */
export function parent(): ProcessIdentity {
  const { start: _, ...here } = thisProcess()
  return { ...here, pid: process.ppid }
}

/** A process that cannot be seen from here. */
export const elsewhere: ProcessIdentity = { pid: 7, host: "elsewhere", machine: "other", boot: "other" }

interface PlaceWithRuns extends Omit<Place, "start">, KeptRuns {
  prune(argv?: string[], options?: RunWith): Promise<Ran>
  /** With a person at a terminal. */
  start(argv?: string[]): Started
}

/** A place whose state folder holds runs, and `runs prune` in it. */
export function placeWithRuns(t: TestContext): PlaceWithRuns {
  const here = place(t)
  return {
    ...here,
    ...keptRuns(here.path("state")),
    prune: (argv: string[] = [], options?: RunWith) => here.run(["runs", "prune", ...argv], options),
    start: (argv: string[] = []) => here.start(["runs", "prune", ...argv]),
  }
}
