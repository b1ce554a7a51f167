import { StringDecoder } from "node:string_decoder"

/** Takes output of any length and keeps its head and its tail. */
export interface ClippedOutput {
  write(chunk: Buffer): void
  /** The text, with a notice where something was left out. */
  text(): string
}

/**
 * @param maxChars about half of them are kept of the head, half of the tail
 */
export function clippedOutput(maxChars: number): ClippedOutput {
  const half = Math.floor(maxChars / 2)
  const decoder = new StringDecoder("utf8")
  let head = ""
  let tail = ""
  let left = 0
  const take = (text: string) => {
    const room = half - head.length
    head += text.slice(0, Math.max(room, 0))
    tail += text.slice(Math.max(room, 0))
    // Cut rarely: the tail may grow to twice its length before.
    if (tail.length > 2 * half) cutTail()
  }
  const cutTail = () => {
    if (tail.length <= half) return
    left += tail.length - half
    tail = tail.slice(-half)
  }
  return {
    write: (chunk) => take(decoder.write(chunk)),
    text() {
      take(decoder.end())
      cutTail()
      if (left === 0) return wellFormed(head + tail)
      return `${wellFormed(head)}\n[... ${left} characters left out ...]\n${wellFormed(tail)}`
    },
  }
}

/** Without half a pair of surrogates at its ends: a cut may go through one. */
export function wellFormed(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "")
}
