import { lineError } from "./journal-error.ts"
import { MAX_LINE_BYTES } from "./lines.ts"

/**
 * Lines as a file holds them.
 *
 * @param name of the journal, for the message
 * @param maxBytes of a line: a longer one could be written and not be read again
 * @throws ToolnexusError `journal` when one is no JSON object, or too long
 */
export function renderLines(name: string, lines: readonly unknown[], maxBytes: number = MAX_LINE_BYTES): string {
  return lines.map((line) => `${renderLine(name, line, maxBytes)}\n`).join("")
}

function renderLine(name: string, line: unknown, maxBytes: number): string {
  let text: string | undefined
  try {
    text = JSON.stringify(line)
  } catch (error) {
    throw lineError(name, error)
  }
  // A character is three bytes at most: few texts need be measured.
  if (text && text.length > maxBytes / 3 && Buffer.byteLength(text) > maxBytes)
    throw lineError(name, new RangeError(`it is longer than ${maxBytes} bytes`))
  if (text?.startsWith("{")) return text
  throw lineError(name, new TypeError(`it must be an object, got ${text?.slice(0, 40)}`))
}
