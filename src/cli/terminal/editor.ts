import type { Key, KeyName } from "./keys.ts"

/** Text being typed. */
export interface Typed {
  text: string
  /** Where the next character goes, in UTF-16 units; never inside a character. */
  cursor: number
}

/** The text after a key; the same object when the key does nothing here. */
export function edit(typed: Typed, key: Key): Typed {
  return key.type === "press" ? press(typed, key.name) : insert(typed, key.text)
}

function insert({ text, cursor }: Typed, added: string): Typed {
  return { text: text.slice(0, cursor) + added + text.slice(cursor), cursor: cursor + added.length }
}

function press(typed: Typed, name: KeyName): Typed {
  const { text, cursor } = typed
  const moved = (to: number): Typed => (to === cursor ? typed : { text, cursor: to })
  const erased = (from: number, to: number): Typed =>
    from === to ? typed : { text: text.slice(0, from) + text.slice(to), cursor: from }
  switch (name) {
    case "newline":
      return insert(typed, "\n")
    case "backspace":
      return erased(before(text, cursor), cursor)
    case "delete":
      return erased(cursor, after(text, cursor))
    case "left":
      return moved(before(text, cursor))
    case "right":
      return moved(after(text, cursor))
    case "home":
      return moved(lineStart(text, cursor))
    case "end":
      return moved(lineEnd(text, cursor))
    case "up":
      return moved(onLineAbove(text, cursor))
    case "down":
      return moved(onLineBelow(text, cursor))
    case "word left":
      return moved(wordStart(text, cursor))
    case "word right":
      return moved(wordEnd(text, cursor))
    case "erase word":
      return erased(wordStart(text, cursor), cursor)
    case "erase to start":
      return erased(lineStart(text, cursor), cursor)
    case "erase to end":
      return erased(cursor, lineEnd(text, cursor))
    default:
      return typed
  }
}

// What a person takes for one character may be several code points; a few dozen units hold any.
const NEAR = 64
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

function before(text: string, cursor: number): number {
  const near = [...graphemes.segment(text.slice(Math.max(0, cursor - NEAR), cursor))]
  return cursor - (near.at(-1)?.segment.length ?? 0)
}

function after(text: string, cursor: number): number {
  for (const { segment } of graphemes.segment(text.slice(cursor, cursor + NEAR))) return cursor + segment.length
  return cursor
}

function lineStart(text: string, cursor: number): number {
  return cursor === 0 ? 0 : text.lastIndexOf("\n", cursor - 1) + 1
}

function lineEnd(text: string, cursor: number): number {
  const end = text.indexOf("\n", cursor)
  return end < 0 ? text.length : end
}

function onLineAbove(text: string, cursor: number): number {
  const start = lineStart(text, cursor)
  if (start === 0) return 0
  const above = lineStart(text, start - 1)
  return characterAt(text, above, Math.min(above + cursor - start, start - 1))
}

function onLineBelow(text: string, cursor: number): number {
  const end = lineEnd(text, cursor)
  if (end === text.length) return end
  const below = end + 1
  return characterAt(text, below, Math.min(below + cursor - lineStart(text, cursor), lineEnd(text, below)))
}

/** Where the character begins that holds a place of a line, so that the cursor stays between characters. */
function characterAt(text: string, start: number, place: number): number {
  if (place >= lineEnd(text, start)) return place
  return start + (graphemes.segment(text.slice(start, lineEnd(text, start))).containing(place - start)?.index ?? 0)
}

function wordStart(text: string, cursor: number): number {
  return /[^\s]*\s*$/u.exec(text.slice(0, cursor))?.index ?? 0
}

function wordEnd(text: string, cursor: number): number {
  return cursor + (/^\s*[^\s]*/u.exec(text.slice(cursor))?.[0].length ?? 0)
}
