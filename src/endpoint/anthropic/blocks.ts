import { isRecord } from "../../suspension/request.ts"
import { joinArguments, repairArguments } from "../reply/call-arguments.ts"
import { Pieces } from "../reply/pieces.ts"
import type { Block } from "./message.ts"

/** Puts the blocks of a streamed message together. */
export interface BlockAssembly {
  /** @returns the text that the block begins with */
  start(index: unknown, block: unknown): string
  /** @returns the text that the delta adds */
  add(index: unknown, delta: unknown): string
  /** The blocks in order of appearance, as a plain reply has them. */
  end(): Block[]
}

interface OpenBlock {
  block: Block
  /** Members that come in pieces. */
  texts: Map<string, Pieces>
  /** A tool's input as it came, piece by piece. */
  json: string[]
}

export function openBlockAssembly(): BlockAssembly {
  const blocks: OpenBlock[] = []
  const byIndex = new Map<unknown, OpenBlock>()
  const open = (index: unknown, block: Block): OpenBlock => {
    const opened = { block: { ...block }, texts: new Map(), json: [] }
    blocks.push(opened)
    byIndex.set(index, opened)
    return opened
  }
  return {
    start(index, block) {
      if (!isRecord(block)) return ""
      open(index, block)
      return block.type === "text" && typeof block.text === "string" ? block.text : ""
    },
    add(index, delta) {
      if (!isRecord(delta)) return ""
      const found = byIndex.get(index) ?? (index === undefined ? blocks.at(-1) : undefined)
      return addDelta(found ?? open(index, emptyBlockFor(delta)), delta)
    },
    end: () => blocks.map(wholeBlock),
  }
}

/** For a delta whose block was never announced. */
function emptyBlockFor(delta: Block): Block {
  switch (delta.type) {
    case "input_json_delta":
      return { type: "tool_use", input: {} }
    case "thinking_delta":
    case "signature_delta":
      return { type: "thinking", thinking: "", signature: "" }
    default:
      return { type: "text", text: "" }
  }
}

function addDelta(open: OpenBlock, delta: Block): string {
  const { block, json } = open
  switch (delta.type) {
    case "text_delta": {
      const text = append(open, "text", delta.text)
      return block.type === "text" ? text : ""
    }
    case "thinking_delta":
      append(open, "thinking", delta.thinking)
      return ""
    case "signature_delta":
      if (typeof delta.signature === "string") block.signature = delta.signature
      return ""
    case "input_json_delta":
      addJson(json, delta.partial_json)
      return ""
    case "citations_delta":
      block.citations = [...(Array.isArray(block.citations) ? block.citations : []), delta.citation]
      return ""
    default: // of a later version of the wire: its members are the block's, and texts come in pieces
      for (const [member, value] of Object.entries(delta)) {
        if (typeof value !== "string") open.block = { ...open.block, [member]: value }
        else if (member !== "type") append(open, member, value)
      }
      return ""
  }
}

function append({ block, texts }: OpenBlock, member: string, piece: unknown): string {
  if (typeof piece !== "string") return ""
  const before = block[member]
  if (!texts.has(member)) texts.set(member, new Pieces(typeof before === "string" ? before : ""))
  texts.get(member)?.add(piece)
  return piece
}

function addJson(json: string[], piece: unknown): void {
  if (typeof piece === "string" && piece !== "") json.push(piece)
  else if (isRecord(piece)) json.push(JSON.stringify(piece))
}

function wholeBlock({ block: begun, texts, json }: OpenBlock): Block {
  const block = { ...begun, ...Object.fromEntries([...texts].map(([member, pieces]) => [member, pieces.toString()])) }
  const text = joinArguments(json)
  if (text.trim() === "") return block.type === "tool_use" ? { ...block, input: block.input ?? {} } : block
  // A call's input that is no JSON stays text: it is repaired, and its problem told, where plain replies are too.
  if (block.type === "tool_use") return { ...block, input: text }
  return { ...block, input: JSON.parse(repairArguments(text).text) }
}
