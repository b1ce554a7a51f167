import { isUtf8 } from "node:buffer"
import { binaryKind, HEAD_BYTES } from "../../file-kind.ts"
import type { Change, Content } from "./change.ts"
import { type DiffPiece, diffLines } from "./diff-lines.ts"
import type { Snapshot } from "./snapshot.ts"

const CONTEXT = 3

/** What changes come to, as a unified diff with git's headers; complete, whatever its length. */
export function renderDiff(changes: readonly Change[]): string {
  const moved = new Set(changes.flatMap(({ movedFrom }) => (movedFrom ? [movedFrom.path] : [])))
  const shown = changes.filter(({ path, after }) => after !== undefined || !moved.has(path))
  return shown.map(renderChange).join("")
}

function renderChange({ path, before, after, movedFrom }: Change): string {
  const from = movedFrom?.before ?? before
  const names = {
    old: from ? shownName("a", movedFrom?.path ?? path) : "/dev/null",
    new: after ? shownName("b", path) : "/dev/null",
  }
  const head = [
    ...(movedFrom ? [`rename from ${plainName(movedFrom.path)}`, `rename to ${plainName(path)}`] : []),
    ...modeLines(from, after),
    `--- ${names.old}`,
    `+++ ${names.new}`,
  ]
  return `${[...head, ...body(from, after)].join("\n")}\n`
}

function modeLines(before: Snapshot | undefined, after: Content | undefined): string[] {
  if (after?.mode === undefined || after.mode === before?.mode) return []
  const octal = (mode: number) => (0o100000 | mode).toString(8)
  return before
    ? [`old mode ${octal(before.mode)}`, `new mode ${octal(after.mode)}`]
    : [`new file mode ${octal(after.mode)}`]
}

function body(before: Snapshot | undefined, after: Content | undefined): string[] {
  const old = before ? textOf(before.bytes) : ""
  const next = after ? textOf(after.bytes) : ""
  if (old === undefined || next === undefined) return [binaryLine(before, after)]
  const ends = { old: lineEnds(old), new: lineEnds(next) }
  const crlf = (ends.old === "crlf" || old === "") && (ends.new === "crlf" || next === "") && old + next !== ""
  // Where every line end is one, it is said once.
  const plain = (text: string) => (crlf ? text.replaceAll("\r\n", "\n") : text)
  return [...(crlf ? ["(all line ends: CRLF)"] : []), ...hunks(splitLines(plain(old)), splitLines(plain(next)))]
}

function binaryLine(before: Snapshot | undefined, after: Content | undefined): string {
  const was = before ? `${before.size} bytes` : "nothing"
  const becomes = after ? `${after.bytes.length} bytes` : "nothing"
  return `(not shown, as it is binary or too large: ${was}, then ${becomes})`
}

function textOf(bytes: Buffer | undefined): string | undefined {
  if (bytes === undefined || !isUtf8(bytes) || binaryKind(bytes.subarray(0, HEAD_BYTES))) return undefined
  return bytes.toString("utf8")
}

export type LineEnds = "lf" | "crlf" | "mixed" | "none"

export function lineEnds(text: string): LineEnds {
  const all = text.split("\n").length - 1
  const crlf = text.split("\r\n").length - 1
  if (all === 0) return "none"
  return crlf === 0 ? "lf" : crlf === all ? "crlf" : "mixed"
}

/** Lines with their ends, so that a missing last one is a difference. */
export function splitLines(text: string): string[] {
  const lines = text.split("\n")
  const last = lines.pop() ?? ""
  return [...lines.map((line) => `${line}\n`), ...(last === "" ? [] : [last])]
}

function hunks(before: readonly string[], after: readonly string[]): string[] {
  return grouped(diffLines(before, after)).flatMap((pieces) => renderHunk(pieces, before, after))
}

/** Pieces with a few equal lines around; what is far apart makes hunks of its own. */
function grouped(pieces: readonly DiffPiece[]): DiffPiece[][] {
  const groups: DiffPiece[][] = [[]]
  for (const [index, piece] of pieces.entries()) {
    const isFirst = index === 0
    const isLast = index === pieces.length - 1
    if (piece.kind !== "same" || (!isFirst && !isLast && piece.length <= 2 * CONTEXT)) {
      groups.at(-1)?.push(piece)
      continue
    }
    if (!isFirst) groups.at(-1)?.push({ ...piece, length: Math.min(piece.length, CONTEXT) })
    if (!isFirst && !isLast) groups.push([])
    if (!isLast) groups.at(-1)?.push(lastOf(piece, CONTEXT))
  }
  return groups.filter((group) => group.some(({ kind }) => kind !== "same"))
}

function lastOf(piece: DiffPiece, lines: number): DiffPiece {
  const skipped = Math.max(piece.length - lines, 0)
  return {
    ...piece,
    old: piece.old + skipped,
    next: piece.next + skipped,
    length: piece.length - skipped,
  }
}

const MARKS = { same: " ", removed: "-", added: "+" } as const

function renderHunk(pieces: readonly DiffPiece[], before: readonly string[], after: readonly string[]): string[] {
  const lines = pieces.flatMap(({ kind, old, next, length }) => {
    const own = kind === "added" ? after.slice(next, next + length) : before.slice(old, old + length)
    return own.flatMap((line) => renderLine(MARKS[kind], line))
  })
  return [header(pieces), ...lines]
}

function renderLine(mark: string, line: string): string[] {
  return line.endsWith("\n") ? [mark + line.slice(0, -1)] : [mark + line, "\\ No newline at end of file"]
}

function header(pieces: readonly DiffPiece[]): string {
  const lengthOf = (other: DiffPiece["kind"]) =>
    pieces.reduce((sum, { kind, length }) => (kind === other ? sum : sum + length), 0)
  const range = (start: number, length: number) => `${length === 0 ? start : start + 1},${length}`
  const { old = 0, next = 0 } = pieces[0] ?? {}
  return `@@ -${range(old, lengthOf("added"))} +${range(next, lengthOf("removed"))} @@`
}

/** A name with a line end in it must not look like two lines. */
function shownName(mark: "a" | "b", path: string): string {
  return plainName(path.startsWith("/") ? path : `${mark}/${path}`)
}

function plainName(path: string): string {
  return /[\p{C}\p{Z}"\\]/u.test(path.replaceAll(" ", "")) ? JSON.stringify(path) : path
}
