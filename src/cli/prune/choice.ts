import { realpathSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { type RunSummary, ToolnexusError } from "../../index.ts"
import { holderLine } from "../state/holder-line.ts"
import type { StateFolder } from "../state/state-folder.ts"
import type { LeftStatus } from "./options.ts"
import { type Entry, isGone, type OwnRun, type OwnRuns } from "./own-runs.ts"

/** What is to be deleted, and why the rest is not. */
export interface Choice {
  runs: readonly OwnRun[]
  /** What is remembered of runs whose file is gone. */
  entries: readonly Entry[]
  kept: readonly Kept[]
  /** What was found and cannot be chosen. */
  unreadable: OwnRuns["unreadable"]
  foreign: OwnRuns["foreign"]
}

/** A run that could be read and is not chosen. */
export interface Kept {
  run: OwnRun
  why: "young" | "status" | "in use"
}

/** The rule by which runs are chosen that nobody named. */
export interface PruneRule {
  olderThanMs: number
  /** `over`: done, with nothing open. */
  statuses: "over" | "any" | readonly LeftStatus[]
}

/** A time that cannot be read is no old one. */
export function chooseByRule(
  { runs, lost, unreadable, foreign }: OwnRuns,
  { olderThanMs, statuses }: PruneRule,
  nowMs: number,
): Choice {
  const isOld = (changedMs: number) => nowMs - changedMs >= olderThanMs
  const judged = runs.map((run) => ({ run, why: whyKept(run.run, statuses, isOld) }))
  return {
    runs: judged.flatMap(({ run, why }) => (why === undefined ? [run] : [])),
    entries: lost.filter(({ changedMs }) => isOld(changedMs)),
    kept: judged.flatMap(({ run, why }) => (why === undefined ? [] : [{ run, why }])),
    unreadable,
    foreign,
  }
}

function whyKept(
  { updatedAt, holder, status, open }: RunSummary,
  statuses: PruneRule["statuses"],
  isOld: (changedMs: number) => boolean,
): Kept["why"] | undefined {
  if (!isOld(Date.parse(updatedAt))) return "young"
  if (holder) return "in use"
  if (statuses === "any") return undefined
  const isAskedFor = statuses === "over" ? status === "done" && open.length === 0 : statuses.some((it) => it === status)
  return isAskedFor ? undefined : "status"
}

/** Where names lead. */
interface Where {
  cwd: string
  state: StateFolder
}

/**
 * The runs that were named: all of them, or none is.
 *
 * @throws ToolnexusError `no_run`, `ambiguous`, `usage` for a file that is not toolnexus's own, `in_use`, and whatever makes one unreadable
 */
export function chooseNamed(found: OwnRuns, named: readonly string[], where: Where): Choice {
  const chosen = named.map((given) => chooseOne(found, given, where))
  return {
    runs: [...new Set(chosen.flatMap(({ runs = [] }) => runs))],
    entries: [...new Set(chosen.flatMap(({ entries = [] }) => entries))],
    kept: [],
    unreadable: [],
    foreign: [],
  }
}

type One = { runs: readonly OwnRun[]; entries?: never } | { entries: readonly Entry[]; runs?: never }

function chooseOne(found: OwnRuns, given: string, { cwd, state }: Where): One {
  const path = resolve(cwd, given)
  if (!isGone(path)) return { runs: [requireOwn(found, path, given)] }
  const remembered = state.find(given)
  if (!remembered)
    throw new ToolnexusError(
      "no_run",
      `${given} is no run that was made here: name the id of one that toolnexus runs lists`,
    )
  const isAbout = (entry: Entry) => entry.remembered.runId === remembered.runId
  const run = found.runs.find(({ entries }) => entries.some(isAbout)) // also one that was moved
  if (run) return { runs: [requireFree(run)] }
  const entries = found.lost.filter(isAbout)
  return entries.length > 0 ? { entries } : { runs: [requireOwn(found, remembered.file, given)] }
}

function requireOwn(found: OwnRuns, path: string, given: string): OwnRun {
  const file = ownPath(path)
  const unreadable = found.unreadable.find((it) => it.file === file)
  if (unreadable) throw unreadable.error
  const run = found.runs.find((it) => it.file === file)
  if (run) return requireFree(run)
  const fact = found.foreign.find((it) => it.file === file)?.fact ?? "toolnexus did not give it its place"
  throw new ToolnexusError("usage", `${given} is not deleted: ${file}: ${fact}: remove it yourself`)
}

/** Its folder's links resolved; one that it is itself is not followed. */
function ownPath(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path))
  } catch {
    return path // it cannot be looked at, so it is none of ours
  }
}

function requireFree(run: OwnRun): OwnRun {
  const problem = inUse(run)
  if (problem) throw problem
  return run
}

/** Why a run that somebody has open is not deleted. */
export function inUse({ file, run: { holder } }: OwnRun): ToolnexusError | undefined {
  if (!holder) return undefined
  const message = `${file} is in use by ${holderLine(holder)}: wait until it is done`
  return new ToolnexusError("in_use", message, { details: { file, ...holder } })
}
