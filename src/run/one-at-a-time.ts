import { ToolnexusError } from "../tool/error.ts"
import { isJournal } from "./require-journal.ts"

const AT_WORK = new WeakSet<object>()

/**
 * Works on a journal while nobody else in this process does: what one knows of it would be wrong after the other's line, and a call
 * that is running would look as if its process had ended.
 *
 * @param journal absent where the run has one of its own; what is none is told by `work`
 * @throws ToolnexusError `in_use`; nothing is read or written then
 */
export async function alone<T>(journal: unknown, work: () => Promise<T>): Promise<T> {
  if (!isJournal(journal)) return work()
  if (AT_WORK.has(journal)) throw inUse("This journal")
  AT_WORK.add(journal)
  try {
    return await work()
  } finally {
    AT_WORK.delete(journal)
  }
}

/** @param what is at work */
export function inUse(what: string): ToolnexusError {
  return new ToolnexusError("in_use", `${what} is at work in this process already: wait until that has ended`)
}
