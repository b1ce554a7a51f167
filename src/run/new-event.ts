import { problemOfEvent } from "../event/check-event.ts"
import type { RunEvent } from "../event/event.ts"
import { carriesWork } from "../event/event-kind.ts"
import { ToolnexusError } from "../tool/error.ts"

type Unstamped<E> = E extends unknown ? Omit<E, "at" | "workMs"> : never

/** An event before it says when, and after how much work. */
export type NewEvent = Unstamped<RunEvent>

/**
 * @param event what happened
 * @param stamp `time` in milliseconds since 1970, `workMs` the run's work so far
 * @throws ToolnexusError `journal` for one that could not be read again
 */
export function stampEvent(event: NewEvent, { time, workMs }: { time: number; workMs: number }): RunEvent {
  const { type, ...rest } = event
  const work = carriesWork(type) ? { workMs } : {}
  const stamped = { type, at: new Date(time).toISOString(), ...rest, ...work }
  requireReadable(stamped)
  return stamped as RunEvent
}

/** What is written is read by the same check: a line that does not pass it would make the whole run unreadable. */
function requireReadable(event: { type: string }): void {
  const problem = problemOfEvent({ ...event })
  if (problem === undefined) return
  throw new ToolnexusError(
    "journal",
    `${event.type} cannot be recorded: ${problem}; correct what the host, the tool or the endpoint gives there`,
    { details: { type: event.type } },
  )
}
