import type { Key } from "./keys.ts"

export interface Size {
  columns: number
  rows: number
}

/** How a line looks; what it says never depends on it. */
export type Look = "plain" | "dim" | "strong" | "problem" | "added" | "removed"

export interface Row {
  text: string
  look: Look
}

/** What a prompt shows below the text: rows that fit the screen, and where the cursor stands in them. */
export interface Frame {
  rows: Row[]
  cursor: { row: number; column: number }
}

/** Whether keys count yet; the line that names them is there only when they do. */
export type Keys = "early" | "count"

/** What a key led to: the prompt as it is now, or its value. */
export type Reaction = { type: "on"; prompt: Prompt } | { type: "done"; value: unknown }

/** A prompt as a value: a view of its state, and the next state for a key. Drawing and deciding are done elsewhere. */
export interface Prompt {
  kind: "choice" | "text" | "secret" | "more"
  press(key: Key): Reaction
  view(size: Size, keys: Keys): Frame
  /** Whether its view says all that it is about; what it leaves out is printed above it. */
  isWhole(size: Size): boolean
  /** What stays on the screen when it is over. */
  left(size: Size): Row[]
  /** What was typed and not sent; always empty but for `text` and `secret`. */
  typed: string
  /** The same prompt with another text, from an editor; the same prompt where nothing is typed. */
  retyped(text: string): Prompt
}
