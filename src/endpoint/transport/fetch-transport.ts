import type { Clock } from "../../event/clock.ts"
import { IdleTimeoutError } from "../errors/unreachable.ts"
import { watchIdle } from "./idle-watch.ts"
import type { Transport, TransportRequest } from "./transport.ts"

/** Requests over a `fetch` of the caller's. It may ignore its signal: the wait ends all the same. */
export function createFetchTransport(fetch: typeof globalThis.fetch, clock: Clock): Transport {
  return async (request) => {
    request.signal.throwIfAborted()
    const ending = openEnding(request, clock)
    try {
      const response = await ending.race(() =>
        fetch(request.url.href, {
          method: "POST",
          headers: { ...request.headers },
          body: request.body,
          signal: ending.signal,
          redirect: "manual", // a key goes to the host that it was given for, and to no other
        }),
      )
      const headers = Object.fromEntries(response.headers.entries())
      return { status: response.status, headers, body: readBody(response, ending) }
    } catch (error) {
      ending.close()
      throw error
    }
  }
}

interface Ending {
  signal: AbortSignal
  /** Waits for the other side, for an abort, or for the end of patience. */
  race<T>(wait: () => Promise<T>): Promise<T>
  close(): void
}

function openEnding(request: TransportRequest, clock: Clock): Ending {
  const controller = new AbortController()
  const onAbort = () => controller.abort(request.signal.reason)
  request.signal.addEventListener("abort", onAbort, { once: true })
  const idle = () => controller.abort(new IdleTimeoutError(request.idleTimeoutMs))
  const watch = watchIdle(clock, request.idleTimeoutMs, idle)
  return {
    signal: controller.signal,
    race: (wait) => watch.during(() => untilAborted(controller.signal, wait)),
    close() {
      watch.stop()
      request.signal.removeEventListener("abort", onAbort)
    },
  }
}

async function untilAborted<T>(signal: AbortSignal, wait: () => Promise<T>): Promise<T> {
  signal.throwIfAborted()
  // Not Promise.race with one promise for all reads: that one would keep every read's result.
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    signal.addEventListener("abort", onAbort, { once: true })
    const settle = () => signal.removeEventListener("abort", onAbort)
    wait()
      .then(resolve, (error) => reject(signal.aborted ? signal.reason : error))
      .finally(settle)
  })
}

async function* readBody(response: Response, ending: Ending): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader()
  try {
    for (;;) {
      const read = await ending.race(async () => reader?.read())
      if (read === undefined || read.done) return
      yield read.value
    }
  } finally {
    ending.close()
    reader?.cancel().catch(() => {}) // it may have failed already, which was reported
  }
}
