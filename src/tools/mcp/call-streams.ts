import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js"
import { createParser } from "eventsource-parser"
import { isRecord } from "../../suspension/request.ts"

/** What came on the stream of which call: over HTTP a server answers each request on a stream of its own, and asks there too. */
export interface CallStreams {
  readonly fetch: FetchLike
  /** The token of the call on whose stream a request of the server's came. */
  callOf(requestId: string | number): string | undefined
  /** The transport asks for the rest of no stream any more. */
  giveUp(): void
}

/** A call, by its token and the id of its message. */
interface Owner {
  token: string
  id: unknown
  isAnswered: boolean
}

/**
 * Watches the streams that a fetch opens.
 *
 * @param onLost told of a call whose stream ended without its result, where nothing can bring it any more
 */
export function watchCallStreams(fetch: FetchLike, onLost: (token: string) => void): CallStreams {
  const askedBy = new Map<string | number, string>()
  const resumable = new Map<string, Owner>()
  /** Those whose streams have ended without their results, and may be gone on with. */
  const broken = new Set<Owner>()
  const watch = (owner: Owner, body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> => {
    let lastEventId: string | undefined
    const note = (message: unknown) => {
      if (!isRecord(message)) return
      if (typeof message.method !== "string") owner.isAnswered ||= message.id === owner.id
      else if (typeof message.id === "string" || typeof message.id === "number") askedBy.set(message.id, owner.token)
    }
    const parser = createParser({
      onEvent({ id, data }) {
        if (id !== undefined) {
          if (lastEventId !== undefined) resumable.delete(lastEventId)
          lastEventId = id
          resumable.set(id, owner)
        }
        for (const message of messagesIn(data)) note(message)
      },
    })
    const end = () => {
      if (owner.isAnswered && lastEventId !== undefined) resumable.delete(lastEventId)
      if (owner.isAnswered) return
      // With an id of an event the transport asks for the rest of the stream.
      if (lastEventId === undefined) onLost(owner.token)
      else broken.add(owner)
    }
    return watched(body, { see: parser.feed, end })
  }
  return {
    callOf(requestId) {
      const token = askedBy.get(requestId)
      askedBy.delete(requestId)
      return token
    },
    giveUp() {
      for (const { token } of broken) onLost(token)
      broken.clear()
    },
    async fetch(url, init) {
      const response = await fetch(url, init)
      const owner = ownerOf(init, resumable)
      if (!owner || !response.body || !isEventStream(response)) return response
      broken.delete(owner)
      const { status, headers } = response
      return new Response(watch(owner, response.body), { status, headers })
    },
  }
}

/** The call that a request makes, or whose stream it goes on with. */
function ownerOf(init: RequestInit | undefined, resumable: ReadonlyMap<string, Owner>): Owner | undefined {
  const lastEventId = new Headers(init?.headers).get("last-event-id")
  if (lastEventId !== null) return resumable.get(lastEventId)
  const [message] = typeof init?.body === "string" ? messagesIn(init.body) : []
  if (!isRecord(message) || !isRecord(message.params) || message.method !== "tools/call") return undefined
  const meta = message.params._meta
  const token = isRecord(meta) ? meta.progressToken : undefined
  return typeof token === "string" ? { token, id: message.id, isAnswered: false } : undefined
}

function isEventStream(response: Response): boolean {
  return response.headers.get("content-type")?.startsWith("text/event-stream") ?? false
}

function messagesIn(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : [value]
  } catch {
    return [] // the transport reads it too, and says so
  }
}

/** Sees the text that passes, and its end, however it comes. */
function watched(
  body: ReadableStream<Uint8Array>,
  { see, end }: { see(text: string): void; end(): void },
): ReadableStream<Uint8Array> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) {
          controller.close()
          return end()
        }
        see(decoder.decode(value, { stream: true }))
        controller.enqueue(value)
      } catch (error) {
        controller.error(error)
        end()
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}
