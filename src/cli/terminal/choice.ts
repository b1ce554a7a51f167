import { clip, columnsOf } from "./columns.ts"
import type { Key } from "./keys.ts"
import { keysLine } from "./keys-line.ts"
import type { Frame, Keys, Prompt, Reaction, Row, Size } from "./prompt.ts"

export interface ChoiceConfig {
  /** The question, short: one line. */
  label: string
  /** Harmless text, one line each; longer than the screen they are shown clipped. */
  options: readonly string[]
  /** What each option means, harmless too; `""` where nothing is said. They are in the list only where all of them fit. */
  descriptions?: readonly string[]
  /** How many are taken: `one` gives an index, `several` a list of them. */
  take: "one" | "several"
}

interface State {
  at: number | undefined
  taken: readonly number[]
  /** Enter was pressed and there was nothing to confirm: it says so, and does nothing else. */
  hint: "shown" | "none"
}

/** A list. Nothing is highlighted at first, and only keys that are named change anything. */
export function choicePrompt(config: ChoiceConfig, state: State = { at: undefined, taken: [], hint: "none" }): Prompt {
  const prompt: Prompt = {
    kind: "choice",
    typed: "",
    retyped: () => prompt,
    press: (key) => press(config, state, key, prompt),
    view: (size, keys) => view(config, state, size, keys),
    left: (size) => left(config, state, size),
    isWhole: (size) => isWhole(config, size),
  }
  return prompt
}

function press(config: ChoiceConfig, state: State, key: Key, prompt: Prompt): Reaction {
  const on = (next: Partial<State>): Reaction => ({
    type: "on",
    prompt: choicePrompt(config, { ...state, hint: "none", ...next }),
  })
  const last = config.options.length - 1
  const { at, taken } = state
  if (key.type === "text") {
    if (key.text === " " && config.take === "several" && at !== undefined) return on({ taken: toggled(taken, at) })
    const numbered = /^[1-9]$/.test(key.text) ? Number(key.text) - 1 : undefined
    if (numbered !== undefined && numbered <= last) return on({ at: numbered })
  }
  if (key.type === "press") {
    if (key.name === "down") return on({ at: at === undefined ? 0 : Math.min(at + 1, last) })
    if (key.name === "up") return on({ at: at === undefined ? last : Math.max(at - 1, 0) })
    if (key.name === "enter" && config.take === "one" && at !== undefined) return { type: "done", value: at }
    if (key.name === "enter" && config.take === "several" && taken.length > 0) return { type: "done", value: taken }
    if (key.name === "enter" && state.hint === "none") return on({ hint: "shown" })
  }
  return { type: "on", prompt }
}

function toggled(taken: readonly number[], at: number): number[] {
  return (taken.includes(at) ? taken.filter((each) => each !== at) : [...taken, at]).sort((a, b) => a - b)
}

function view(config: ChoiceConfig, state: State, size: Size, keys: Keys): Frame {
  const room = size.columns - 1
  const label: Row = { text: clip(`? ${config.label}`, room), look: "strong" }
  const hint: Row[] = state.hint === "shown" ? [{ text: clip(HINTS[config.take], room), look: "dim" }] : []
  const below: Row[] = keys === "count" ? [...hint, ...keyRows(config, room)] : []
  const shown = windowOf(config.options.length, state.at ?? 0, roomForOptions(size, below))
  const rowOf = optionRow(config, state, isWhole(config, size) ? "with descriptions" : "labels")
  const options = shown.map((index): Row => {
    return { text: clip(rowOf(index), room), look: index === state.at ? "strong" : "plain" }
  })
  const row = state.at === undefined ? 0 : 1 + shown.indexOf(state.at)
  const column = state.at === undefined ? Math.min(columnsOf(label.text) + 1, room) : 0
  return { rows: [label, ...options, ...below], cursor: { row, column } }
}

/** Whether the list says everything: each option, and what it means, in a row of its own. */
function isWhole(config: ChoiceConfig, size: Size): boolean {
  const { options, descriptions = [] } = config
  if (descriptions.some((text) => text.includes("\n"))) return false
  const room = size.columns - 1
  const rowOf = optionRow(config, { at: undefined, taken: [], hint: "none" }, "with descriptions")
  return (
    options.length <= roomForOptions(size, keyRows(config, room)) &&
    options.every((_, index) => columnsOf(rowOf(index)) <= room)
  )
}

function roomForOptions(size: Size, below: readonly Row[]): number {
  return Math.max(1, size.rows - 2 - below.length)
}

type OptionRow = "with descriptions" | "labels"

function optionRow({ options, descriptions, take }: ChoiceConfig, { at, taken }: State, what: OptionRow) {
  const widest = Math.max(0, ...options.filter((_, index) => descriptions?.[index]).map(columnsOf))
  return (index: number): string => {
    const pointer = index === at ? ">" : " "
    const box = take === "several" ? (taken.includes(index) ? "[x] " : "[ ] ") : ""
    const label = options[index] ?? ""
    const description = what === "labels" ? "" : (descriptions?.[index] ?? "")
    const said = description === "" ? label : `${label}${" ".repeat(widest - columnsOf(label) + 3)}${description}`
    return `${pointer} ${index + 1}. ${box}${said}`
  }
}

function keyRows({ options, take }: ChoiceConfig, room: number): Row[] {
  const numbers = options.length === 1 ? "1" : `1-${Math.min(options.length, 9)}`
  const [first, ...others] = KEYS[take]
  return keysLine([`${numbers} or Up/Down ${first}`, ...others], room)
}

const HINTS: Readonly<Record<ChoiceConfig["take"], string>> = {
  one: "choose one first",
  several: "mark one first, with Space",
}

const KEYS: Readonly<Record<ChoiceConfig["take"], readonly [string, ...string[]]>> = {
  one: ["choose", "Enter confirms", "Ctrl-C declines", "Ctrl-D later"],
  several: ["move", "Space marks", "Enter confirms", "Ctrl-C declines", "Ctrl-D later"],
}

function windowOf(count: number, at: number, room: number): number[] {
  const first = Math.max(0, Math.min(at - Math.floor(room / 2), count - room))
  return Array.from({ length: Math.min(room, count) }, (_, index) => first + index)
}

function left({ label, options, take }: ChoiceConfig, { at, taken }: State, size: Size): Row[] {
  const chosen = take === "several" ? taken : at === undefined ? [] : [at]
  const said = chosen.map((index) => options[index] ?? "").join(", ")
  return [{ text: clip(`? ${label}${said === "" ? "" : ` > ${said}`}`, size.columns - 1), look: "plain" }]
}
