import type { Clock } from "../../index.ts"
import type { Key } from "./keys.ts"
import { morePrompt } from "./more.ts"
import { countRows, firstRows, type Line, linesAfter, rowsOf } from "./passage.ts"
import type { Prompt, Size } from "./prompt.ts"
import { type QuietTime, startQuietTime } from "./quiet-time.ts"
import type { Screen } from "./screen.ts"
import { isPress } from "./terminal.ts"

/** What the person's keys came to. */
export type StageEvent =
  | { type: "value"; value: unknown; prompt: Prompt }
  | { type: "cancel" }
  | { type: "later" }
  | { type: "edit"; text: string }

export interface StageParts {
  clock: Clock
  screen: Screen
  onEvent(event: StageEvent): void
}

/** A text and the prompt below it, on an open terminal: pages, quiet time, early keys. */
export class Stage {
  readonly #parts: StageParts
  /** What is still to be shown before the prompt; while there is some, `#more` is what takes keys. */
  #pages: readonly Line[] = []
  /** What the prompt says itself, as long as it has the room. */
  #details: Line[] = []
  #more: Prompt | undefined
  #prompt: Prompt | undefined
  #quiet: QuietTime | undefined
  /** Keys that came before there was a prompt. */
  #early: Key[] = []

  constructor(parts: StageParts) {
    this.#parts = parts
  }

  /** The prompt as it is now, with what was typed. */
  get prompt(): Prompt | undefined {
    return this.#prompt
  }

  /** Whether keys count: not before the quiet time after the prompt, or its pages' prompt, was there. */
  get keysCount(): boolean {
    return this.#quiet?.over() === true
  }

  /** @param details printed too, unless and until the prompt says them itself */
  show(lines: readonly Line[], prompt: Prompt, details: readonly Line[] = []): void {
    const isWhole = prompt.isWhole(this.#parts.screen.size())
    this.#pages = isWhole ? lines : [...lines, ...details]
    this.#details = isWhole ? [...details] : []
    this.#prompt = prompt
    this.#nextPage()
    for (const key of this.#early.splice(0)) this.key(key)
  }

  key(key: Key): void {
    const up = this.#more ?? this.#prompt
    if (!up) this.#early.push(key)
    else if (this.keysCount) this.#keyThatCounts(key, up)
    else this.#earlyKey(key)
  }

  draw(): void {
    const { screen } = this.#parts
    const up = this.#more ?? this.#prompt
    if (up && up === this.#prompt && this.#details.length > 0 && !up.isWhole(screen.size())) {
      screen.print(rowsOf(this.#details.splice(0), screen.size().columns - 1))
    }
    if (up) screen.draw(up.view(screen.size(), this.keysCount ? "count" : "early"))
  }

  /** Leaves on the screen what was asked and typed, without the keys. */
  leave(): void {
    const { screen } = this.#parts
    screen.clear()
    if (this.#prompt && !this.#more) screen.print(this.#prompt.left(screen.size()))
    this.stop()
  }

  /** A line that stays, once the prompt is gone. */
  say(text: string): void {
    this.#parts.screen.print([{ text, look: "dim" }])
  }

  clear(): void {
    this.#parts.screen.clear()
    this.stop()
  }

  stop(): void {
    this.#quiet?.stop()
    this.#quiet = undefined
    this.#prompt = undefined
    this.#more = undefined
  }

  #nextPage(): void {
    const { clock, screen } = this.#parts
    const size = screen.size()
    const room = size.columns - 1
    const rows = countRows(this.#pages, room)
    const below = this.#prompt?.view(size, "count").rows.length ?? 0
    const fits = rows <= 1 || rows + below < size.rows
    const shown = fits ? rows : Math.min(screenful(size, rows), rows - 1)
    screen.print(firstRows(this.#pages, shown, room))
    this.#pages = linesAfter(this.#pages, shown, room)
    this.#more = fits ? undefined : morePrompt(rows - shown)
    this.#quiet?.stop()
    this.#quiet = startQuietTime(clock, () => this.draw())
    this.draw()
  }

  /** Kept as text for a text field, also while its pages are up; nothing else that comes early counts. */
  #earlyKey(key: Key): void {
    this.#quiet?.key()
    const kept = earlyText(key)
    const field = this.#prompt && isField(this.#prompt) ? this.#prompt : undefined
    const reaction = kept && field?.press(kept)
    if (reaction?.type === "on") this.#nowIs(reaction.prompt)
  }

  #keyThatCounts(key: Key, up: Prompt): void {
    const { onEvent } = this.#parts
    if (isPress(key, "ctrl-c")) onEvent({ type: "cancel" })
    else if (isPress(key, "ctrl-d") && up.typed === "") onEvent({ type: "later" })
    else if (isPress(key, "ctrl-d")) this.#press(up, { type: "press", name: "delete" })
    else if (isPress(key, "ctrl-g") && up.kind === "text") onEvent({ type: "edit", text: up.typed })
    else this.#press(up, key)
  }

  #nowIs(prompt: Prompt): void {
    this.#prompt = prompt
    this.draw()
  }

  #press(up: Prompt, key: Key): void {
    const reaction = up.press(key)
    if (reaction.type === "on") {
      if (reaction.prompt !== up) this.#nowIs(reaction.prompt)
    } else if (this.#more) {
      this.#parts.screen.clear()
      this.#nextPage()
    } else {
      this.leave()
      this.#parts.onEvent({ type: "value", value: reaction.value, prompt: up })
    }
  }
}

/** How many rows fit above the line that says that more is to come. */
function screenful(size: Size, toCome: number): number {
  return Math.max(1, size.rows - morePrompt(toCome).view(size, "count").rows.length)
}

function isField(prompt: Prompt): boolean {
  return prompt.kind === "text" || prompt.kind === "secret"
}

const EDITING = new Set<string>(["backspace", "delete", "left", "right", "home", "end", "word left", "word right"])

/** An early key as a text field keeps it; no Enter among early keys sends. */
function earlyText(key: Key): Key | undefined {
  if (key.type === "text") return key
  if (key.type === "press") return EDITING.has(key.name) ? key : undefined
  // Several early keys may come in one read: an Enter at their end was meant to send.
  const text = key.by === "read" ? key.text.replace(/\n+$/, "") : key.text
  return text === "" ? undefined : { ...key, text }
}
