import { lineError } from "./journal-error.ts"

/**
 * Lines as a file holds them.
 *
 * @param name of the journal, for the message
 * @throws ToolnexusError `journal` when one is no JSON object
 */
export function renderLines(name: string, lines: readonly unknown[]): string {
  return lines.map((line) => `${renderLine(name, line)}\n`).join("")
}

function renderLine(name: string, line: unknown): string {
  let text: string | undefined
  try {
    text = JSON.stringify(line)
  } catch (error) {
    throw lineError(name, error)
  }
  if (text?.startsWith("{")) return text
  throw lineError(name, new TypeError(`it must be an object, got ${text?.slice(0, 40)}`))
}
