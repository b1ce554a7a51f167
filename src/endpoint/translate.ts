import type { Message } from "../event/event.ts"
import type { Style, WireCall, WireResult } from "./style.ts"

/**
 * A transcript of one style as another says it, rendered from the parse: signatures, reasoning and unknown members stay
 * behind, for only the endpoint that sent them understands them.
 *
 * @param messages balanced: each reply's results right after it
 * @example translateMessages(messages, openai, anthropic)
 */
export function translateMessages(messages: readonly Message[], from: Style, to: Style): Message[] {
  if (from.name === to.name) return [...messages]
  const rename = openNames()
  const out: Message[] = []
  let calls: readonly WireCall[] = []
  let results: WireResult[] = []
  // Those of one turn may be several messages here and one there.
  const endResults = () => {
    out.push(...to.renderResults(results))
    results = []
  }
  for (const message of messages) {
    for (const { id, output } of from.parseResults([message])) {
      const name = calls.find((call) => call.id === id)?.name ?? ""
      results.push({ id: rename(id), name, output, isError: false })
    }
    const isReply = message.role === "assistant"
    const said = from.parseUser(message)
    if (isReply || said !== "") endResults()
    if (said !== "") out.push(to.renderUser(said))
    if (!isReply) continue
    const reply = from.parseMessage(message)
    calls = reply.calls
    out.push(to.renderReply({ text: reply.text, calls: calls.map((call) => ({ ...call, id: rename(call.id) })) }))
  }
  endResults()
  return out
}

/** Ids that every style takes; two that differ stay different. */
function openNames(): (id: string) => string {
  const given = new Map<string, string>()
  const taken = new Set<string>()
  return (id) => {
    const known = given.get(id)
    if (known !== undefined) return known
    const clean = id.replace(/[^a-zA-Z0-9_-]/g, "_") || "call"
    let name = clean
    for (let n = 2; taken.has(name); n++) name = `${clean}_${n}`
    given.set(id, name)
    taken.add(name)
    return name
  }
}
