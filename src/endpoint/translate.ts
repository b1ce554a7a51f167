import type { Message, StyleName } from "../event/event.ts"
import type { Style, WireCall, WireResult } from "./style.ts"

/**
 * A transcript of one style as another says it, rendered from the parse: signatures, reasoning and unknown members stay
 * behind, for only the endpoint that sent them understands them. To that one's style a reply goes back as it came.
 *
 * @param messages balanced: each reply's results right after it
 * @example translateMessages(messages, openai, anthropic)
 */
export function translateMessages(messages: readonly Message[], from: Style, to: Style): Message[] {
  if (from.name === to.name) return [...messages]
  const { rename, isCalled } = openNames()
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
    const came = CAME.get(message)
    if (came?.style === to.name) {
      const own = to.parseMessage(came.message).calls
      for (const [at, { id }] of calls.entries()) isCalled(id, own[at]?.id ?? id)
      out.push(came.message)
      continue
    }
    const rendered = to.renderReply({
      text: reply.text,
      calls: calls.map((call) => ({ ...call, id: rename(call.id) })),
    })
    CAME.set(rendered, came ?? { style: from.name, message })
    out.push(rendered)
  }
  endResults()
  return out
}

/** What a rendered reply was when it came. */
const CAME = new WeakMap<Message, { style: StyleName; message: Message }>()

interface Names {
  rename(id: string): string
  /** The call has its own id again. */
  isCalled(id: string, own: string): void
}

/** Ids that every style takes; two that differ stay different. */
function openNames(): Names {
  const given = new Map<string, string>()
  const taken = new Set<string>()
  const rename = (id: string) => {
    const known = given.get(id)
    if (known !== undefined) return known
    const clean = id.replace(/[^a-zA-Z0-9_-]/g, "_") || "call"
    let name = clean
    for (let n = 2; taken.has(name); n++) name = `${clean}_${n}`
    given.set(id, name)
    taken.add(name)
    return name
  }
  const isCalled = (id: string, own: string) => {
    given.set(id, own)
    taken.add(own)
  }
  return { rename, isCalled }
}
