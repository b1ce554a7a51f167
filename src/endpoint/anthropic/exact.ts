import { randomUUID } from "node:crypto"
import { isRecord } from "../../suspension/request.ts"
import { inexactNumber, markInexact } from "../reply/exact-number.ts"

/**
 * Reads the text of a plain reply. A call's input that holds a whole number that JavaScript cannot hold stays JSON text,
 * as a streamed one is: parsing would change the number unseen.
 *
 * @throws SyntaxError
 */
export function parseBody(text: string): unknown {
  const body: unknown = JSON.parse(text)
  if (!isRecord(body) || !Array.isArray(body.content) || inexactNumber(text) === undefined) return body
  const mark = `${randomUUID()}:`
  const marked: unknown = JSON.parse(markInexact(text, mark))
  const exact: unknown[] = isRecord(marked) && Array.isArray(marked.content) ? marked.content : []
  return { ...body, content: body.content.map((block, at) => exactBlock(block, exact[at], mark)) }
}

function exactBlock(block: unknown, marked: unknown, mark: string): unknown {
  if (!isRecord(block) || block.type !== "tool_use" || !isRecord(marked)) return block
  const input = JSON.stringify(marked.input) ?? ""
  return input.includes(mark) ? { ...block, input: input.replace(new RegExp(`"${mark}(-?\\d+)"`, "g"), "$1") } : block
}
