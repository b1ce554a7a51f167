import { escapeLine } from "../terminal/escape.ts"
import { shortened } from "./shortened.ts"

/** A row: its cells, and what stands below the last of them. All of it harmless. */
export interface Row {
  cells: readonly string[]
  below: readonly string[]
}

/** Columns as wide as their widest cell; the last one gets what is left, and is cut where it is longer. */
export function tableLines(rows: readonly Row[], columns: number | undefined): string[] {
  const count = Math.max(...rows.map(({ cells }) => cells.length)) - 1
  const widths = Array.from({ length: count }, (_, at) =>
    Math.max(...rows.map(({ cells }) => (cells[at] ?? "").length)),
  )
  const before = widths.reduce((all, width) => all + width + 2, 0)
  const room = Math.max(30, (columns || 100) - before - 1)
  return rows.flatMap(({ cells, below }) => {
    const [first, ...more] = [shortened(cells[count] ?? "", room), ...below]
    const start = widths.map((width, at) => (cells[at] ?? "").padEnd(width + 2)).join("")
    return [start + first, ...more.map((line) => " ".repeat(before) + line)]
  })
}

/** A text from elsewhere as a cell. */
export function cellText(text: string): string {
  return escapeLine(text.trim().replace(/\s*\n\s*/g, " "))
}
