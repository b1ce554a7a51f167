import type { Message } from "../../event/event.ts"
import { isRecord } from "../../suspension/request.ts"
import type { ToolSpec } from "../../tool/tool.ts"
import { repairArguments } from "../reply/call-arguments.ts"
import { uniqueIds } from "../reply/call-id.ts"
import { repairName } from "../reply/call-name.ts"
import { inexactNumber } from "../reply/exact-number.ts"
import type { ParsedMessage } from "../style.ts"

/** One entry of a message's content. */
export type Block = Record<string, unknown>

/** The blocks of a message; a string is one block of text. */
export function blocksOf(message: Message): Block[] {
  if (typeof message.content === "string") return [{ type: "text", text: message.content }]
  const content: unknown[] = Array.isArray(message.content) ? message.content : []
  return content.map((block) => (typeof block === "string" ? { type: "text", text: block } : block)).filter(isRecord)
}

/** The text of some blocks; thinking and other kinds are none of it. */
export function textOfBlocks(blocks: readonly Block[]): string {
  return blocks.map((block) => (isText(block) ? block.text : "")).join("")
}

/** A block of text that says nothing: the wire refuses it. */
export function isBlank(block: Block): boolean {
  return isText(block) && block.text.trim() === ""
}

function isText(block: Block): block is Block & { text: string } {
  return block.type === "text" && typeof block.text === "string"
}

/** Reads an assistant message, recorded here or come from elsewhere. Tools that the server runs are no calls. */
export function parseMessage(message: Message): ParsedMessage {
  const blocks = blocksOf(message)
  const calls = blocks
    .filter((block) => block.type === "tool_use")
    .map(({ id, name, input }) => ({
      id: typeof id === "string" ? id : "",
      name: typeof name === "string" ? name : "",
      arguments: repairArguments(input).text,
    }))
  return { text: textOfBlocks(blocks), calls }
}

/** A message as it is recorded and sent back, and by call what keeps it from running. */
export interface RepairedMessage {
  message: Message
  problems: (string | undefined)[]
}

/**
 * Repairs the blocks of a reply: what the wire takes back, in their order, everything else as it came.
 *
 * @param makeId makes an id for a call without one
 */
export function repairMessage(
  blocks: readonly Block[],
  tools: readonly ToolSpec[],
  makeId: () => string,
): RepairedMessage {
  const ids = uniqueIds(
    blocks.filter((block) => block.type === "tool_use").map((block) => block.id),
    makeId,
  )
  const problems: (string | undefined)[] = []
  const content = blocks
    .filter((block) => !isBlank(block))
    .map((block) => {
      if (block.type !== "tool_use") return block
      const { block: repaired, problem } = repairCall(block, ids[problems.length] ?? makeId(), tools)
      problems.push(problem)
      return repaired
    })
  return { message: { role: "assistant", content }, problems }
}

function repairCall(
  block: Block,
  id: string,
  tools: readonly ToolSpec[],
): { block: Block; problem: string | undefined } {
  const { text, problem } = repairArguments(block.input)
  const name = repairName(block.name, tools)
  const inexact = typeof block.input === "string" ? inexactNumber(block.input) : undefined
  return {
    block: { ...block, id, name: name || "unnamed", input: JSON.parse(text) },
    problem: name === "" ? "The call names no tool, so it was not run." : (problem ?? inexactProblem(inexact)),
  }
}

function inexactProblem(digits: string | undefined): string | undefined {
  if (digits === undefined) return undefined
  const shown = digits.length > 60 ? `${digits.slice(0, 60)}...` : digits
  return `The arguments hold the number ${shown}, which cannot be held exactly, so the call was not run. Send it as a string if the tool takes one.`
}
