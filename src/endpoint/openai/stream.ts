import { isRecord } from "../../suspension/request.ts"
import type { ToolSpec } from "../../tool/tool.ts"
import { isError } from "../errors/error-kind.ts"
import { brokenReply, emptyReply, errorInReply } from "../errors/provider-error.ts"
import { eventJson } from "../reply/event-json.ts"
import type { SseEvent } from "../reply/sse.ts"
import { openTextTemplate, type TextTemplate } from "../reply/text-template.ts"
import { realStop } from "../stop.ts"
import type { StreamReader } from "../style.ts"
import { type CallAssembly, listOfCalls, openCallAssembly } from "./calls.ts"
import { type DeltaMerge, openDeltaMerge } from "./delta.ts"
import { messageIn } from "./message.ts"

// The names that servers give to the chunks themselves.
const OWN_NAMES: ReadonlySet<string> = new Set(["message", "chunk", "data", "completion", "chat.completion.chunk"])

interface Assembly {
  calls: CallAssembly
  message: DeltaMerge
  /** Members of the chunks that are told once: id, model. */
  head: Record<string, unknown>
  usage: unknown
  stop: string | undefined
  isDone: boolean
  choice: unknown
  /** The first that is no chunk of a reply: perhaps it says why there is none. */
  odd: Record<string, unknown> | undefined
}

/** Puts the chunks of `/chat/completions` together into the body that a plain reply has. */
export function openOpenaiStream(tools: readonly ToolSpec[]): StreamReader {
  const state: Assembly = {
    calls: openCallAssembly(tools),
    message: openDeltaMerge(),
    head: {},
    usage: undefined,
    stop: undefined,
    isDone: false,
    choice: undefined,
    odd: undefined,
  }
  const template = openTextTemplate()
  return {
    read: (event) => readEvent(state, event, template),
    take: template.take,
    get ended() {
      return state.isDone
    },
    end: () => wholeBody(state),
  }
}

function readEvent(state: Assembly, event: SseEvent, template: TextTemplate): string {
  const json = eventJson(event, OWN_NAMES)
  if (json.is === "done") state.isDone = true
  if (json.is !== "value" || !isRecord(json.value)) return ""
  const text = readChunk(state, json.value, event.event)
  if (text !== "" && saysTextOnly(state, json.value)) {
    template.note(event, "content", (content) => state.message.add({ content }))
  }
  return text
}

/** Whether the same chunk again would add its text and change nothing else. */
function saysTextOnly(state: Assembly, chunk: Record<string, unknown>): boolean {
  const choice = chosen(state, chunk.choices)
  if (!choice || usageOf(chunk) || choice.usage || realStop(choice.finish_reason)) return false
  const { delta } = choice
  return isRecord(delta) && typeof delta.content === "string" && Object.keys(delta).every((key) => TEXT_KEYS.has(key))
}

const TEXT_KEYS: ReadonlySet<string> = new Set(["content", "role"])

function readChunk(state: Assembly, chunk: Record<string, unknown>, name: string | undefined): string {
  const error = errorIn(chunk, name)
  if (error) throw errorInReply(error)
  const choice = chosen(state, chunk.choices)
  if (!choice && !Array.isArray(chunk.choices) && !isRecord(chunk.usage)) state.odd ??= chunk
  if (isError(choice?.error)) throw errorInReply(choice?.error)
  state.usage = usageOf(chunk) ?? choice?.usage ?? state.usage
  if (!choice) return ""
  if (state.head.id === undefined) noteHead(state.head, "id", chunk.id)
  if (state.head.model === undefined) noteHead(state.head, "model", chunk.model)
  const text = readDelta(state, choice)
  state.stop = realStop(choice.finish_reason) ?? state.stop
  return text
}

function errorIn(chunk: Record<string, unknown>, name: string | undefined): unknown {
  if (isError(chunk.error)) return isRecord(chunk.error) ? chunk.error : chunk
  if (name === "error" || chunk.object === "error" || chunk.type === "error") return chunk
  return isRecord(chunk.x_groq) && isError(chunk.x_groq.error) ? chunk.x_groq : undefined
}

function noteHead(head: Record<string, unknown>, key: "id" | "model", value: unknown): void {
  if (typeof value === "string" && value !== "") head[key] = value
}

/** The choice that we read: the first that came, should there be several. */
function chosen(state: Assembly, choices: unknown): Record<string, unknown> | undefined {
  if (!Array.isArray(choices)) return undefined
  for (let at = 0; at < choices.length; at++) {
    const choice: unknown = choices[at]
    if (!isRecord(choice)) continue
    const index = choice.index ?? 0
    state.choice ??= index
    if (index === state.choice) return choice
  }
  return undefined
}

function usageOf(chunk: Record<string, unknown>): unknown {
  if (isRecord(chunk.usage)) return chunk.usage
  return isRecord(chunk.x_groq) && isRecord(chunk.x_groq.usage) ? chunk.x_groq.usage : undefined
}

function readDelta(state: Assembly, choice: Record<string, unknown>): string {
  if (isRecord(choice.delta)) return addDelta(state, choice.delta)
  // A whole message in place of a delta; after deltas it only says them again.
  const message = messageIn(choice)
  return message && state.message.isEmpty && state.calls.isEmpty ? addDelta(state, message) : ""
}

function addDelta(state: Assembly, delta: Record<string, unknown>): string {
  if (delta.tool_calls) state.calls.add(listOfCalls(delta.tool_calls))
  if (isRecord(delta.function_call)) state.calls.add([{ index: 0, function: delta.function_call }])
  return state.message.add(delta)
}

function wholeBody(state: Assembly): unknown {
  if (state.choice === undefined && state.odd) return state.odd
  if (!state.isDone && state.stop === undefined) {
    const hint = "the connection ended without a finish reason"
    throw brokenReply(`The reply is incomplete: ${hint}, so nothing of it was run; try again`, { retryable: true })
  }
  if (state.choice === undefined) throw emptyReply()
  const calls = state.calls.end()
  const message = { ...state.message.end(), ...(calls.length === 0 ? {} : { tool_calls: calls }) }
  return {
    ...state.head,
    choices: [{ index: 0, message, finish_reason: state.stop ?? null }],
    ...(state.usage === undefined ? {} : { usage: state.usage }),
  }
}
