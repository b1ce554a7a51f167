import type { RunEvent } from "../event/event.ts"
import { type OpeningMode, openFileJournal, readLines } from "../journal/file.ts"
import { lockHolder } from "../journal/lock.ts"
import { isToolnexusError, ToolnexusError } from "../tool/error.ts"
import type { RunJournal } from "./options.ts"
import { recordFrom } from "./views/record.ts"
import type { RunRecord } from "./views/run-result.ts"

/** A run's journal in a file, with the lock that keeps two processes apart. */
export interface RunFile extends RunJournal {
  /** Where it is, absolute. */
  readonly file: string
  /** For instance that a torn last line was dropped. */
  readonly warnings: readonly string[]
}

/**
 * Opens a run file for writing, and takes its lock until `close`.
 *
 * @param file a path, by custom `NAME.run.jsonl`
 * @param options `mode`: `existing` must be there, `new` must not, `any` (the default) is either; `unbegun` may be there with its first line at
 *   most: empty, or left by a process that was ended while it began
 * @throws ToolnexusError `in_use` (naming pid, host and time), `exists`, `no_run`, `damaged`, `journal`
 * @example
 * const journal = await openRun("deploy.run.jsonl")
 * try {
 *   await client.resume(journal, [answerOutput(id, "staging")], { toolkit })
 * } finally {
 *   await journal.close()
 * }
 */
export function openRun(file: string, options: { mode?: OpeningMode } = {}): Promise<RunFile> {
  return openFileJournal<RunEvent>(file, options)
}

/**
 * Reads a run file without taking its lock: what it says, what is open, what a resume would find.
 *
 * @param file its path
 * @throws ToolnexusError `no_run`, `damaged` (naming the line), `newer_version`, `usage` where it cannot be read
 * @example const { status, result } = await readRun("deploy.run.jsonl")
 */
export async function readRun(file: string): Promise<RunRecord> {
  const { lines, warnings } = await readLines(file)
  const holder = await holderOf(file)
  try {
    return holder ? { ...recordFrom(lines, warnings, "at work"), holder } : recordFrom(lines, warnings, "left")
  } catch (error) {
    throw inFile(file, error)
  }
}

/** The other process that writes a run file. Reading never needs the lock, nor may it fail for it. */
export async function holderOf(file: string): Promise<RunRecord["holder"]> {
  const holder = await lockHolder(file).catch(() => undefined)
  const isThisProcess = holder?.life === "alive" && holder.pid === process.pid // alive: seen from here
  return isThisProcess ? undefined : holder
}

/** What its lines say is wrong names the file too. */
export function inFile(file: string, error: unknown): unknown {
  if (!isToolnexusError(error)) return error
  const { code, message, details } = error
  return new ToolnexusError(code, `${file}: ${message}`, { details: { ...details, file }, cause: error })
}
