import { problemOfMembers } from "../../event/check-event.ts"
import type { RunEvent } from "../../event/event.ts"
import { isKnownKind } from "../../event/event-kind.ts"
import { isRecord } from "../../suspension/request.ts"
import { isToolnexusError, messageOf, ToolnexusError } from "../../tool/error.ts"
import { fold } from "./fold.ts"
import { emptyState, type RunState } from "./state.ts"

/** The newest format that this release writes and reads. */
export const FORMAT_VERSION = 1

/**
 * The state that a journal's lines say.
 *
 * @param lines what was read, of anywhere
 * @throws ToolnexusError `no_run`, `newer_version`, or `damaged`, naming the line
 */
export function stateFrom(lines: readonly unknown[]): RunState {
  requireRun(lines)
  const state = emptyState()
  let number = 0 // there may be 100,000 lines: `entries()` would make a pair for each
  for (const line of lines) foldLine(state, line, ++number)
  return state
}

function requireRun([first]: readonly unknown[]): void {
  if (!isRecord(first) || first.type !== "run.started" || !isVersion(first.v)) {
    throw new ToolnexusError(
      "no_run",
      "It holds no run: its first line is not a run.started event with a version; name a file that a run wrote",
    )
  }
  if (first.v > FORMAT_VERSION) {
    throw new ToolnexusError(
      "newer_version",
      `The run has format version ${first.v}, and this release reads up to ${FORMAT_VERSION}: use a newer toolnexus`,
    )
  }
}

/** Versions are whole numbers from 1. */
export function isVersion(v: unknown): v is number {
  return Number.isInteger(v) && Number(v) >= 1
}

function foldLine(state: RunState, line: unknown, number: number): void {
  if (!isRecord(line) || typeof line.type !== "string" || typeof line.at !== "string") {
    throw damaged(number, "it is no event")
  }
  if (line.must === true && !isKnownKind(line.type)) {
    throw new ToolnexusError(
      "newer_version",
      `Line ${number} holds ${line.type}, which this release does not know and must: use a newer toolnexus`,
    )
  }
  const problem = problemOfMembers(line)
  if (problem !== undefined) throw damaged(number, `${line.type}: ${problem}`)
  try {
    fold(state, line as unknown as RunEvent)
  } catch (error) {
    if (isToolnexusError(error)) throw error
    throw damaged(number, messageOf(error), error)
  }
}

function damaged(number: number, fact: string, cause?: unknown): ToolnexusError {
  return new ToolnexusError(
    "damaged",
    `The run is damaged at line ${number}: ${fact}; nothing was changed, put that line right or use a copy from before`,
    {
      details: { line: number },
      cause,
    },
  )
}

/** Whether a journal ends before anything was asked for. */
export function holdsNothing({ root, agents }: RunState): boolean {
  return agents.size === 1 && root?.run.prompt === undefined && root?.messages.length === 0
}

export function notBegun(): ToolnexusError {
  const fact = "It holds no run: the process that began it ended before it recorded what is to be done"
  return new ToolnexusError("no_run", `${fact}; begin it again, in another file`)
}
