import type { Hunk, HunkLine } from "./patch.ts"

type Hunks = { hunks: Hunk[]; next: number } | { problem: string }

/** The hunks from a line on, up to the next file's header or the end. */
export function parseHunks(lines: readonly string[], start: number): Hunks {
  const hunks: Hunk[] = []
  let at = start
  while (at < lines.length && (lines[at] ?? "").startsWith("@@")) {
    const read = parseHunk(lines, at)
    if ("problem" in read) return read
    hunks.push(read.hunk)
    at = read.next
  }
  return { hunks, next: at }
}

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/

function parseHunk(lines: readonly string[], at: number): { hunk: Hunk; next: number } | { problem: string } {
  const header = lines[at] ?? ""
  const numbers = HEADER.exec(header)
  if (!numbers && !/^@@\s*$|^@@[^-].*@@/.test(header)) {
    return { problem: `Line ${at + 1}: this is no hunk's header: write @@ -LINE,COUNT +LINE,COUNT @@` }
  }
  const counts = { old: countOf(numbers?.[2]), new: countOf(numbers?.[4]) }
  const end = (numbers ? endByCounts(lines, at + 1, counts) : undefined) ?? endByLook(lines, at + 1)
  const read = hunkLines(lines.slice(at + 1, end), at + 1)
  if ("problem" in read) return read
  if (read.lines.every(({ kind }) => kind === "kept")) return { problem: `Line ${at + 1}: the hunk changes nothing` }
  const line = numbers ? Number(numbers[1]) : undefined
  return { hunk: { line, lines: read.lines }, next: skipBlank(lines, end) }
}

function countOf(text: string | undefined): number {
  return text === undefined ? 1 : Number(text)
}

/** Where a hunk ends by its header, or `undefined` where the counts and what follows do not fit: models miscount. */
function endByCounts(
  lines: readonly string[],
  start: number,
  counts: { old: number; new: number },
): number | undefined {
  let { old: oldLeft, new: newLeft } = counts
  let at = start
  while (at < lines.length && (oldLeft > 0 || newLeft > 0)) {
    const mark = (lines[at] ?? "")[0] ?? " "
    if (mark === "-") oldLeft--
    else if (mark === "+") newLeft--
    else if (mark === " " || mark === "\r") {
      oldLeft--
      newLeft--
    } else if (mark !== "\\") return undefined
    at++
  }
  if ((lines[at] ?? "").startsWith("\\")) at++
  return oldLeft === 0 && newLeft === 0 && isEnd(lines, skipBlank(lines, at)) ? at : undefined
}

function endByLook(lines: readonly string[], start: number): number {
  let at = start
  while (at < lines.length && !isEnd(lines, at)) at++
  while (at > start && (lines[at - 1] ?? "").trim() === "") at--
  return at
}

function isEnd(lines: readonly string[], at: number): boolean {
  const line = lines[at]
  if (line === undefined) return true
  return line.startsWith("@@") || line.startsWith("diff --git ") || isHeaderPair(lines, at)
}

function skipBlank(lines: readonly string[], start: number): number {
  let at = start
  while (at < lines.length && (lines[at] ?? "").trim() === "") at++
  return at
}

const KINDS: Readonly<Record<string, HunkLine["kind"]>> = { " ": "kept", "-": "removed", "+": "added" }

function hunkLines(raw: readonly string[], firstLine: number): { lines: HunkLine[] } | { problem: string } {
  const lines: HunkLine[] = []
  for (const [index, line] of raw.entries()) {
    if (line.startsWith("\\")) {
      const last = lines.at(-1)
      if (last) last.text = last.text.replace(/\r?\n$/, "")
      continue
    }
    // An empty line is a kept one whose space was lost.
    const kind = line === "" || line === "\r" ? "kept" : KINDS[line[0] ?? ""]
    if (kind === undefined) {
      return {
        problem: `Line ${firstLine + index + 1}: a line of a hunk begins with a space, - or +, this one with ${JSON.stringify(line[0])}`,
      }
    }
    lines.push({ kind, text: `${line === "" || line === "\r" ? line : line.slice(1)}\n` })
  }
  return { lines }
}

/** Whether a file's two names stand here, so that a removed line `-- x` is not taken for one. */
export function isHeaderPair(lines: readonly string[], at: number): boolean {
  return (lines[at] ?? "").startsWith("--- ") && (lines[at + 1] ?? "").startsWith("+++ ")
}
