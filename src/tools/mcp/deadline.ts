import type { Clock } from "../../event/clock.ts"

/** The reason when the time is up. */
export class Late extends Error {}

/** A signal for as long as something may take. */
export interface Deadline {
  readonly signal: AbortSignal
  /** It is done. */
  release(): void
}

/**
 * @param ms how long
 * @param why the message of the reason, a {@link Late}
 * @param stop aborts it too
 */
export function deadlineIn(clock: Clock, ms: number, why: string, stop: AbortSignal): Deadline {
  const controller = new AbortController()
  const cancel = clock.after(ms, () => controller.abort(new Late(why)))
  const onStop = () => controller.abort(stop.reason)
  stop.addEventListener("abort", onStop, { once: true })
  if (stop.aborted) onStop()
  return {
    signal: controller.signal,
    release() {
      cancel()
      stop.removeEventListener("abort", onStop)
    },
  }
}
