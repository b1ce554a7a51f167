import type { Message } from "../../event/event.ts"
import { isRecord } from "../../suspension/request.ts"
import type { ToolSpec } from "../../tool/tool.ts"
import { isError } from "../errors/error-kind.ts"
import { brokenReply, errorInReply } from "../errors/provider-error.ts"
import { repairArguments } from "../reply/call-arguments.ts"
import { makeCallId } from "../reply/call-id.ts"
import { noMessage, problemsOf, requireSubstance } from "../reply/reply-problems.ts"
import { realStop } from "../stop.ts"
import type { ParsedMessage, ParsedResult, Reply, Style, WireResult } from "../style.ts"
import { renderBody } from "./body.ts"
import { parseBody } from "./exact.ts"
import { type Block, blocksOf, parseMessage, repairMessage, textOfBlocks } from "./message.ts"
import { openAnthropicStream } from "./stream.ts"
import { parseUsage } from "./usage.ts"

/**
 * The wire of `POST /v1/messages`.
 *
 * @param makeId makes an id for a call that came without one
 */
export function createAnthropicStyle(makeId: () => string): Style {
  return {
    name: "anthropic",
    renderUser: (text) => ({ role: "user", content: [{ type: "text", text }] }),
    renderReply,
    renderResults,
    renderBody,
    parseUser: (message) => (message.role === "user" ? textOfBlocks(blocksOf(message)) : ""),
    parseMessage,
    parseResults,
    parseBody,
    parseReply: (body, tools) => parseReply(body, tools, makeId),
    openStream: openAnthropicStream,
  }
}

export const anthropic: Style = createAnthropicStyle(makeCallId)

/** Stands for an output that says nothing: the wire refuses an empty one. */
const NO_OUTPUT = "(no output)"

function renderReply({ text, calls }: ParsedMessage): Message {
  const said: Block[] = text.trim() === "" ? [] : [{ type: "text", text }]
  const made = calls.map(({ id, name, arguments: raw }) => ({
    type: "tool_use",
    id,
    name,
    input: JSON.parse(repairArguments(raw).text),
  }))
  return { role: "assistant", content: [...said, ...made] }
}

function renderResults(results: readonly WireResult[]): Message[] {
  if (results.length === 0) return []
  const content = results.map(({ id, output, isError: failed, parts }) => ({
    type: "tool_result",
    tool_use_id: id,
    content: parts ?? (output.trim() === "" ? NO_OUTPUT : output),
    ...(failed ? { is_error: true } : {}),
  }))
  return [{ role: "user", content }]
}

function parseResults(messages: readonly Message[]): ParsedResult[] {
  return messages
    .filter((message) => message.role === "user")
    .flatMap(blocksOf)
    .filter((block) => block.type === "tool_result" && typeof block.tool_use_id === "string")
    .map((block) => ({
      id: String(block.tool_use_id),
      output: outputOf(block),
      isError: block.is_error === true,
      ...partsOf(block.content),
    }))
}

function partsOf(content: unknown): Pick<ParsedResult, "parts"> {
  const isText = (part: unknown) => isRecord(part) && part.type === "text"
  return Array.isArray(content) && !content.every(isText) ? { parts: content } : {}
}

function outputOf(block: Block): string {
  const text = textOfBlocks(blocksOf(block))
  return text === NO_OUTPUT ? "" : text
}

function parseReply(body: unknown, tools: readonly ToolSpec[], makeId: () => string): Reply {
  if (!isRecord(body)) throw brokenReply("The endpoint's reply is not a JSON object")
  if (body.type === "error" || isError(body.error)) throw errorInReply(body)
  const stop = realStop(body.stop_reason)
  const content = body.content ?? (stop === undefined ? undefined : [])
  if (!Array.isArray(content) && typeof content !== "string") throw noMessage(body, "no content", "anthropic")
  const { message, problems } = repairMessage(blocksOf({ content }), tools, makeId)
  const { text } = parseMessage(message)
  requireSubstance({ text, callCount: problems.length, stop })
  const usage = parseUsage(body.usage)
  const hidden = problemsOf(problems, stop)
  return { message, ...(usage ? { usage } : {}), ...(stop ? { stop } : {}), ...(hidden ? { problems: hidden } : {}) }
}
