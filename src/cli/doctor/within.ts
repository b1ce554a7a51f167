import type { Clock } from "../../index.ts"

export interface Limit {
  clock: Clock
  /** Aborted when the command is stopped. */
  signal: AbortSignal
  ms: number
}

/**
 * What work gives, or what is said of it when it takes too long: it is told to stop then, and not waited for.
 *
 * @param late what to say when the time is over
 */
export async function within<T>(limit: Limit, work: (signal: AbortSignal) => Promise<T>, late: () => T): Promise<T> {
  const stop = new AbortController()
  const signal = AbortSignal.any([limit.signal, stop.signal])
  let cancel = () => {}
  const over = new Promise<T>((resolve) => {
    cancel = limit.clock.after(limit.ms, () => {
      resolve(late())
      stop.abort()
    })
  })
  try {
    return await Promise.race([work(signal), over])
  } finally {
    cancel()
  }
}
