import { setMaxListeners } from "node:events"

/** One signal out of several, for as long as something runs. */
export interface JoinedSignal {
  signal: AbortSignal
  /** Lets go of the sources: they may live much longer. */
  release(): void
}

/**
 * Aborted as soon as one of the signals is, with its reason. (`AbortSignal.any` keeps what hangs on a long-lived source.)
 */
export function joinSignals(signals: readonly (AbortSignal | undefined)[]): JoinedSignal {
  const controller = new AbortController()
  const sources = signals.filter((signal) => signal !== undefined)
  const stop = (event: Event) => controller.abort((event.target as AbortSignal).reason)
  for (const source of sources) {
    // A turn may have hundreds of calls, all of which one signal stops.
    setMaxListeners(0, source)
    if (source.aborted) controller.abort(source.reason)
    else source.addEventListener("abort", stop, { once: true })
  }
  return {
    signal: controller.signal,
    release() {
      for (const source of sources) source.removeEventListener("abort", stop)
    },
  }
}
