import { type Dirent, existsSync } from "node:fs"
import { opendir } from "node:fs/promises"
import { dirname, join, relative } from "node:path"
import { setImmediate } from "node:timers/promises"
import { type IgnoreRules, loadIgnoreRules } from "./ignore-rules.ts"

/** Something in a tree of folders. */
export interface Entry {
  /** From the folder where the walk began. */
  path: string
  kind: "file" | "folder" | "link" | "other"
}

/** What a walk tells beside its entries. */
export interface WalkReport {
  /** Folders that could not be read. */
  unreadable: number
  /** Why it was given up, if it was. */
  stopped: "too many entries" | "out of time" | undefined
}

/** What ends a walk, or a search. */
export interface Stops {
  /** With an error. */
  signal: AbortSignal | undefined
  /** With what was found by then. */
  time?: AbortSignal
}

const MAX_ENTRIES = 300_000
/** So often others get a turn, and an abort can be heard. */
const ENTRIES_A_TURN = 500
/** For a whole search. */
const MAX_SEARCH_MS = 30_000

export function searchTime(): AbortSignal {
  return AbortSignal.timeout(MAX_SEARCH_MS)
}

/**
 * Everything under a folder, in the order of names, without `.git` and what git ignores where the folder is in a repository.
 * Symbolic links are told and not followed.
 *
 * @param root absolute, a folder
 * @param report filled in on the way
 */
export async function* walk(root: string, report: WalkReport, { signal, time }: Stops): AsyncGenerator<Entry> {
  const rules = await rulesAbove(root)
  let seen = 0
  const open: { folder: string; rules: readonly Scoped[] }[] = [{ folder: "", rules: rules ?? [] }]
  for (let current = open.pop(); current !== undefined; current = open.pop()) {
    const absolute = join(root, current.folder)
    const own = rules === undefined ? undefined : await loadIgnoreRules(absolute)
    const scoped = own ? [...current.rules, { folder: absolute, rules: own }] : current.rules
    const below: typeof open = []
    for (const dirent of await entriesOf(absolute, report)) {
      if (seen % ENTRIES_A_TURN === 0) await setImmediate()
      signal?.throwIfAborted()
      if (time?.aborted) report.stopped = "out of time"
      if (++seen > MAX_ENTRIES) report.stopped = "too many entries"
      if (report.stopped !== undefined) return
      const entry = {
        path: current.folder === "" ? dirent.name : `${current.folder}/${dirent.name}`,
        kind: kindOf(dirent),
      }
      if (dirent.name === ".git" || isIgnored(join(root, entry.path), entry.kind, scoped)) continue
      yield entry
      if (entry.kind === "folder") below.push({ folder: entry.path, rules: scoped })
    }
    for (const each of below.reverse()) open.push(each)
  }
}

interface Scoped {
  folder: string
  rules: IgnoreRules
}

/** The rules of the folders above, up to the repository's root; `undefined` outside of one. */
async function rulesAbove(root: string): Promise<Scoped[] | undefined> {
  const folders: string[] = []
  for (let folder = root; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) break
    if (dirname(folder) === folder) return undefined
    folders.unshift(dirname(folder))
  }
  const loaded = await Promise.all(folders.map(async (folder) => ({ folder, rules: await loadIgnoreRules(folder) })))
  return loaded.flatMap(({ folder, rules }) => (rules ? [{ folder, rules }] : []))
}

/** The deepest folder that says something decides. */
function isIgnored(absolute: string, kind: Entry["kind"], scoped: readonly Scoped[]): boolean {
  for (const { folder, rules } of scoped.toReversed()) {
    const said = rules.verdict(relative(folder, absolute), kind === "folder" ? "folder" : "file")
    if (said !== undefined) return said === "ignored"
  }
  return false
}

async function entriesOf(folder: string, report: WalkReport): Promise<Dirent[]> {
  const entries: Dirent[] = []
  try {
    for await (const entry of await opendir(folder)) {
      entries.push(entry)
      if (entries.length > MAX_ENTRIES) break
    }
  } catch {
    report.unreadable++ // the search says so at its end
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
}

function kindOf(entry: Dirent): Entry["kind"] {
  if (entry.isFile()) return "file"
  if (entry.isDirectory()) return "folder"
  return entry.isSymbolicLink() ? "link" : "other"
}

/** What a walk could not look at. */
export function walkNotices({ unreadable, stopped }: WalkReport): string[] {
  return [
    ...(unreadable > 0 ? [`[${unreadable} ${unreadable === 1 ? "folder" : "folders"} could not be read]`] : []),
    ...(stopped === "too many entries"
      ? [`[Stopped after ${MAX_ENTRIES} entries: name a smaller folder in path]`]
      : []),
    ...(stopped === "out of time" ? [timeNotice()] : []),
  ]
}

export function timeNotice(): string {
  return `[Stopped after ${MAX_SEARCH_MS / 1000} s, and not all was looked at: name a smaller folder in path]`
}
