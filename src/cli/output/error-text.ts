import { systemFact } from "../../index.ts"

/** The message of anything that was thrown, on one line; of a call of the system its path and what is wrong with it, in words. */
export function errorText(error: unknown): string {
  const { syscall, path } = (error ?? {}) as NodeJS.ErrnoException
  if (syscall === undefined || !(error instanceof Error)) return messageText(error)
  return path === undefined ? systemFact(error) : `${path}: ${systemFact(error)}`
}

/** The message of anything that was thrown as it is, on one line: a tool's words are its own. */
export function messageText(error: unknown): string {
  const text = error instanceof Error && error.message !== "" ? error.message : textOf(error)
  return text.trim().replace(/\s*\n\s*/g, " ")
}

function textOf(value: unknown): string {
  try {
    return String(value)
  } catch {
    return "an error without a message" // an object without toString
  }
}
