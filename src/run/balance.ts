import type { Style, WireCall } from "../endpoint/style.ts"
import type { Message } from "../event/event.ts"
import { ToolnexusError } from "../tool/error.ts"

/**
 * Whether a transcript may be sent: one result for each call, in the order in which the model made them, right after the message
 * that made them, and no other result. An endpoint refuses anything else for good.
 *
 * @param settled the transcript without the latest results: it only grows, and what was looked at is not looked at again
 * @param results those of the calls of its last message
 * @throws ToolnexusError `damaged`, naming the call
 */
export function requireBalanced(settled: readonly Message[], results: readonly Message[], style: Style): void {
  const from = CHECKED.get(settled) ?? 0
  const problem = imbalanceOf([...settled.slice(from), ...results], style, from)
  if (problem !== undefined) {
    throw new ToolnexusError("damaged", `The transcript was not sent: ${problem}; give each call one result, in order`)
  }
  CHECKED.set(settled, results.length > 0 ? settled.length - 1 : settled.length)
}

const CHECKED = new WeakMap<readonly Message[], number>()

/**
 * What is wrong with a transcript, or `undefined`.
 *
 * @param before how many messages stand before these, for the message
 */
export function imbalanceOf(messages: readonly Message[], style: Style, before = 0): string | undefined {
  let due: WireCall[] = []
  let number = before
  for (const message of messages) {
    number += 1
    const results = style.parseResults([message])
    for (const { id } of results) {
      const call = due.shift()
      if (call?.id !== id) return `message ${number} is a result of ${id || "no call"}, and ${expected(call)}`
    }
    if (results.length > 0) continue
    if (due[0]) return `${named(due[0])} has no result before message ${number}`
    if (message.role === "assistant") due = [...style.parseMessage(message).calls]
    const shared = withoutOwnId(due)
    if (shared) return `${named(shared)} of message ${number} has no id of its own`
  }
  return due[0] && `${named(due[0])} has no result`
}

/** The first call whose id another one has too, or that has none: results go by it. */
export function withoutOwnId(calls: readonly WireCall[]): WireCall | undefined {
  if (calls.length < 2) return calls[0]?.id === "" ? calls[0] : undefined
  const seen = new Set([""])
  return calls.find(({ id }) => seen.size === seen.add(id).size)
}

function expected(call: WireCall | undefined): string {
  return call ? `that of ${named(call)} is due` : "none is due"
}

function named({ name, id }: WireCall): string {
  return `the call ${id} (${name})`
}
