import { isRecord } from "../../suspension/request.ts"
import { Pieces } from "../reply/pieces.ts"
import { isTextPart, textPart } from "./message.ts"

/** Puts `content` together from strings, lists of parts, or both in turn. */
export interface ContentMerge {
  /** @returns the text that it adds */
  add(content: unknown): string
  readonly isEmpty: boolean
  /** A string where only strings came, a list of parts where one came, `null` where nothing did. */
  end(): unknown
}

type Part = Record<string, unknown>

export function openContent(): ContentMerge {
  let pieces: Pieces | undefined
  let isBlank = true
  let parts: Part[] | undefined
  const addPart = (given: unknown): string => {
    const part = textPart(given)
    if (!isRecord(part)) return ""
    parts ??= isBlank ? [] : [{ type: "text", text: String(pieces) }]
    const last = parts.at(-1)
    if (!last || !joinPart(last, part)) parts.push({ ...part })
    return isTextPart(part) ? part.text : ""
  }
  return {
    add(content) {
      if (typeof content === "string") {
        if (parts && content !== "") return addPart({ type: "text", text: content })
        if (parts) return content
        pieces ??= new Pieces("")
        pieces.add(content)
        if (content !== "") isBlank = false
        return content
      }
      if (Array.isArray(content)) return content.map(addPart).join("")
      return addPart(content)
    },
    get isEmpty() {
      return isBlank && (parts === undefined || parts.length === 0)
    },
    end: () => parts ?? pieces?.toString() ?? null,
  }
}

/** Joins a part to the one before it where both are pieces of one. */
function joinPart(last: Part, part: Part): boolean {
  if (isTextPart(last) && isTextPart(part)) {
    last.text += part.text
    return true
  }
  if (last.type !== "thinking" || part.type !== "thinking" || last.signature) return false
  if (typeof last.thinking === "string" && typeof part.thinking === "string") last.thinking += part.thinking
  else if (Array.isArray(last.thinking) && Array.isArray(part.thinking))
    last.thinking = joinParts(last.thinking, part.thinking)
  else return false
  if (part.signature !== undefined) last.signature = part.signature
  return true
}

function joinParts(parts: readonly unknown[], more: readonly unknown[]): unknown[] {
  const joined = [...parts]
  for (const part of more) {
    const last = joined.at(-1)
    if (!isRecord(last) || !isRecord(part) || !joinPart(last, part)) joined.push(part)
  }
  return joined
}
