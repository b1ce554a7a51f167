import { type ErrorCode, isToolnexusError, type RunStatus } from "../../index.ts"

/** The signals that end a run: saved, resumable. */
export type SignalName = "SIGINT" | "SIGTERM" | "SIGHUP"

/** What the command's exit code says. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  halted: 3,
  limit: 4,
  refused: 5,
  SIGINT: 130,
  SIGTERM: 143,
  SIGHUP: 129,
} as const

/**
 * The exit code of a run that came to a result.
 *
 * @param status what it came to
 * @param stoppedBy the signal that stopped it or that left its question open
 */
export function exitCodeOfStatus(status: RunStatus, stoppedBy: SignalName | undefined): number {
  switch (status) {
    case "done":
      return EXIT.done
    case "incomplete":
      return stoppedBy ? EXIT[stoppedBy] : EXIT.limit
    case "pending":
      return stoppedBy ? EXIT[stoppedBy] : EXIT.halted
    case "interrupted":
      return EXIT[stoppedBy ?? "SIGINT"]
  }
}

const EXIT_OF_CODE: Record<ErrorCode, number> = {
  usage: EXIT.usage,
  configuration: EXIT.usage,
  exists: EXIT.usage,
  unknown_tool: EXIT.usage,
  provider: EXIT.failed,
  tool: EXIT.failed,
  wait_for: EXIT.failed,
  hook: EXIT.failed,
  journal: EXIT.failed,
  invalid_request: EXIT.refused,
  invalid_answer: EXIT.refused,
  unknown_answer: EXIT.refused,
  answer_differs: EXIT.refused,
  answer_expired: EXIT.refused,
  ambiguous: EXIT.refused,
  in_use: EXIT.refused,
  damaged: EXIT.refused,
  no_run: EXIT.refused,
  newer_version: EXIT.refused,
}

/** The exit code of anything that was thrown. */
export function exitCodeOfError(error: unknown): number {
  return isToolnexusError(error) ? EXIT_OF_CODE[error.code] : EXIT.failed
}
