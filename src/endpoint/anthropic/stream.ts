import { isRecord } from "../../suspension/request.ts"
import { isError } from "../errors/error-kind.ts"
import { brokenReply, emptyReply, errorInReply } from "../errors/provider-error.ts"
import { eventJson } from "../reply/event-json.ts"
import type { SseEvent } from "../reply/sse.ts"
import { openTextTemplate, type TextTemplate } from "../reply/text-template.ts"
import { realStop } from "../stop.ts"
import type { StreamReader } from "../style.ts"
import { type BlockAssembly, openBlockAssembly } from "./blocks.ts"
import { laterUsage } from "./usage.ts"

const OWN_NAMES: ReadonlySet<string> = new Set([
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
  "message",
])

interface Assembly {
  blocks: BlockAssembly
  /** Members of the message that are told once: id, model. */
  head: Record<string, unknown>
  usage: unknown
  stop: string | undefined
  isDone: boolean
  /** Anything of a message came. */
  hasBegun: boolean
  /** The first event that is none of ours: perhaps it says why there is no message. */
  odd: Record<string, unknown> | undefined
}

/** Puts the events of `/v1/messages` together into the body that a plain reply has. */
export function openAnthropicStream(): StreamReader {
  const state: Assembly = {
    blocks: openBlockAssembly(),
    head: {},
    usage: undefined,
    stop: undefined,
    isDone: false,
    hasBegun: false,
    odd: undefined,
  }
  const template = openTextTemplate()
  return {
    read: (event) => readJson(state, event, template),
    take: template.take,
    get ended() {
      return state.isDone
    },
    end: () => wholeBody(state),
  }
}

function readJson(state: Assembly, event: SseEvent, template: TextTemplate): string {
  const json = eventJson(event, OWN_NAMES)
  if (json.is === "done") state.isDone = true
  if (json.is !== "value" || !isRecord(json.value)) return ""
  const { type: given, index } = json.value
  const type = typeof given === "string" ? given : (event.event ?? "")
  const text = readEvent(state, type, json.value)
  if (text !== "" && type === "content_block_delta") {
    template.note(event, "text", (other) => state.blocks.add(index, { type: "text_delta", text: other }))
  }
  return text
}

function readEvent(state: Assembly, type: string, data: Record<string, unknown>): string {
  if (type === "error" || isError(data.error)) throw streamError(data)
  if (OWN_NAMES.has(type)) state.hasBegun = true
  else if (type !== "ping") state.odd ??= data
  switch (type) {
    case "message": // all of it in one event
      return Array.isArray(data.content) ? readStart(state, data) : ""
    case "message_start":
      return readStart(state, data.message)
    case "content_block_start":
      return state.blocks.start(data.index, data.content_block)
    case "content_block_delta":
      return state.blocks.add(data.index, data.delta)
    case "message_delta":
      if (isRecord(data.delta)) state.stop = realStop(data.delta.stop_reason) ?? state.stop
      state.usage = laterUsage(state.usage, data.usage)
      return ""
    case "message_stop":
      state.isDone = true
      return ""
    default:
      return "" // ping, and what later versions add
  }
}

function streamError(data: Record<string, unknown>): Error {
  return errorInReply(data, typeof data.request_id === "string" ? data.request_id : undefined)
}

function readStart(state: Assembly, message: unknown): string {
  if (!isRecord(message)) return ""
  const { content, usage, stop_reason, ...head } = message
  state.head = head
  state.usage = laterUsage(state.usage, usage)
  state.stop = realStop(stop_reason) ?? state.stop
  const blocks: unknown[] = Array.isArray(content) ? content : []
  return blocks.map((block, at) => state.blocks.start(`start ${at}`, block)).join("")
}

function wholeBody(state: Assembly): unknown {
  if (!state.hasBegun && state.odd) return state.odd
  if (!state.isDone && state.stop === undefined) {
    const hint = "the connection ended without a stop reason"
    throw brokenReply(`The reply is incomplete: ${hint}, so nothing of it was run; try again`, { retryable: true })
  }
  if (!state.hasBegun) throw emptyReply()
  const { head, usage, stop, blocks } = state
  return { ...head, content: blocks.end(), stop_reason: stop ?? null, ...(usage === undefined ? {} : { usage }) }
}
