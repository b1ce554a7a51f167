import { columnsOf, wrap } from "./columns.ts"
import type { Look, Row } from "./prompt.ts"

/** A line of text for the scrollback, harmless already. */
export interface Line {
  /** Repeated on every row that the line takes, so that nothing in the text passes for a line of ours. */
  margin: string
  text: string
  look: Look
}

/** A line of our own. */
export function said(text: string, look: Look = "plain"): Line {
  return { margin: "", text, look }
}

/** Text from elsewhere, escaped already, behind a margin. */
export function quoted(text: string): Line[] {
  return text.split("\n").map((line) => ({ margin: "  | ", text: line, look: "plain" }))
}

/** The rows that lines take on a screen; nothing is cut. */
export function rowsOf(lines: readonly Line[], columns: number): Row[] {
  return lines.flatMap(({ margin, text, look }) =>
    wrap(text, Math.max(2, columns - columnsOf(margin))).map((row) => ({ text: margin + row, look })),
  )
}

/** The lines that are left when the first rows of them were shown. */
export function linesAfter(lines: readonly Line[], rows: number, columns: number): Line[] {
  let shown = 0
  for (const [at, line] of lines.entries()) {
    const pieces = wrap(line.text, Math.max(2, columns - columnsOf(line.margin)))
    if (shown + pieces.length > rows) {
      return [{ ...line, text: pieces.slice(rows - shown).join("") }, ...lines.slice(at + 1)]
    }
    shown += pieces.length
  }
  return []
}
