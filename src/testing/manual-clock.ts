import type { Clock } from "../index.ts"

/** Time that moves when told. */
export interface ManualClock extends Clock {
  /** Moves it on, and calls back what falls due on the way, in order. */
  advance(ms: number): void
  /** How many callbacks wait. */
  readonly waiting: number
}

/**
 * A clock for tests.
 *
 * @param start milliseconds since 1970
 * @example
 * const clock = manualClock(Date.parse("2030-01-01T00:00:00Z"))
 * clock.advance(60_000)
 */
export function manualClock(start: number = Date.parse("2030-01-01T00:00:00Z")): ManualClock {
  let time = start
  const alarms = new Set<{ at: number; callback: () => void }>()
  const nextDue = (until: number) => [...alarms].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0]
  return {
    now: () => time,
    after(ms, callback) {
      const alarm = { at: time + Math.max(0, ms), callback }
      alarms.add(alarm)
      return () => void alarms.delete(alarm)
    },
    advance(ms) {
      const until = time + ms
      for (let due = nextDue(until); due; due = nextDue(until)) {
        time = due.at
        alarms.delete(due)
        due.callback()
      }
      time = until
    },
    get waiting() {
      return alarms.size
    },
  }
}
