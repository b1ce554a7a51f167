import { wellFormed } from "../../clipped-output.ts"
import type { MatchesPath } from "./glob-pattern.ts"
import type { Searched } from "./searched-folder.ts"

/** What is looked for, and where. */
export interface Search {
  pattern: string
  case: "exact" | "ignored"
  root: Searched
  /** Which files, by their path from the root. */
  wanted: MatchesPath
  /** So many lines are enough. */
  most: number
}

export interface FoundLine {
  /** From the root; "" where that is a file. */
  path: string
  line: number
  text: string
}

export interface Found {
  lines: FoundLine[]
  /** What could not be searched, in words for the model. */
  notices: string[]
}

const MAX_LINE_CHARS = 400

/**
 * A line as it is told: a long one is cut around what was found in it.
 *
 * @param at where in the line that begins
 */
export function shownLine(line: string, at: number): string {
  const text = line.replace(/\r?\n?$/, "")
  if (text.length <= MAX_LINE_CHARS) return text
  const start = Math.max(0, Math.min(at - 100, text.length - MAX_LINE_CHARS))
  const end = start + MAX_LINE_CHARS
  const before = start > 0 ? "... " : ""
  const behind = end < text.length ? " ..." : ""
  return `${before}${wellFormed(text.slice(start, end))}${behind} [cut: read it with column ${start + 1}]`
}
