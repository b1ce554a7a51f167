import type { IncomingMessage } from "node:http"
import type { Readable } from "node:stream"
import type { Clock } from "../../event/clock.ts"
import { IdleTimeoutError } from "../errors/unreachable.ts"
import { decodeContent } from "./decode-content.ts"
import { watchIdle } from "./idle-watch.ts"
import type { Transport, TransportRequest, TransportResponse } from "./transport.ts"
import { openWire, type Wire } from "./wire.ts"

/**
 * Requests over `node:http` and `node:https` (the latter loaded when first needed), with connections kept alive. An
 * idle connection keeps no process alive.
 *
 * @param proxy what all requests go through; without one they go straight to their hosts
 */
export function createNodeTransport(clock: Clock, proxy?: URL): Transport {
  const wires = new Map<string, Promise<Wire>>()
  return async (request) => {
    request.signal.throwIfAborted()
    const { protocol } = request.url
    if (!wires.has(protocol)) wires.set(protocol, openWire(protocol, proxy))
    const wire = await (wires.get(protocol) as Promise<Wire>)
    request.signal.throwIfAborted()
    try {
      return await send(request, wire, clock)
    } catch (error) {
      // The server closed a kept connection while we wrote to it: it has seen nothing, so a fresh one is no second attempt.
      if (!(error instanceof StaleConnectionError)) throw error
      return await send(request, { ...wire, agent: wire.freshAgent() }, clock)
    }
  }
}

class StaleConnectionError extends Error {}

async function send(request: TransportRequest, wire: Wire, clock: Clock): Promise<TransportResponse> {
  const bytes = Buffer.from(request.body, "utf8")
  const dropping = new AbortController()
  const { to, options } = wire.route(request.url, dropping.signal)
  const outgoing = wire.request(to, {
    ...options,
    method: "POST",
    agent: wire.agent,
    headers: {
      "accept-encoding": "gzip, deflate, br",
      ...options.headers,
      ...request.headers,
      "content-length": bytes.byteLength,
    },
  })
  const drop = (reason?: Error) => {
    outgoing.destroy(reason)
    dropping.abort(reason)
  }
  const ending = openEnding(drop, request, clock)
  try {
    const incoming = await ending.during(
      () =>
        new Promise<IncomingMessage>((resolve, reject) => {
          outgoing.on("response", resolve)
          outgoing.on("error", reject)
          outgoing.end(bytes)
        }),
    )
    return { status: incoming.statusCode ?? 0, headers: flatHeaders(incoming), body: readBody(incoming, ending) }
  } catch (error) {
    ending.close()
    if (outgoing.reusedSocket && isReset(error)) throw new StaleConnectionError()
    throw error
  }
}

/** What ends a request before the other side does: an abort, or silence. */
interface Ending {
  /** Waits for the other side. @throws the signal's reason, {@link IdleTimeoutError}, or what happened */
  during<T>(wait: () => Promise<T>): Promise<T>
  close(): void
}

type Drop = (reason?: Error) => void

function openEnding(drop: Drop, { signal, idleTimeoutMs }: TransportRequest, clock: Clock): Ending {
  let silence: IdleTimeoutError | undefined
  const watch = watchIdle(clock, idleTimeoutMs, () => {
    silence = new IdleTimeoutError(idleTimeoutMs)
    drop(silence)
  })
  const onAbort = () => drop()
  signal.addEventListener("abort", onAbort, { once: true })
  return {
    async during(wait) {
      try {
        return await watch.during(wait)
      } catch (error) {
        signal.throwIfAborted()
        throw silence ?? error // node:http says "aborted" for all that destroys a request
      }
    },
    close() {
      watch.stop()
      signal.removeEventListener("abort", onAbort)
    },
  }
}

async function* readBody(incoming: IncomingMessage, ending: Ending): AsyncGenerator<Uint8Array> {
  incoming.on("error", () => {}) // whoever reads is told; after the reply it is of no interest
  let body: Readable = incoming
  try {
    body = await ending.during(() => decodeContent(incoming, incoming.headers["content-encoding"]))
    const chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Uint8Array>
    try {
      for (;;) {
        const { done, value } = await ending.during(() => chunks.next())
        if (done) return
        yield value
      }
    } finally {
      await chunks.return?.()
    }
  } finally {
    ending.close()
    if (body !== incoming) body.destroy()
    release(incoming)
  }
}

/** How long the end of a reply that is already understood may take before its connection is dropped. */
const LINGER_MS = 1000

/** Lets a reply that was left early run out, so that its connection can be used again; nothing is kept alive by that. */
function release(incoming: IncomingMessage): void {
  if (incoming.complete || incoming.destroyed) return
  const timer = setTimeout(() => incoming.destroy(), LINGER_MS).unref()
  incoming.once("close", () => clearTimeout(timer))
  incoming.socket.unref()
  incoming.unpipe()
  incoming.resume()
}

function flatHeaders(incoming: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value
  }
  return headers
}

function isReset(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ECONNRESET" || error.code === "EPIPE")
}
