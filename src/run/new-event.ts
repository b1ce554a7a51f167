import type { RunEvent } from "../event/event.ts"
import { carriesWork } from "../event/event-kind.ts"

type Unstamped<E> = E extends unknown ? Omit<E, "at" | "workMs"> : never

/** An event before it says when, and after how much work. */
export type NewEvent = Unstamped<RunEvent>

/**
 * @param event what happened
 * @param stamp `time` in milliseconds since 1970, `workMs` the run's work so far
 */
export function stampEvent(event: NewEvent, { time, workMs }: { time: number; workMs: number }): RunEvent {
  const { type, ...rest } = event
  const work = carriesWork(type) ? { workMs } : {}
  return { type, at: new Date(time).toISOString(), ...rest, ...work } as RunEvent
}
