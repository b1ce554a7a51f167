import type { Clock } from "./clock.ts"

/** Node fires a longer timer at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    let timer: NodeJS.Timeout
    const arm = (left: number): void => {
      const step = Math.min(left, LONGEST_TIMER_MS)
      timer = setTimeout(() => (left > step ? arm(left - step) : callback()), step)
    }
    arm(ms)
    return () => clearTimeout(timer)
  },
}
