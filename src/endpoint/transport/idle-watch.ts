import type { Clock } from "../../event/clock.ts"

/** Watches for silence: only the time in which we wait for the other side counts. */
export interface IdleWatch {
  /** Waits for what the other side does. */
  during<T>(wait: () => Promise<T>): Promise<T>
  stop(): void
}

/**
 * @param idleTimeoutMs 0 is no limit
 * @param onIdle called once, when a wait has taken `idleTimeoutMs`
 * @example const chunk = await watch.during(() => reader.read())
 */
export function watchIdle(clock: Clock, idleTimeoutMs: number, onIdle: () => void): IdleWatch {
  let waitingSince: number | undefined
  // One timer for the whole reply, not one a read: it looks where it stands when it fires.
  const look = () => {
    const left = waitingSince === undefined ? idleTimeoutMs : waitingSince + idleTimeoutMs - clock.now()
    if (left > 0) cancel = clock.after(left, look)
    else onIdle()
  }
  let cancel = idleTimeoutMs > 0 ? clock.after(idleTimeoutMs, look) : () => {}
  return {
    async during(wait) {
      waitingSince = clock.now()
      try {
        return await wait()
      } finally {
        waitingSince = undefined
      }
    },
    stop: () => cancel(),
  }
}
