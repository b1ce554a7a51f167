import { brokenReply } from "../errors/provider-error.ts"

/** One server-sent event: its data lines joined, and its name where it has one. */
export interface SseEvent {
  event?: string | undefined
  data: string
  /** It may be incomplete: the text ended before its blank line, or it has not the form of an event. */
  isCut?: true
  /** All of it as it came, its blank line too; absent where it came in parts. */
  raw?: string
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

/** Who is given what a stream holds. */
export interface SseListener {
  /** Called with each event as soon as it is complete. */
  onEvent(event: SseEvent): void
  /**
   * May take whole events by itself.
   *
   * @param at where one begins
   * @returns where the first begins that it did not take
   */
  take(stream: string, at: number): number
}

export async function openSse({ onEvent, take }: SseListener): Promise<SseReader> {
  const { createParser } = await loadSseParser()
  let isOver = false
  let raw: string | undefined
  const lines = lineFeeds()
  const parser = createParser({
    maxBufferSize: MAX_EVENT,
    onEvent({ event, data }) {
      onEvent({ event, data, ...(isOver ? { isCut: true } : {}), ...(raw === undefined ? {} : { raw }) })
    },
    onError: (error) => {
      // Some servers say `error: {...}` where others say `data: {"error": ...}`; or nothing but `{"error": ...}`.
      if (error.type === "unknown-field" && error.field === "error")
        onEvent({ event: "error", data: error.value ?? "", ...(isOver ? { isCut: true } : {}) })
      else if (error.line?.startsWith("{")) onEvent({ data: error.line, isCut: true })
      if (error.type === "max-buffer-size-exceeded") throw brokenReply("The endpoint sent an event without end")
    },
  })
  let isBetween = true
  return {
    feed(text) {
      const stream = lines(text)
      for (let at = 0; at < stream.length; ) {
        if (isBetween) at = take(stream, at)
        const end = stream.indexOf("\n\n", at)
        const part = stream.slice(at, end < 0 ? stream.length : end + 2)
        raw = isBetween && end >= 0 ? part : undefined
        if (part !== "") parser.feed(part)
        isBetween = end >= 0 || part === ""
        at += part.length
      }
    },
    end() {
      isOver = true
      raw = undefined
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
