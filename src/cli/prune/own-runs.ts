import { lstatSync, readdirSync, realpathSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { type RunSummary, readRunSummary } from "../../index.ts"
import { fewAtOnce } from "../few-at-once.ts"
import { identityOf } from "../files/file-identity.ts"
import { foreignFact, type Uid } from "../files/private-folder.ts"
import { type RememberedRun, readRememberedRun } from "../state/remembered-run.ts"
import { RUN_FILE_NAME, type StateFolder } from "../state/state-folder.ts"

/** A run whose file toolnexus made in the state folder. */
export interface OwnRun {
  /** Absolute, links resolved. */
  file: string
  run: RunSummary
  /** Which file it was when it was looked at, and what it held as far as its size and times tell. */
  mark: string
  /** What is remembered of it. */
  entries: readonly Entry[]
  /** What is deleted, in this order: the file, its lock file, the entries. */
  paths: readonly string[]
  bytes: number
}

/** What is remembered of a run, in a file of the state folder. */
export interface Entry {
  path: string
  remembered: RememberedRun
  /** Which file it was when it was read. */
  mark: string
  changedMs: number
  /** What is deleted with it, in this order: a lock file that stayed behind, and itself. */
  paths: readonly string[]
  bytes: number
}

/** What the state folder holds, for who wants to make room. */
export interface OwnRuns {
  runs: readonly OwnRun[]
  /** Run files of ours that cannot be read. */
  unreadable: readonly { file: string; error: unknown }[]
  /** What lies beside them and is not ours to delete. */
  foreign: readonly { file: string; fact: string }[]
  /** What is remembered of runs whose file is gone. */
  lost: readonly Entry[]
}

/** The lock file of a run file. */
export function lockFileOf(file: string): string {
  return `${file}.lock`
}

/**
 * Reads what the state folder holds. No lock is taken.
 *
 * @param onProblem told of each entry that cannot be used
 * @throws ToolnexusError `configuration` for a state folder that is not used
 */
export async function readOwnRuns(
  state: StateFolder,
  uid: Uid,
  onProblem: (problem: unknown) => void,
): Promise<OwnRuns> {
  const runs = state.found("runs")
  const folder = runs === undefined ? undefined : realpathSync(runs)
  const found = folder === undefined ? [] : readdirSync(folder).filter((name) => name.endsWith(".run.jsonl"))
  const files = found.map((name) => join(folder ?? "", name))
  const judged = files.filter((file) => !isGone(file)).map((file) => ({ file, fact: factOf(file, uid) }))
  const ours = judged.flatMap(({ file, fact }) => (fact === undefined ? [file] : []))
  const entries = readEntries({ state, uid, runs: folder }, onProblem)
  const about = byWhatTheyName(entries)
  const looked = await fewAtOnce(ours, (file) => lookAt(file, about))
  const identities = new Set<string | undefined>(files.map(identityIn))
  return {
    runs: looked.flatMap((it) => ("run" in it ? [it] : [])),
    unreadable: looked.flatMap((it) => ("error" in it && !isGone(it.file) ? [it] : [])),
    foreign: judged.flatMap(({ file, fact }) => (fact === undefined ? [] : [{ file, fact }])),
    lost: entries.filter(({ remembered: { file, identity } }) => isGone(file) && !identities.has(identity)),
  }
}

/** Why a file is not one that toolnexus made for this user; `undefined`: it is. */
function factOf(file: string, uid: Uid): string | undefined {
  const fact = foreignFact(file, uid)
  return fact ?? (RUN_FILE_NAME.test(basename(file)) ? undefined : "its name is not one that toolnexus gives")
}

/** Entries by the place, and by the identity, of their file: one that was moved is still known. */
function byWhatTheyName(entries: readonly Entry[]): ReadonlyMap<string, readonly Entry[]> {
  const about = new Map<string, Entry[]>()
  for (const entry of entries)
    for (const name of [entry.remembered.file, entry.remembered.identity])
      about.set(name, [...(about.get(name) ?? []), entry])
  return about
}

async function lookAt(
  file: string,
  about: ReturnType<typeof byWhatTheyName>,
): Promise<OwnRun | { file: string; error: unknown }> {
  try {
    const mark = markOf(file) // before it is read: what is written meanwhile counts as later
    const run = await readRunSummary(file)
    const own = [...new Set([file, identityOf(file)].flatMap((name) => about.get(name) ?? []))]
    const paths = [file, lockFileOf(file), ...own.map(({ path }) => path)]
    return { file, run, mark, entries: own, paths, bytes: bytesOf(paths) }
  } catch (error) {
    return { file, error } // one that cannot be read is named, and never deleted
  }
}

/** @param runs the folder of our run files, where there is one */
function readEntries(
  { state, uid, runs }: { state: StateFolder; uid: Uid; runs: string | undefined },
  onProblem: (problem: unknown) => void,
): Entry[] {
  const folder = state.found("known")
  const names = folder === undefined ? [] : readdirSync(folder).filter((name) => name.endsWith(".json"))
  return names.flatMap((name) => {
    const path = join(folder ?? "", name)
    try {
      const mark = markOf(path)
      const remembered = readRememberedRun(path, name.split(".")[0] ?? "", uid)
      if (!remembered) return []
      const { file } = remembered
      const isOurs = dirname(file) === runs && RUN_FILE_NAME.test(basename(file))
      const paths = isOurs ? [lockFileOf(file), path] : [path]
      return [{ path, remembered, mark, changedMs: lstatSync(path).mtimeMs, paths, bytes: bytesOf(paths) }]
    } catch (error) {
      if (!isGone(path)) onProblem(error)
      return [] // it was told, or another process was faster
    }
  })
}

/** `undefined` for what is gone meanwhile, and for a link that leads nowhere. */
function identityIn(file: string): string | undefined {
  try {
    return identityOf(file)
  } catch {
    return undefined // then nothing that is remembered is about it
  }
}

/**
 * Which file it is and when it was written last; a link is not followed.
 *
 * @throws where it is gone
 */
export function markOf(path: string): string {
  const { dev, ino, size, mtimeNs } = lstatSync(path, { bigint: true })
  return [dev, ino, size, mtimeNs].join(":")
}

/** Not there, for sure: what cannot be looked at may be. */
export function isGone(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    return false // whoever uses it says why
  }
}

function bytesOf(paths: readonly string[]): number {
  return paths.reduce((all, path) => all + (lstatSync(path, { throwIfNoEntry: false })?.size ?? 0), 0)
}
