import type { Clock } from "../../src/event/clock.ts"

/** A clock that moves only when it is told to. */
export interface HandClock extends Clock {
  /** Moves on, calling back in order what becomes due on the way. */
  move(ms: number): void
}

export function handClock(start: number = Date.UTC(2026, 0, 1)): HandClock {
  let now = start
  let last = 0
  const due = new Map<number, { at: number; callback: () => void }>()
  return {
    now: () => now,
    after(ms, callback) {
      const key = ++last
      due.set(key, { at: now + ms, callback })
      return () => due.delete(key)
    },
    move(ms) {
      const until = now + ms
      while (true) {
        const [first] = [...due].filter(([, { at }]) => at <= until).sort(([a, x], [b, y]) => x.at - y.at || a - b)
        if (!first) break
        const [key, { at, callback }] = first
        due.delete(key)
        now = Math.max(now, at)
        callback()
      }
      now = until
    },
  }
}
