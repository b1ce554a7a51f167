import { brokenReply } from "./provider-error.ts"

/** One server-sent event: its data lines joined, and its name where it has one. */
export interface SseEvent {
  event?: string | undefined
  data: string
  /** The text ended before its blank line: it may be incomplete. */
  isCut?: true
}

/** Takes a text of server-sent events, cut anywhere. */
export interface SseReader {
  /** @throws ProviderError for an event without end, and what the listener throws */
  feed(text: string): void
  /** The text is over: its last event counts, also where its blank line is missing. */
  end(): void
}

/** A single event longer than this is no reply, in characters. */
const MAX_EVENT = 64 * 1024 * 1024

/** A plain reply takes no parser. */
export const loadSseParser = (): Promise<typeof import("eventsource-parser")> => import("eventsource-parser")

/** @param onEvent called with each event as soon as it is complete */
export async function openSse(onEvent: (event: SseEvent) => void): Promise<SseReader> {
  const { createParser } = await loadSseParser()
  let isOver = false
  const lines = lineFeeds()
  const parser = createParser({
    maxBufferSize: MAX_EVENT,
    onEvent: (event) => onEvent(isOver ? { ...event, isCut: true } : event),
    onError: (error) => {
      // Some servers say `error: {...}` where others say `data: {"error": ...}`.
      if (error.type === "unknown-field" && error.field === "error")
        onEvent({ event: "error", data: error.value ?? "", ...(isOver ? { isCut: true } : {}) })
      if (error.type === "max-buffer-size-exceeded") throw brokenReply("The endpoint sent an event without end")
    },
  })
  return {
    feed: (text) => parser.feed(lines(text)),
    end() {
      isOver = true
      parser.feed("\n\n")
    },
  }
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
