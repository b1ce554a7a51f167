import type { Message } from "../../event/event.ts"
import { isRecord } from "../../suspension/request.ts"
import type { ToolSpec } from "../../tool/tool.ts"
import { isError } from "../errors/error-kind.ts"
import { brokenReply, errorInReply } from "../errors/provider-error.ts"
import { makeCallId } from "../reply/call-id.ts"
import { noMessage, problemsOf, requireSubstance } from "../reply/reply-problems.ts"
import { ownMembers } from "../request-params.ts"
import { realStop } from "../stop.ts"
import type { ModelRequest, ParsedMessage, ParsedResult, Reply, Style, WireResult } from "../style.ts"
import { isTextPart, messageIn, parseMessage, repairMessage, textOf, textOfContent } from "./message.ts"
import { openOpenaiStream } from "./stream.ts"
import { parseUsage } from "./usage.ts"

/**
 * The wire of `POST /chat/completions`.
 *
 * @param makeId makes an id for a call that came without one
 */
export function createOpenaiStyle(makeId: () => string): Style {
  return {
    name: "openai",
    renderUser: (text) => ({ role: "user", content: text }),
    renderReply,
    renderResults,
    renderBody,
    parseUser: (message) => (message.role === "user" ? textOfContent(message.content) : ""),
    parseMessage,
    parseResults,
    parseBody: (text) => JSON.parse(text),
    parseReply: (body, tools) => parseReply(body, tools, makeId),
    openStream: openOpenaiStream,
  }
}

export const openai: Style = createOpenaiStyle(makeCallId)

function renderReply({ text, calls }: ParsedMessage): Message {
  if (calls.length === 0) return { role: "assistant", content: text }
  return {
    role: "assistant",
    content: text === "" ? null : text,
    tool_calls: calls.map(({ id, name, arguments: raw }) => ({
      id,
      type: "function",
      function: { name, arguments: raw },
    })),
  }
}

function renderResults(results: readonly WireResult[]): Message[] {
  return results.map(({ id, output, parts }) => ({ role: "tool", tool_call_id: id, content: parts ?? output }))
}

// One key order, with `messages` last: what an endpoint caches is a prefix.
function renderBody(request: ModelRequest, stream: boolean): Record<string, unknown> {
  const { model, systemPrompt, messages, maxOutputTokens, requestParams } = request
  const system = systemPrompt === undefined || systemPrompt === "" ? [] : [{ role: "system", content: systemPrompt }]
  const { params, tools } = ownMembers(requestParams, request.tools.map(renderTool))
  return {
    model,
    ...(maxOutputTokens === undefined ? {} : { max_tokens: maxOutputTokens }),
    ...(stream ? { stream: true, stream_options: { include_usage: true } } : {}),
    ...(tools.length === 0 ? {} : { tools }),
    ...params,
    messages: [...system, ...messages],
  }
}

function renderTool({ name, description, inputSchema }: ToolSpec): object {
  const { $schema: _, $id: __, ...schema } = inputSchema
  const parameters = { ...schema, type: schema.type ?? "object", properties: schema.properties ?? {} }
  return { type: "function", function: { name, ...(description === "" ? {} : { description }), parameters } }
}

function parseResults(messages: readonly Message[]): ParsedResult[] {
  return messages
    .filter((message) => message.role === "tool" && typeof message.tool_call_id === "string")
    .map(({ tool_call_id, content }) => ({
      id: String(tool_call_id),
      output: textOfContent(content),
      isError: false, // this wire does not say
      ...partsOf(content),
    }))
}

function partsOf(content: unknown): Pick<ParsedResult, "parts"> {
  return Array.isArray(content) && !content.every(isTextPart) ? { parts: content } : {}
}

function parseReply(body: unknown, tools: readonly ToolSpec[], makeId: () => string): Reply {
  const it = Array.isArray(body) && body.length === 1 ? body[0] : body
  if (!isRecord(it)) throw brokenReply("The endpoint's reply is not a JSON object")
  if (it.object === "error") throw errorInReply(it)
  const choice = Array.isArray(it.choices) ? it.choices.find(isRecord) : undefined
  const error = it.error ?? choice?.error
  if (isError(error)) throw errorInReply(isRecord(it.error) || choice?.error ? error : it)
  const raw = choice && messageIn(choice)
  if (!choice || !raw) throw noMessage(it, "no choices", "openai")
  const stop = realStop(choice.finish_reason)
  const { message, problems } = repairMessage(raw, tools, makeId)
  requireSubstance({ text: textOf(message), callCount: problems.length, stop })
  const usage = parseUsage(it.usage ?? choice.usage)
  const hidden = problemsOf(problems, stop)
  return { message, ...(usage ? { usage } : {}), ...(stop ? { stop } : {}), ...(hidden ? { problems: hidden } : {}) }
}
