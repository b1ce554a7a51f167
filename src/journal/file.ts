import { constants } from "node:fs"
import { ToolnexusError } from "../tool/error.ts"
import type { Journal } from "./journal.ts"
import { closedError, codeOf, existsError, linkError, positionError, readError, writeError } from "./journal-error.ts"
import { type JournalFs, type JournalHandle, systemFs } from "./journal-fs.ts"
import type { ReadLines } from "./lines.ts"
import { type Lock, takeLock } from "./lock.ts"
import { APPENDING, makeFile, takeBack } from "./make-file.ts"
import { readHandle, requireLines, requireStart, warningsOf } from "./read-lines.ts"
import { realFile } from "./real-file.ts"
import { renderLines } from "./render-lines.ts"
import { type End, WriteQueue } from "./write-queue.ts"

export { readLines } from "./read-lines.ts"

/** A journal in a file, one JSON object a line. */
export interface FileJournal<E> extends Journal<E> {
  /** Where it is, absolute and without symbolic links. */
  readonly file: string
  /** For instance that a cut-off last line was dropped. */
  readonly warnings: readonly string[]
}

/**
 * `existing` must be there, `new` must not (it is made, mode 0600), `any` (the default) is either. `unbegun` may be there with its
 * first line at most: empty, or left by a process that was ended while it began. What it has of a line is taken away by the next append.
 */
export type OpeningMode = "any" | "new" | "existing" | "unbegun"

export interface FileJournalOptions {
  mode?: OpeningMode
  /** Told of each warning when the file is opened. */
  onWarning?: (warning: string) => void
  fs?: JournalFs
}

/**
 * Opens a journal in a file and takes its lock until `close`.
 *
 * @param file its path; the lock is in the file of the same name with `.lock` behind
 * @throws ToolnexusError `in_use` (naming pid, host and time), `exists`, `no_run`, `damaged` (naming the line), `usage` for a path that cannot
 *   be used, `journal` when it cannot be locked or made
 */
export async function openFileJournal<E = object>(
  file: string,
  options: FileJournalOptions = {},
): Promise<FileJournal<E>> {
  const { mode = "any", fs = systemFs } = options
  requireOwnName(file)
  const real = await realFile(file, mode === "existing" ? "no_run" : "usage")
  await requirePlausible(real, mode, fs)
  const lock = await takeLock(real)
  try {
    const opened = await openHandle(real, mode, fs)
    const warnings = await warningsOf(real, opened.handle, opened.read)
    for (const warning of warnings) options.onWarning?.(warning)
    return fileJournal<E>({ file: real, ...opened, warnings, lock })
  } catch (error) {
    lock.release()
    throw error
  }
}

/** What looks like the lock of another file would be emptied as one. */
function requireOwnName(file: unknown): void {
  if (typeof file !== "string" || !file.endsWith(".lock")) return
  throw new ToolnexusError(
    "usage",
    `${file} is the name of a lock file: give a run file another ending, by custom .run.jsonl`,
  )
}

// Before the lock too: a wrong name should leave no lock file beside it.
async function requirePlausible(file: string, mode: OpeningMode, fs: JournalFs): Promise<void> {
  let handle: JournalHandle
  try {
    handle = await fs.open(file, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    if (codeOf(error) !== "ENOENT" || mode === "existing") throw readError(file, error)
    return requireNoLink(file, fs)
  }
  try {
    if (mode === "new") throw existsError(file)
    await requireStart(file, handle)
  } finally {
    await handle.close()
  }
}

// A link that leads nowhere: what is made is never made through one.
async function requireNoLink(file: string, fs: JournalFs): Promise<void> {
  try {
    const handle = await fs.open(file, constants.O_RDONLY | constants.O_NONBLOCK | (constants.O_NOFOLLOW ?? 0))
    await handle.close()
  } catch (error) {
    if (codeOf(error) === "ELOOP") throw linkError(file)
  }
}

interface Opened {
  handle: JournalHandle
  read: ReadLines
  /** Whether this opening made the file. */
  made: boolean
}

async function openHandle(file: string, mode: OpeningMode, fs: JournalFs): Promise<Opened> {
  const there = mode === "new" ? undefined : await openExisting(file, mode, fs)
  const read: ReadLines = { lines: [], wholeBytes: 0, bytes: 0, tail: "none" }
  return there ?? { handle: await makeFile(file, fs), read, made: true }
}

async function openExisting(file: string, mode: OpeningMode, fs: JournalFs): Promise<Opened | undefined> {
  let handle: JournalHandle
  try {
    handle = await fs.open(file, APPENDING | constants.O_NONBLOCK)
  } catch (error) {
    if (codeOf(error) === "ENOENT" && mode !== "existing") return undefined
    throw codeOf(error) === "ENOENT" || codeOf(error) === "EISDIR"
      ? readError(file, error)
      : writeError(file, error, "as it was")
  }
  try {
    const read = await readHandle(file, handle)
    requireFitting(file, mode, read)
    return { handle, read, made: false }
  } catch (error) {
    await handle.close()
    throw error
  }
}

function requireFitting(file: string, mode: OpeningMode, read: ReadLines): void {
  if (mode === "unbegun") {
    if (read.lines.length > 1) throw existsError(file)
  } else if (mode === "existing" || read.bytes > 0) requireLines(file, read)
}

interface Parts extends Opened {
  file: string
  warnings: readonly string[]
  lock: Lock
}

function fileJournal<E>({ file, handle, read, made, warnings, lock }: Parts): FileJournal<E> {
  const end: End = {
    bytes: read.bytes,
    wholeBytes: read.tail === "torn" ? read.wholeBytes : read.bytes,
    missing: read.tail === "unended" ? "\n" : "",
  }
  const queue = new WriteQueue(file, handle, end)
  let count = read.lines.length
  let atOpening: object[] | undefined = read.lines // handed out once, then the file is read anew
  let closing: Promise<void> | undefined
  return {
    file,
    warnings,
    async read() {
      if (closing) throw closedError(file)
      await queue.idle()
      const lines = atOpening ?? (await readHandle(file, handle)).lines
      atOpening = undefined
      return lines as E[]
    },
    async append(events, { at, flush }) {
      if (closing) throw closedError(file)
      if (at !== count) throw positionError(file, at, count)
      const text = renderLines(file, events)
      count += events.length
      atOpening = undefined
      await queue.append(text, flush)
    },
    close() {
      closing ??= closeAll({ file, handle, made, lock }, queue)
      return closing
    },
  }
}

// Whatever fails on the way, the lock is given back.
async function closeAll(
  { file, handle, made, lock }: Omit<Parts, "read" | "warnings">,
  queue: WriteQueue,
): Promise<void> {
  try {
    await queue.drain()
    if (made && (await queue.isUnbegun())) await takeBack(file, handle)
  } finally {
    try {
      await handle.close()
    } finally {
      lock.release()
    }
  }
}
