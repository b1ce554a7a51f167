import { isRecord, typeName } from "../suspension/request.ts"
import { ToolnexusError } from "../tool/error.ts"
import type { RunJournal } from "./options.ts"

/**
 * Callers without types pass the file's name, or the promise of a journal.
 *
 * @param what what it is that was to be a journal, for the message
 * @throws ToolnexusError `usage`
 */
export function requireJournal(journal: unknown, what: string): asserts journal is RunJournal {
  if (isJournal(journal)) return
  throw new ToolnexusError("usage", `${what} must be a journal, got ${gotInstead(journal)}`)
}

export function isJournal(value: unknown): value is RunJournal {
  return isRecord(value) && typeof value.read === "function"
}

/** What was given in a journal's place, and what to do about it. */
export function gotInstead(value: unknown): string {
  if (typeof value === "string") return "string: pass await openRun(FILE)"
  if (value instanceof Promise) return "a promise: await it"
  return `${typeName(value)}: pass what openRun or memoryJournal gives`
}
