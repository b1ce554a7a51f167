import { clipRows, columnsOf, wrapWords } from "./columns.ts"
import type { Key } from "./keys.ts"
import { keysLine } from "./keys-line.ts"
import type { Frame, Keys, Prompt, Reaction, Row, Size } from "./prompt.ts"

export interface ChoiceConfig {
  /** The question, short: one line. */
  label: string
  /** Harmless text, one line each. */
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
  const layout = layoutOf(config, size)
  const room = size.columns - 1
  const hint = state.hint === "shown" ? wrapWords(HINTS[config.take], room) : []
  const below: Row[] = keys === "count" ? [...dim(hint), ...keyRows(config, size)] : []
  const space = size.rows - below.length
  const label = clipRows(wrapWords(`? ${config.label}`, room), layout === "window" ? 1 : space, room)
  const optionRows = optionRowsOf(config, state, room, layout)
  const all = config.options.map((_, index) => optionRows(index))
  const isLow = layout === "window" && space < 3 && state.at !== undefined
  const above = isLow ? [] : label
  const [first, options] = windowOf(all, state.at ?? 0, space - above.length, room)
  const looked = options.flatMap((rows, index) =>
    rows.map((text): Row => ({ text, look: first + index === state.at ? "strong" : "plain" })),
  )
  return {
    rows: [...above.map((text): Row => ({ text, look: "strong" })), ...looked, ...below],
    cursor: cursorOf(state.at, first, options, above, room),
  }
}

function cursorOf(
  at: number | undefined,
  first: number,
  options: readonly string[][],
  above: readonly string[],
  room: number,
) {
  if (at === undefined) return { row: above.length - 1, column: Math.min(columnsOf(above.at(-1) ?? "") + 1, room) }
  const before = options.slice(0, at - first).flat()
  return { row: above.length + before.length, column: 0 }
}

/** Everything in the list; or each option whole, without what it means; or as many of them as fit. */
type Layout = "with descriptions" | "labels" | "window"

function layoutOf(config: ChoiceConfig, size: Size): Layout {
  const room = size.columns - 1
  const { descriptions = [], options } = config
  const state: State = { at: undefined, taken: [], hint: "none" }
  const label = wrapWords(`? ${config.label}`, room).length
  // One more for the hint.
  const space = size.rows - 1 - label - keyRows(config, size).length
  const described = options.map((_, index) => optionText(config, state, "with descriptions")(index))
  const isOneEach = described.every((text) => columnsOf(text) <= room) && !descriptions.some((it) => it.includes("\n"))
  if (isOneEach && options.length <= space) return "with descriptions"
  const rowsOf = optionRowsOf(config, state, room, "labels")
  return options.flatMap((_, index) => rowsOf(index)).length <= space ? "labels" : "window"
}

/** Whether the list says everything: each option, and what it means. */
function isWhole(config: ChoiceConfig, size: Size): boolean {
  const layout = layoutOf(config, size)
  return layout === "with descriptions" || (layout === "labels" && !config.descriptions?.some((text) => text !== ""))
}

function optionText({ options, descriptions, take }: ChoiceConfig, { at, taken }: State, layout: Layout) {
  const widest = Math.max(0, ...options.filter((_, index) => descriptions?.[index]).map(columnsOf))
  return (index: number): string => {
    const pointer = index === at ? ">" : " "
    const box = take === "several" ? (taken.includes(index) ? "[x] " : "[ ] ") : ""
    const label = options[index] ?? ""
    const description = layout === "with descriptions" ? (descriptions?.[index] ?? "") : ""
    const said = description === "" ? label : `${label}${" ".repeat(widest - columnsOf(label) + 3)}${description}`
    return `${pointer} ${index + 1}. ${box}${said}`
  }
}

const FURTHER_IN = "     "

/** The rows of an option: further ones stand further in, so that none passes for another option. */
function optionRowsOf(config: ChoiceConfig, state: State, room: number, layout: Layout) {
  const textOf = optionText(config, state, layout)
  const margin = room >= 3 * FURTHER_IN.length ? FURTHER_IN : "  "
  return (index: number): string[] => {
    const text = textOf(index)
    if (columnsOf(text) <= room) return [text]
    const [start = ""] = text.match(/^. \d+\. (\[.\] )?/) ?? []
    const [first = "", ...more] = wrapWords(text.slice(start.length), room - Math.max(start.length, margin.length))
    return [start + first, ...more.map((row) => margin + row)]
  }
}

function dim(rows: readonly string[]): Row[] {
  return rows.map((text) => ({ text, look: "dim" }))
}

function keyRows({ options, take }: ChoiceConfig, { columns, rows }: Size): Row[] {
  const numbers = options.length === 1 ? "1" : `1-${Math.min(options.length, 9)}`
  const [first, ...others] = KEYS[take]
  const words = [`${numbers} or Up/Down ${first}`, ...others]
  const short = take === "one" ? [numbers, "Enter", "^C", "^D"] : [numbers, "Space", "Enter", "^C", "^D"]
  return keysLine({ words, short }, columns - 1, Math.floor(rows / 2))
}

const HINTS: Readonly<Record<ChoiceConfig["take"], string>> = {
  one: "choose one first",
  several: "mark one first, with Space",
}

const KEYS: Readonly<Record<ChoiceConfig["take"], readonly [string, ...string[]]>> = {
  one: ["choose", "Enter confirms", "Ctrl-C declines", "Ctrl-D later"],
  several: ["move", "Space marks", "Enter confirms", "Ctrl-C declines", "Ctrl-D later"],
}

/** The option that is at hand, whole as far as that goes, and what fits around it. @returns the first one's index, and the rows of each */
function windowOf(all: readonly string[][], at: number, space: number, room: number): [number, string[][]] {
  const most = Math.max(1, space)
  const shown = [clipRows(all[at] ?? [], most, room)]
  let [first, next, used] = [at, at + 1, shown[0]?.length ?? 0]
  while (true) {
    const [before, after] = [all[first - 1], all[next]]
    const isAfter = after !== undefined && used + after.length <= most
    // As much above as below, where both are there.
    const isBefore = before !== undefined && used + before.length <= most && (!isAfter || at - first < next - 1 - at)
    if (isBefore) shown.unshift(before)
    else if (isAfter) shown.push(after)
    else return [first, shown]
    if (isBefore) first -= 1
    else next += 1
    used += (isBefore ? before : after)?.length ?? 0
  }
}

function left({ label, options, take }: ChoiceConfig, { at, taken }: State, size: Size): Row[] {
  const chosen = take === "several" ? taken : at === undefined ? [] : [at]
  const said = chosen.map((index) => options[index] ?? "").join(", ")
  return wrapWords(`? ${label}${said === "" ? "" : ` > ${said}`}`, size.columns - 1).map((text) => ({
    text,
    look: "plain",
  }))
}
