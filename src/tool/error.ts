/** Why something failed, for the developer or operator. A closed union: `switch` over it. */
export type ErrorCode =
  | "usage" // the caller's options or arguments
  | "configuration" // settings, keys, tools modules
  | "provider" // the endpoint's reply, or none
  | "tool" // the machinery around a tool, not its result
  | "invalid_request"
  | "invalid_answer"
  | "unknown_answer" // answers no open request
  | "answer_differs" // a second, different answer
  | "answer_expired"
  | "ambiguous" // a bare request or answer that could mean several
  | "unknown_tool" // a due call whose tool this process does not have
  | "wait_for" // the host's waitFor threw or gave another request's answer
  | "hook" // the host's hook threw
  | "in_use" // another process holds the run
  | "exists" // the run file is there already
  | "damaged" // a line of the run file
  | "no_run" // not a run file
  | "newer_version" // written by a later release
  | "journal" // reading or writing the run's journal failed

const MARK = Symbol.for("toolnexus.error")

/**
 * An error for the developer or operator: what failed, the fact, the next step.
 * Recognise it with {@link isToolnexusError}; `instanceof` fails across two copies of the package.
 */
export class ToolnexusError extends Error {
  readonly code: ErrorCode
  readonly details: Readonly<Record<string, unknown>>

  constructor(code: ErrorCode, message: string, options: { details?: Record<string, unknown>; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.name = "ToolnexusError"
    this.code = code
    this.details = options.details ?? {}
    Object.defineProperty(this, MARK, { value: true })
  }
}

/**
 * Whether an error was made by this package, by any copy of it.
 *
 * @example if (isToolnexusError(error) && error.code === "in_use") console.error(error.message)
 */
export function isToolnexusError(error: unknown): error is ToolnexusError {
  return typeof error === "object" && error !== null && MARK in error
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof Error && error.message !== "") return error.message
  try {
    return String(error)
  } catch {
    return "an error without a message" // an object without toString
  }
}
