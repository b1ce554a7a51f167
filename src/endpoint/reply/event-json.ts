import { brokenReply } from "../errors/provider-error.ts"
import type { SseEvent } from "./sse.ts"

const DONE = "[DONE]"
// Sent as data by servers that know no comments.
const KEEP_ALIVE = /^\s*(|ping|\[ping\]|heartbeat|keep-?alive|processing|undefined|null)\s*$/i

/** What an event holds: the JSON value, the sign that the stream is over, or nothing that concerns a reply. */
export type EventJson = { is: "value"; value: unknown } | { is: "done" } | { is: "nothing" }

/**
 * @param ownNames the event names of the style; an event of another name that is no JSON is none of ours
 * @throws ProviderError for data that is neither JSON nor a known sign
 */
export function eventJson(event: SseEvent, ownNames: ReadonlySet<string>): EventJson {
  const { event: name } = event
  let { data } = event
  if (data.charCodeAt(0) !== 123) {
    data = data.replace(/^(data: ?)+/, "") // said twice by some proxies
    const trimmed = data.trim()
    if (trimmed === DONE) return { is: "done" }
    if (KEEP_ALIVE.test(trimmed)) return { is: "nothing" }
  }
  try {
    const value: unknown = JSON.parse(data)
    // Written as a JSON text of the JSON text.
    if (typeof value === "string" && /^(\{|\[DONE\])/.test(value)) return eventJson({ ...event, data: value }, ownNames)
    // Some gateways put an error, and only that, into a list of one.
    return { is: "value", value: Array.isArray(value) && value.length === 1 ? value[0] : value }
  } catch (error) {
    if (event.isCut) return { is: "nothing" } // that the reply is incomplete is seen at its end
    if (name === "error") return { is: "value", value: { error: data } }
    if (name !== undefined && !ownNames.has(name)) return { is: "nothing" }
    throw brokenReply("The endpoint sent an event that is malformed: its data is not JSON", {
      body: data,
      cause: error,
    })
  }
}
