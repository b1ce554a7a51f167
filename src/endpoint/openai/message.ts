import type { Message } from "../../event/event.ts"
import { isRecord } from "../../suspension/request.ts"
import type { ToolSpec } from "../../tool/tool.ts"
import { repairArguments } from "../reply/call-arguments.ts"
import { uniqueIds } from "../reply/call-id.ts"
import { repairName } from "../reply/call-name.ts"
import { realStop } from "../stop.ts"
import type { ParsedMessage, WireCall } from "../style.ts"
import { listOfCalls } from "./calls.ts"

/** The text of a message: a string, or the text parts of a list; the words of a refusal where there is nothing else. */
export function textOf(message: Message): string {
  const text = textOfContent(message.content)
  return text === "" && typeof message.refusal === "string" ? message.refusal : text
}

/** The text of `content`; thinking and other parts are none of it. */
export function textOfContent(content: unknown): string {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content
    .map(textPart)
    .map((part) => (isTextPart(part) ? part.text : ""))
    .join("")
}

/** A part that is only a string as one of text. */
export function textPart(part: unknown): unknown {
  return typeof part === "string" ? { type: "text", text: part } : part
}

export function isTextPart(part: unknown): part is Record<string, unknown> & { text: string } {
  return isRecord(part) && (part.type === "text" || part.type === "output_text") && typeof part.text === "string"
}

/** The message of a choice; with only a reason for its end, one that says nothing. */
export function messageIn({ message, delta, text, finish_reason }: Message): Message | undefined {
  if (isRecord(message)) return message
  if (isRecord(delta)) return delta // some servers answer a plain request with one whole chunk
  if (typeof text === "string") return { content: text }
  return realStop(finish_reason) === undefined ? undefined : {}
}

/** Reads an assistant message, recorded here or come from elsewhere. */
export function parseMessage(message: Message): ParsedMessage {
  return { text: textOf(message), calls: callsOf(message) }
}

function callsOf(message: Message): WireCall[] {
  if (!Array.isArray(message.tool_calls)) return []
  return message.tool_calls.filter(isRecord).map((call) => {
    const it = isRecord(call.function) ? call.function : {}
    const raw = it.arguments
    return {
      id: typeof call.id === "string" ? call.id : "",
      name: typeof it.name === "string" ? it.name : "",
      arguments: typeof raw === "string" ? raw : repairArguments(raw).text,
    }
  })
}

/** A message as it is recorded and sent back, and by call what keeps it from running. */
export interface RepairedMessage {
  message: Message
  problems: (string | undefined)[]
}

/**
 * Repairs a reply's message: what every server takes back, everything else as it came.
 *
 * @param makeId makes an id for a call without one
 */
export function repairMessage(raw: Message, tools: readonly ToolSpec[], makeId: () => string): RepairedMessage {
  const { tool_calls, function_call, ...rest } = raw
  const message: Message = { role: "assistant", ...rest }
  message.role = "assistant"
  if (Array.isArray(message.content)) message.content = message.content.map(textPart)
  const entries = callEntries(tool_calls, function_call)
  const ids = uniqueIds(
    entries.map((entry) => entry.id),
    makeId,
  )
  const calls = entries.map((entry, at) => repairCall(entry, ids[at] ?? makeId(), tools))
  // A message without calls needs content, and some servers refuse an empty list of calls.
  if (calls.length === 0) message.content ??= ""
  // Streams often open with an empty text that the plain reply has not: no text is `null` in either.
  else if (message.content === undefined || message.content === "") message.content = null
  if (calls.length > 0) message.tool_calls = calls.map(({ call }) => call)
  return { message, problems: calls.map(({ problem }) => problem) }
}

function callEntries(toolCalls: unknown, functionCall: unknown): Record<string, unknown>[] {
  const entries = listOfCalls(toolCalls)
    .filter(isRecord)
    .filter((entry) => isRecord(entry.function) || typeof entry.name === "string")
  return entries.length === 0 && isRecord(functionCall) ? [{ function: functionCall }] : entries
}

function repairCall(
  entry: Record<string, unknown>,
  id: string,
  tools: readonly ToolSpec[],
): { call: Record<string, unknown>; problem: string | undefined } {
  const { function: inner, name: outerName, arguments: outerArguments, ...rest } = entry
  const it = isRecord(inner) ? inner : { name: outerName, arguments: outerArguments }
  const { text, problem } = repairArguments(it.arguments)
  const name = repairName(it.name, tools)
  const call = {
    ...rest,
    id,
    type: typeof rest.type === "string" && rest.type !== "" ? rest.type : "function",
    function: { ...it, name: name || "unnamed", arguments: text },
  }
  return { call, problem: name === "" ? "The call names no tool, so it was not run." : problem }
}
