/** A text with its line ends as LF, and the way back. */
export interface Unified {
  text: string
  /** Where a place of the unified text is in the original one. */
  original(index: number): number
}

/** Models write LF; files may have CRLF. Both are compared as LF, and the original keeps its own. */
export function unified(text: string): Unified {
  if (!text.includes("\r\n")) return { text, original: (index) => index }
  const ends: number[] = []
  for (let at = text.indexOf("\r\n"); at >= 0; at = text.indexOf("\r\n", at + 2)) ends.push(at - ends.length)
  return { text: text.replaceAll("\r\n", "\n"), original: (index) => index + countBelow(ends, index) }
}

function countBelow(sorted: readonly number[], limit: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < limit) low = middle + 1
    else high = middle
  }
  return low
}

/** Where a piece stands. */
export function placesOf(text: string, piece: string, which: "apart" | "overlapping too"): number[] {
  const found: number[] = []
  const step = which === "apart" ? piece.length : 1
  for (let at = text.indexOf(piece); at >= 0; at = text.indexOf(piece, at + step)) found.push(at)
  return found
}

/**
 * Puts another piece at places of a text, with the line ends that the text has there.
 *
 * @param places in order, of `unified(text)`
 */
export function replaceAt(text: string, places: readonly number[], piece: string, replacement: string): string {
  const { original } = unified(text)
  const usual = usualEnd(text)
  const parts: string[] = []
  let from = 0
  for (const place of places) {
    const start = original(place)
    const end = original(place + piece.length)
    const own = /\r?\n/.exec(text.slice(start, end))?.[0] ?? usual
    parts.push(text.slice(from, start), replacement.replaceAll("\r\n", "\n").replaceAll("\n", own))
    from = end
  }
  return [...parts, text.slice(from)].join("")
}

/** The line end that most lines of a text have. */
export function usualEnd(text: string): "\n" | "\r\n" {
  const crlf = text.split("\r\n").length - 1
  return crlf * 2 > text.split("\n").length - 1 ? "\r\n" : "\n"
}

/** The lines, from 1, in which places are that are in order. */
export function linesAt(text: string, places: readonly number[]): number[] {
  let line = 1
  let end = text.indexOf("\n")
  return places.map((place) => {
    for (; end >= 0 && end < place; end = text.indexOf("\n", end + 1)) line++
    return line
  })
}
