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

/** How many rows lines take on a screen. */
export function countRows(lines: readonly Line[], columns: number): number {
  return lines.reduce((sum, line) => sum + piecesOf(line, columns).length, 0)
}

/** The first rows of lines; each line takes at least one. */
export function firstRows(lines: readonly Line[], rows: number, columns: number): Row[] {
  return rowsOf(lines.slice(0, rows), columns).slice(0, rows)
}

/** The rows that lines take on a screen; nothing is cut. */
export function rowsOf(lines: readonly Line[], columns: number): Row[] {
  return lines.flatMap((line) =>
    piecesOf(line, columns).map((piece) => ({ text: line.margin + piece, look: line.look })),
  )
}

/** What a line takes a row each for; known of a line once for a width, since long texts are shown a screenful at a time. */
function piecesOf(line: Line, columns: number): readonly string[] {
  const known = PIECES.get(line)
  if (known?.columns === columns) return known.pieces
  const pieces = wrap(line.text, Math.max(2, columns - columnsOf(line.margin)))
  PIECES.set(line, { columns, pieces })
  return pieces
}

const PIECES = new WeakMap<Line, { columns: number; pieces: readonly string[] }>()

/** The lines that are left when the first rows of them were shown. */
export function linesAfter(lines: readonly Line[], rows: number, columns: number): Line[] {
  let shown = 0
  for (const [at, line] of lines.entries()) {
    const pieces = piecesOf(line, columns)
    if (shown + pieces.length > rows) {
      return [{ ...line, text: pieces.slice(rows - shown).join("") }, ...lines.slice(at + 1)]
    }
    shown += pieces.length
  }
  return []
}
