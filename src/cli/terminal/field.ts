import { clip, clipRows, columnsOf, wrapWords } from "./columns.ts"
import { edit, type Typed } from "./editor.ts"
import { escapeLine, escapeText } from "./escape.ts"
import type { Key } from "./keys.ts"
import { keysLine } from "./keys-line.ts"
import type { Frame, Keys, Prompt, Reaction, Row, Size } from "./prompt.ts"

export interface FieldConfig {
  /** The question, short: one line. */
  label: string
  /** What is there at first: a draft, or what is to be edited. */
  start: string
  /** `secret` is shown as stars, never drafted, and goes to no editor. */
  shown: "plain" | "secret"
  /** Why the text that is there at first was not taken. */
  problem?: string
  /** Why a text cannot be taken, in words for the person. */
  problemOf?: (text: string) => string | undefined
  /** Whether Enter in the empty field sends nothing at all, where it may be left out. Default: it is asked again. */
  empty?: "is asked again" | "is sent"
  /** `back`: Esc leaves the field for the choice that led to it. */
  escape: "nothing" | "back"
}

/** What a field gives: the text that was sent, or the text that was there when Esc was pressed. */
export interface FieldValue {
  how: "sent" | "back"
  text: string
}

interface State extends Typed {
  problem: string | undefined
}

/** A field for text or a secret. Enter sends what fits and is not empty, unless it may be left out. */
export function fieldPrompt(config: FieldConfig, state: State = startOf(config.start, config.problem)): Prompt {
  const prompt: Prompt = {
    kind: config.shown === "secret" ? "secret" : "text",
    typed: state.text,
    retyped: (text) => fieldPrompt(config, startOf(text)),
    press: (key) => press(config, state, key, prompt),
    view: (size, keys) => view(config, state, size, keys),
    left: (size) => left(config, state, size),
    isWhole: () => true,
  }
  return prompt
}

function startOf(text: string, problem?: string): State {
  return { text, cursor: text.length, problem }
}

function press(config: FieldConfig, state: State, key: Key, prompt: Prompt): Reaction {
  const on = (next: State): Reaction => ({ type: "on", prompt: fieldPrompt(config, next) })
  const done = (how: FieldValue["how"]): Reaction => ({ type: "done", value: { how, text: state.text } })
  if (key.type === "press" && key.name === "enter") {
    const isMissing = state.text === "" && config.empty !== "is sent"
    const problem = isMissing ? "Nothing is typed yet." : config.problemOf?.(state.text)
    return problem === undefined ? done("sent") : on({ ...state, problem })
  }
  if (key.type === "press" && key.name === "escape" && config.escape === "back") return done("back")
  const typed = edit(state, key)
  return typed === state ? { type: "on", prompt } : on({ ...typed, problem: endsInOneGo(key) ? IN_ONE_GO : undefined })
}

const IN_ONE_GO =
  "An Enter that comes together with text is a line end of it: Enter alone sends, Backspace takes it out."

/** On a slow line what was typed comes like a paste that the terminal does not mark. */
function endsInOneGo(key: Key): boolean {
  return key.type === "paste" && key.by === "read" && key.text.endsWith("\n")
}

const MOST_ROWS = 8

function view(config: FieldConfig, state: State, size: Size, keys: Keys): Frame {
  const room = size.columns - 1
  const quarter = Math.max(1, Math.floor(size.rows / 4))
  const label = clipRows(wrapWords(`? ${config.label}`, room), quarter, room).map(
    (text): Row => ({ text, look: "strong" }),
  )
  const problem: Row[] = state.problem === undefined ? [] : problemRows(state.problem, room, quarter)
  const below = [...problem, ...(keys === "count" ? keyRows(config, size) : [])]
  const { rows, cursor } = layOut(displayOf(config, state), room)
  const most = Math.max(1, Math.min(MOST_ROWS, size.rows - 2 - label.length - below.length))
  if (rows.length <= most)
    return { rows: [...label, ...plain(rows), ...below], cursor: { ...cursor, row: cursor.row + label.length } }
  const first = Math.max(0, Math.min(cursor.row - most + 1, rows.length - most))
  const note: Row = { text: clip(`  (${sizeOf(state.text)}; a part of it is shown)`, room), look: "dim" }
  const shown = plain(rows.slice(first, first + most))
  const row = cursor.row - first + label.length + 1
  return { rows: [...label, note, ...shown, ...below], cursor: { ...cursor, row } }
}

function plain(rows: string[]): Row[] {
  return rows.map((text) => ({ text, look: "plain" }))
}

function problemRows(problem: string, room: number, most: number): Row[] {
  const rows = clipRows(wrapWords(`! ${escapeLine(problem)}`, room), most, room)
  return rows.map((text) => ({ text, look: "problem" }))
}

function sizeOf(text: string): string {
  const lines = text.split("\n").length
  return `${lines === 1 ? "1 line" : `${lines} lines`}, ${text.length} characters`
}

/** The text as pieces that stay together, before and after the cursor. */
function displayOf(config: FieldConfig, { text, cursor }: Typed): { before: string[]; after: string[] } {
  const pieces = (part: string) =>
    Array.from(part, (char) => (char === "\n" || config.shown === "plain" ? escapeText(char) : "*"))
  return { before: pieces(text.slice(0, cursor)), after: pieces(text.slice(cursor)) }
}

function layOut({ before, after }: { before: string[]; after: string[] }, room: number) {
  const rows = ["> "]
  let used = 2
  const put = (piece: string) => {
    const wide = piece === "\n" ? 0 : columnsOf(piece)
    if (piece === "\n" || used + wide > room) {
      rows.push("  ")
      used = 2
    }
    if (piece === "\n") return
    rows[rows.length - 1] += piece
    used += wide
  }
  for (const piece of before) put(piece)
  const cursor = { row: rows.length - 1, column: Math.min(used, room) }
  for (const piece of after) put(piece)
  return { rows, cursor }
}

function keyRows(config: FieldConfig, { columns, rows }: Size): Row[] {
  const words = [
    config.empty === "is sent" ? "Enter sends, alone leaves it out" : "Enter sends",
    "Ctrl-C declines",
    "Ctrl-D in the empty field: later",
  ]
  const short = ["Enter", "^C", "^D"]
  if (config.shown === "plain") {
    words.push("Ctrl-G editor")
    short.push("^G")
  }
  if (config.escape === "back") {
    words.push("Esc back")
    short.push("Esc")
  }
  return keysLine({ words, short }, columns - 1, Math.floor(rows / 2))
}

function left(config: FieldConfig, state: State, size: Size): Row[] {
  const label = plain(wrapWords(`? ${config.label}`, size.columns - 1))
  if (state.text === "") return label
  if (config.shown === "secret") return [...label, { text: "> ******", look: "plain" }]
  const { rows } = layOut(displayOf(config, state), size.columns - 1)
  if (rows.length <= MOST_ROWS) return [...label, ...plain(rows)]
  return [
    ...label,
    ...plain(rows.slice(0, 2)),
    { text: clip(`  (${sizeOf(state.text)})`, size.columns - 1), look: "dim" },
  ]
}
