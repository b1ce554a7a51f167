import type { Hunk, HunkLine } from "../../../tool/patch.ts"
import { Refusal } from "../../refusal.ts"
import { splitLines } from "./render-diff.ts"
import { usualEnd } from "./replace-text.ts"

/**
 * A text with hunks applied to it. Kept and removed lines must be exactly there, line ends aside; a hunk whose line number is
 * wrong must have one place.
 *
 * @param path for the message
 * @throws Refusal which hunk does not fit, and why
 */
export function applyHunks(path: string, text: string, hunks: readonly Hunk[]): string {
  const lines = splitLines(text)
  const end = usualEnd(text)
  const out: string[][] = []
  const search = { left: MAX_COMPARED }
  let from = 0
  let drift = 0
  for (const [index, hunk] of hunks.entries()) {
    const old = hunk.lines.filter(({ kind }) => kind !== "added")
    const said = hunk.line === undefined ? undefined : { line: hunk.line, drift }
    const at = placeOf(lines, old, from, said, search)
    if (typeof at !== "number") throw new Refusal(`Hunk ${index + 1} of ${path} does not fit: ${at.problem}`)
    if (hunk.line !== undefined) drift = at - (hunk.line - 1)
    out.push(lines.slice(from, at), rendered(hunk, lines.slice(at, at + old.length), end))
    from = at + old.length
  }
  const isSaid = hunks.at(-1)?.lines.some((line) => !line.text.endsWith("\n"))
  const wasOpen = lines.length > 0 && !lines.at(-1)?.endsWith("\n")
  return withEnds([...out, lines.slice(from)].flat(), end, wasOpen && !isSaid ? "open" : "as it is")
}

type Place = number | { problem: string }

/** So many lines are compared to find hunks whose line numbers are wrong. */
const MAX_COMPARED = 5_000_000

/** The index of a hunk's first line: as its header says, moved by what moved the hunks before, or else the only one. */
function placeOf(
  lines: readonly string[],
  old: readonly HunkLine[],
  from: number,
  said: { line: number; drift: number } | undefined,
  search: { left: number },
): Place {
  if (old.length === 0) return placeOfAddition(lines, from, said?.line)
  const expected = said === undefined ? -1 : said.line - 1 + said.drift
  if (expected >= from && misfitAt(lines, old, expected) === undefined) return expected
  const places: number[] = []
  for (let at = from; at + old.length <= lines.length; at++) {
    const misfit = misfitAt(lines, old, at)
    if (misfit === undefined) places.push(at)
    search.left -= misfit ?? old.length
    if (--search.left < 0) return { problem: "looking for its lines takes too long: give the right line number" }
  }
  const [only, ...others] = places
  if (only === undefined) return { problem: nearest(lines, old, Math.max(expected, from)) }
  if (others.length === 0) return only
  const named = places.slice(0, 20).map((at) => at + 1)
  return {
    problem: `its lines are there ${places.length} times, at lines ${named.join(", ")}, and not at the line that its header says`,
  }
}

/** `@@ -N,0` means behind line N. */
function placeOfAddition(lines: readonly string[], from: number, said: number | undefined): Place {
  if (lines.length === 0) return 0
  if (said === undefined || said < from || said > lines.length) {
    return { problem: "it only adds lines, and its header does not say where: give the lines around it" }
  }
  return said
}

/** The first line of a hunk that is not there at a place; `undefined` where it fits. */
function misfitAt(lines: readonly string[], old: readonly HunkLine[], at: number): number | undefined {
  const wrong = old.findIndex(({ text }, n) => at + n >= lines.length || bare(lines[at + n] ?? "") !== bare(text))
  return wrong < 0 ? undefined : wrong
}

function bare(line: string): string {
  return line.replace(/\r?\n$/, "")
}

function nearest(lines: readonly string[], old: readonly HunkLine[], expected: number): string {
  const wrong = misfitAt(lines, old, expected) ?? 0
  const line = expected + wrong
  const there = line < lines.length ? shown(lines[line] ?? "") : "the end of the file"
  return `its lines are not in the file. Line ${line + 1} is ${there}, the patch has ${shown(old[wrong]?.text ?? "")}`
}

function shown(line: string): string {
  const text = bare(line)
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}...` : text)
}

/** Kept lines are the file's own, added ones have its line ends. */
function rendered(hunk: Hunk, there: readonly string[], end: string): string[] {
  const own = [...there]
  return hunk.lines.flatMap(({ kind, text }) => {
    if (kind === "added") return [text.endsWith("\n") ? bare(text) + end : text]
    const line = own.shift() ?? ""
    return kind === "kept" ? [line] : []
  })
}

/** A line in the middle needs its end. Where the last one had none, and the patch says nothing of it, it has none still. */
function withEnds(lines: readonly string[], end: string, last: "as it is" | "open"): string {
  const text = lines.map((line, at) => (at < lines.length - 1 && !line.endsWith("\n") ? line + end : line)).join("")
  return last === "open" ? text.replace(/\r?\n$/, "") : text
}
