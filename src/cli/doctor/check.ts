import { errorText } from "../output/error-text.ts"

/** What was found of one thing: `note` where a run starts all the same, `problem` where it does not. */
export interface Check {
  check: string
  status: "ok" | "note" | "problem"
  fact: string
  /** What to do about it. */
  next?: string
}

export function ok(check: string, fact: string): Check {
  return { check, status: "ok", fact }
}

export function note(check: string, fact: string, next: string): Check {
  return { check, status: "note", fact, next }
}

export function problem(check: string, fact: string, next: string): Check {
  return { check, status: "problem", fact, next }
}

/** What was thrown, as a problem: behind its last colon an error says what to do. */
export function problemFrom(check: string, error: unknown): Check {
  return withNext(check, "problem", errorText(error))
}

/** A warning of the library's. */
export function noteFrom(check: string, warning: string): Check {
  return withNext(check, "note", warning)
}

function withNext(check: string, status: Check["status"], message: string): Check {
  const at = message.lastIndexOf(": ")
  if (at < 0) return { check, status, fact: message }
  return { check, status, fact: message.slice(0, at), next: message.slice(at + 2) }
}
