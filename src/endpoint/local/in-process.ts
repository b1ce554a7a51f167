import { isRecord, typeName } from "../../suspension/request.ts"
import { isToolnexusError, messageOf, ToolnexusError } from "../../tool/error.ts"
import { openai } from "../openai/style.ts"
import type { CompleteOptions, Model, ModelRequest, Reply } from "../style.ts"
import type { Generate, Generated } from "./generate.ts"

/** A function in place of an endpoint. */
export interface InProcessModelOptions {
  /** Its name, as runs record it. */
  model: string
  generate: Generate
}

/**
 * A model in this process. Its transcript has the shape of the `openai` style; a call without an id gets one.
 *
 * @example createInProcessModel({ model: "echo", generate: ({ messages }) => ({ text: `${messages.length} messages` }) })
 */
export function createInProcessModel({ model, generate }: InProcessModelOptions): Model {
  return {
    name: model,
    style: openai,
    complete: (request, options) => complete(model, generate, request, options),
  }
}

async function complete(
  name: string,
  generate: Generate,
  { systemPrompt, messages, tools }: Omit<ModelRequest, "model">,
  { signal, onText }: CompleteOptions,
): Promise<Reply> {
  signal.throwIfAborted()
  let isShown = false
  const show = (text: string) => {
    isShown = true
    onText?.(text)
  }
  const request = { ...(systemPrompt === undefined ? {} : { systemPrompt }), messages, tools }
  const generated = await called(name, signal, () => generate(request, { signal, ...(onText ? { onText: show } : {}) }))
  const { text, usage } = generated
  if (!isShown && text) onText?.(text)
  const reply = openai.parseReply({ choices: [{ message: messageOfGenerated(generated) }] }, tools)
  return usage === undefined ? reply : { ...reply, usage }
}

async function called(
  name: string,
  signal: AbortSignal,
  generate: () => Promise<Generated> | Generated,
): Promise<Generated> {
  let generated: Generated
  try {
    generated = await generate()
  } catch (error) {
    signal.throwIfAborted()
    if (isToolnexusError(error)) throw error
    throw new ToolnexusError("provider", `The in-process model ${name} failed: ${messageOf(error)}`, { cause: error })
  }
  const problem = problemOf(generated)
  if (problem === undefined) return generated
  throw new ToolnexusError("provider", `The in-process model ${name} returned ${problem}: return { text?, toolCalls? }`)
}

function problemOf(value: unknown): string | undefined {
  if (!isRecord(value)) return `${typeName(value)} in place of an object`
  const { text, toolCalls, usage } = value
  if (usage !== undefined && !isUsage(usage)) return "a usage that is not made of numbers, 0 or more"
  if (text !== undefined && typeof text !== "string") return `a text that is ${typeName(text)} and no string`
  if (toolCalls === undefined) return undefined
  if (!Array.isArray(toolCalls)) return `toolCalls that are ${typeName(toolCalls)} and no list`
  return toolCalls.every((call) => isRecord(call) && typeof call.name === "string")
    ? undefined
    : "a tool call without a name"
}

function isUsage(value: unknown): boolean {
  if (!isRecord(value)) return false
  const { promptTokens, completionTokens, totalTokens, cachedTokens = 0 } = value
  return [promptTokens, completionTokens, totalTokens, cachedTokens].every(
    (count) => typeof count === "number" && Number.isFinite(count) && count >= 0,
  )
}

function messageOfGenerated({ text, toolCalls = [] }: Generated): Record<string, unknown> {
  const calls = toolCalls.map(({ id, name, input }) => ({
    ...(id === undefined ? {} : { id }),
    type: "function",
    function: { name, arguments: input },
  }))
  return { role: "assistant", content: text ?? null, ...(calls.length > 0 ? { tool_calls: calls } : {}) }
}
