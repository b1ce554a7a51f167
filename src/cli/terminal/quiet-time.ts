import type { Clock } from "../../index.ts"

const QUIET_MS = 350
const AT_MOST_MS = 2000

/** The time in which keys do not count yet: 350 ms from the last key, 2 s in all. */
export interface QuietTime {
  over(): boolean
  /** A key came: it starts again. */
  key(): void
  stop(): void
}

export function startQuietTime(clock: Clock, whenOver: () => void): QuietTime {
  const latest = clock.now() + AT_MOST_MS
  let over = false
  let stop = clock.after(QUIET_MS, end)
  function end(): void {
    over = true
    whenOver()
  }
  return {
    over: () => over,
    key() {
      if (over) return
      stop()
      stop = clock.after(Math.max(0, Math.min(QUIET_MS, latest - clock.now())), end)
    },
    stop: () => stop(),
  }
}
