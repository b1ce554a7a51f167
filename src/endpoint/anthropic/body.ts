import type { Message } from "../../event/event.ts"
import { isRecord } from "../../suspension/request.ts"
import type { ToolSpec } from "../../tool/tool.ts"
import { ownMembers } from "../request-params.ts"
import type { ModelRequest } from "../style.ts"
import { type Block, blocksOf, isBlank } from "./message.ts"

/** This wire demands a limit; models that take less say so, and the request is corrected. */
const DEFAULT_MAX_TOKENS = 8192

const BREAKPOINT = { cache_control: { type: "ephemeral" } }

/**
 * The body of `POST /v1/messages`, one key order with `messages` last. The endpoint caches up to each breakpoint: tools,
 * system prompt, and the newest two of the user's messages (the earlier is where the last request wrote its entry).
 */
export function renderBody(request: ModelRequest, stream: boolean): Record<string, unknown> {
  const { model, systemPrompt, messages, maxOutputTokens, requestParams } = request
  const { params, tools } = ownMembers(requestParams, request.tools.map(renderTool))
  return {
    model,
    max_tokens: maxOutputTokens ?? DEFAULT_MAX_TOKENS,
    ...(stream ? { stream: true } : {}),
    ...params,
    ...(tools.length === 0 ? {} : { tools: withBreakpoint(tools) }),
    ...(systemPrompt?.trim() ? { system: [{ type: "text", text: systemPrompt, ...BREAKPOINT }] } : {}),
    messages: withBreakpoints(alternating(messages)),
  }
}

function renderTool({ name, description, inputSchema }: ToolSpec): Block {
  const { $schema: _, $id: __, ...schema } = inputSchema
  const input_schema = { ...schema, type: "object", properties: schema.properties ?? {} }
  return { name, ...(description === "" ? {} : { description }), input_schema }
}

/** Blocks throughout, no empty message, neighbours of one role in one message with results first. */
function alternating(messages: readonly Message[]): Message[] {
  const out: { role: unknown; content: Block[] }[] = []
  for (const message of messages) {
    const content = blocksOf(message).filter((block) => !isBlank(block))
    if (content.length === 0) continue
    const last = out.at(-1)
    if (last === undefined || last.role !== message.role) out.push({ role: message.role, content })
    else
      last.content =
        message.role === "user" ? resultsFirst([...last.content, ...content]) : [...last.content, ...content]
  }
  return out
}

function resultsFirst(blocks: readonly Block[]): Block[] {
  const isResult = (block: Block) => block.type === "tool_result"
  return [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))]
}

function withBreakpoints(messages: readonly Message[]): Message[] {
  const users = messages.flatMap((message, at) => (message.role === "user" ? [at] : []))
  const marked = new Set(users.slice(-2))
  return messages.map((message, at) =>
    marked.has(at) ? { ...message, content: withBreakpoint(blocksOf(message)) } : message,
  )
}

function withBreakpoint(blocks: readonly object[]): object[] {
  return blocks.map((block, at) => (at === blocks.length - 1 && isRecord(block) ? { ...block, ...BREAKPOINT } : block))
}
