/** The columns that a text without control characters takes on a terminal. */
export function columnsOf(text: string): number {
  let columns = 0
  for (const char of text) columns += columnsOfChar(char)
  return columns
}

/**
 * Cuts a line into rows that fit; nothing is dropped, no space either.
 *
 * @param columns the room, at least 2 (a wide character needs them)
 */
export function wrap(line: string, columns: number): string[] {
  const rows: string[] = []
  let row = ""
  let used = 0
  for (const char of line) {
    const wide = columnsOfChar(char)
    if (used + wide > columns) {
      rows.push(row)
      row = ""
      used = 0
    }
    row += char
    used += wide
  }
  rows.push(row)
  return rows
}

/** The same between words where that can be: for text of our own, whose spaces at a row's end say nothing. */
export function wrapWords(line: string, columns: number): string[] {
  const rows: string[] = []
  for (const word of line.split(" ")) {
    const last = rows.at(-1)
    const joined = last === undefined ? word : `${last} ${word}`
    if (last !== undefined && columnsOf(joined) <= columns) rows.splice(-1, 1, joined)
    else rows.push(...wrap(word, columns))
  }
  return rows
}

/** As many rows as there is room for, with a mark where something is missing. */
export function clipRows(rows: readonly string[], most: number, columns: number): string[] {
  if (rows.length <= most) return [...rows]
  return [...rows.slice(0, most - 1), clip(`${rows[most - 1] ?? ""}…`, columns)]
}

/** The beginning of a line that fits into one row, marked where something is missing. */
export function clip(line: string, columns: number): string {
  if (columnsOf(line) <= columns) return line
  return `${wrap(line, Math.max(2, columns - 1))[0]}…`
}

function columnsOfChar(char: string): number {
  const code = char.codePointAt(0) ?? 0
  if (code < 0x300) return 1
  if (COMBINING.test(char)) return 0
  return code >= 0x1100 && WIDE.test(char) ? 2 : 1
}

const COMBINING = /^[\p{Mn}\p{Me}]/u
// Where terminals disagree it counts two: a row broken early is harmless, one broken late is not.
const WIDE =
  /^[\p{Emoji_Presentation}\u1100-\u115F\u2E80-\uA4CF\uA960-\uA97F\uAC00-\uD7FF\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18FFF}\u{1AFF0}-\u{1B2FF}\u{1F000}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u
