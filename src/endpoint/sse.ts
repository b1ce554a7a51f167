import { createParser } from "eventsource-parser"
import { brokenReply } from "./provider-error.ts"

/** One server-sent event: its data lines joined, and its name where it has one. */
export interface SseEvent {
  name?: string
  data: string
  /** The text ended before its blank line: it may be incomplete. */
  isCut?: true
}

/** A single event longer than this is no reply, in characters. */
const MAX_EVENT = 64 * 1024 * 1024

/**
 * Reads a text of server-sent events, cut anywhere.
 *
 * @param texts decoded pieces, in order
 * @returns the events of each piece; the last ones when the text ends, also where their blank line is missing
 * @throws ProviderError for an event without end
 */
export async function* readSse(texts: AsyncIterable<string>): AsyncGenerator<SseEvent[]> {
  let events: SseEvent[] = []
  const parser = createParser({
    maxBufferSize: MAX_EVENT,
    onEvent: ({ event, data }) => events.push(event === undefined ? { data } : { name: event, data }),
    onError: (error) => {
      // Some servers say `error: {...}` where others say `data: {"error": ...}`.
      if (error.type === "unknown-field" && error.field === "error")
        events.push({ name: "error", data: error.value ?? "" })
      if (error.type === "max-buffer-size-exceeded") throw brokenReply("The endpoint sent an event without end")
    },
  })
  const lines = lineFeeds()
  for await (const text of texts) {
    parser.feed(lines(text))
    if (events.length === 0) continue
    yield events
    events = []
  }
  parser.feed("\n\n")
  if (events.length > 0) yield events.map((event) => ({ ...event, isCut: true }))
}

/** CR and CRLF as LF, also where a read ends between the two: the parser waits after a CR and scans far for each. */
function lineFeeds(): (text: string) => string {
  let endedInCr = false
  return (text) => {
    const rest = endedInCr && text.startsWith("\n") ? text.slice(1) : text
    if (text !== "") endedInCr = text.endsWith("\r")
    return rest.includes("\r") ? rest.replace(/\r\n?/g, "\n") : rest
  }
}
