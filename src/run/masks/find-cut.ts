import type { Place } from "./find-masked.ts"

/** A shorter piece says little of the value, and would turn up by chance. */
const MIN_PIECE = 6

/**
 * Pieces of a value that are left where a tool cut what it had to say: its beginning, in front of the note that says so, and its end, at
 * the start of a line or of what is left of one. The value was in there as a whole.
 */
export function findCut(text: string, value: string, name: string): Place[] {
  if (value.length <= MIN_PIECE) return []
  return [...beginnings(text, value), ...ends(text, value)].map(([start, end]) => ({
    start,
    end,
    name,
    longest: end - start,
  }))
}

type Piece = readonly [start: number, end: number]

/** How built-in tools begin to say that something is missing. */
const NOTE = "\\[(?:\\.\\.\\. \\d|cut: |\\d+ more |The \\w+ is longer )"
const CUT = new RegExp(NOTE)
const CUT_BEHIND = new RegExp(`(?: \\.\\.\\.)?\\s?${NOTE}`, "y")

/** Whether a text says that something of it was cut. */
export function saysCut(text: string): boolean {
  return CUT.test(text)
}

function* beginnings(text: string, value: string): Generator<Piece> {
  for (const start of places(text, value.slice(0, MIN_PIECE))) {
    let length = MIN_PIECE
    while (length < value.length && text[start + length] === value[length]) length++
    if (length === value.length) continue
    CUT_BEHIND.lastIndex = start + length
    if (CUT_BEHIND.test(text)) yield [start, start + length]
  }
}

const CUT_BEFORE = /(?:^|[\n\t]|\.\.\. )$/

function* ends(text: string, value: string): Generator<Piece> {
  for (const at of places(text, value.slice(-MIN_PIECE))) {
    const end = at + MIN_PIECE
    let length = MIN_PIECE
    while (length < value.length && end > length && text[end - length - 1] === value.at(-length - 1)) length++
    const start = end - length
    if (length < value.length && CUT_BEFORE.test(text.slice(Math.max(start - 4, 0), start))) yield [start, end]
  }
}

function* places(text: string, part: string): Generator<number> {
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) yield at
}
