import { isRecord } from "../../suspension/request.ts"
import type { Body, Correction } from "./correction.ts"

/**
 * For an endpoint that refuses the thinking of another one, which only that one can verify: a request without the thinking
 * that is in this one. What the endpoint thinks from now on stays.
 *
 * @param said the error's words
 * @returns `undefined` where it is not about that
 */
export function withoutForeignThinking(said: string, body: Body): Correction | undefined {
  if (!/signature/i.test(said) || !/thinking/i.test(said)) return undefined
  const foreign = new Set(messagesIn(body).flatMap(({ content }) => thinkingIn(content)))
  if (foreign.size === 0) return undefined
  const isForeign = (block: unknown) => foreign.has(JSON.stringify(block))
  const withoutIt = (message: Body): Body[] => {
    if (!Array.isArray(message.content)) return [message]
    const content = message.content.filter((block) => !isForeign(block))
    return content.length > 0 ? [{ ...message, content }] : []
  }
  const correct = (later: Body) => ({ ...later, messages: messagesIn(later).flatMap(withoutIt) })
  return { holds: "always", leftOut: [], correct }
}

function thinkingIn(content: unknown): string[] {
  const blocks: unknown[] = Array.isArray(content) ? content : []
  return blocks
    .filter((block) => isRecord(block) && (block.type === "thinking" || block.type === "redacted_thinking"))
    .map((block) => JSON.stringify(block))
}

function messagesIn({ messages }: Body): Body[] {
  return Array.isArray(messages) ? messages.filter(isRecord) : []
}
