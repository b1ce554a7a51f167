import type { IncomingMessage, RequestOptions } from "node:http"
import { Readable } from "node:stream"
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js"

/** A reply of one piece, or an event of a stream, may be this long. */
const MAX_BYTES = 16 * 1024 * 1024

/** Statuses whose replies have no body. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304])

/**
 * `fetch` over `node:http`. The built-in one ends a reply that is silent for five minutes, and a person may think for longer.
 * Each request has a connection of its own: one that is sent twice because a kept connection had gone could act twice.
 */
export const nodeFetch: FetchLike = async (address, init = {}) => {
  const url = new URL(address)
  const { request } = url.protocol === "https:" ? await import("node:https") : await import("node:http")
  const signal = init.signal ?? undefined
  signal?.throwIfAborted()
  const body = typeof init.body === "string" ? Buffer.from(init.body) : undefined
  const options: RequestOptions = {
    method: init.method ?? "GET",
    agent: false,
    headers: {
      ...Object.fromEntries(new Headers(init.headers)),
      ...(body ? { "content-length": body.byteLength } : {}),
    },
  }
  return new Promise((resolve, reject) => {
    const outgoing = request(url, options)
    const abort = () => outgoing.destroy(abortError(signal))
    signal?.addEventListener("abort", abort, { once: true })
    outgoing.once("close", () => signal?.removeEventListener("abort", abort))
    outgoing.once("socket", (socket) => {
      socket.setKeepAlive(true, 30_000) // a machine that is gone says nothing
      socket.unref() // who waits for an answer keeps a timer
    })
    outgoing.on("error", reject)
    outgoing.once("response", (incoming) => resolve(responseOf(incoming)))
    outgoing.end(body)
  })
}

function abortError(signal: AbortSignal | undefined): Error {
  return signal?.reason instanceof Error ? signal.reason : new DOMException("aborted", "AbortError")
}

function responseOf(incoming: IncomingMessage): Response {
  const status = incoming.statusCode ?? 0
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value))
  incoming.on("error", () => {}) // whoever reads is told
  if (EMPTY.has(status)) {
    incoming.resume()
    return new Response(null, { status, headers })
  }
  return new Response(bounded(incoming), { status, headers })
}

/** An empty line ends an event, and what came before it is forgotten. */
function bounded(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  let length = 0
  return (Readable.toWeb(incoming) as ReadableStream<Uint8Array>).pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
        const end = Math.max(text.lastIndexOf("\n\n"), text.lastIndexOf("\r\n\r\n"))
        length = end < 0 ? length + bytes.byteLength : bytes.byteLength - end
        if (length > MAX_BYTES) controller.error(new Error(`it sent more than ${MAX_BYTES / 2 ** 20} MiB in one piece`))
        else controller.enqueue(bytes)
      },
    }),
  )
}
