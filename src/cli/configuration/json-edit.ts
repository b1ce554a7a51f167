import { type JsonEntry, type JsonNode, jsonNode } from "./json-nodes.ts"

/**
 * A JSON text that says something else by now, with as little of it changed as that takes: order, spaces and line ends stay.
 *
 * @param text JSON, or nothing yet
 * @param value what it is to say
 * @example jsonWith('{ "a": 1,  "b": [1] }', { a: 1, b: [1, 2] }) // '{ "a": 1,  "b": [1, 2] }'
 */
export function jsonWith(text: string, value: unknown): string {
  if (text.trim() === "") return `${rendered(value, "", { unit: "  ", newline: "\n" })}\n`
  const edits: Edit[] = []
  change(jsonNode(text), value, { text, layout: layoutOf(text), edits })
  // From the end on, so that places stay; what is put at the beginning of what is taken away comes last.
  edits.sort((a, b) => b.start - a.start || b.end - a.end)
  return edits.reduce((all, { start, end, text: put }) => all.slice(0, start) + put + all.slice(end), text)
}

interface Edit {
  start: number
  end: number
  text: string
}

interface Editing {
  text: string
  layout: Layout
  edits: Edit[]
}

/** How a text is laid out. */
type Layout = { unit: string; newline: string } | "on one line" | "on one line, with spaces"

function layoutOf(text: string): Layout {
  if (!text.trim().includes("\n")) return isSpaced(text) ? "on one line, with spaces" : "on one line"
  return { unit: /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ", newline: text.includes("\r\n") ? "\r\n" : "\n" }
}

function isSpaced(text: string): boolean {
  return /[:,{[] /.test(text)
}

type Container = Readonly<Record<string, unknown>> | readonly unknown[]

function change(node: JsonNode, value: unknown, editing: Editing): void {
  const { text, edits } = editing
  const before: unknown = JSON.parse(text.slice(node.start, node.end))
  if (JSON.stringify(before) === JSON.stringify(value)) return
  if (isContainer(value) && isContainer(before) && Array.isArray(before) === Array.isArray(value)) {
    changeEntries(node, value, editing)
  } else {
    edits.push({ start: node.start, end: node.end, text: rendered(value, indentAt(node.start, text), editing.layout) })
  }
}

function changeEntries(node: JsonNode, value: Container, editing: Editing): void {
  const { text, layout, edits } = editing
  const entries = node.entries ?? []
  const stays = ({ name }: JsonEntry) => Object.hasOwn(value, name)
  const added = Object.entries(value).filter(([name]) => !entries.some((entry) => entry.name === name))
  const last = entries.filter(stays).at(-1)
  if (last === undefined) {
    edits.push({ start: node.start, end: node.end, text: rendered(value, indentAt(node.start, text), layout) })
    return
  }
  for (const [at, entry] of entries.entries()) {
    if (!stays(entry)) edits.push(removal(entries, at, stays))
    // Of several with one name the last counts.
    else if (!entries.slice(at + 1).some(({ name }) => name === entry.name)) {
      change(entry.value, Object.entries(value).find(([name]) => name === entry.name)?.[1], editing)
    }
  }
  const between = separator(node, entries, text)
  const isList = Array.isArray(value)
  const put = added.map(([name, it]) => {
    const shown = rendered(it, between.indent, layout)
    return `,${between.text}${isList ? "" : `${JSON.stringify(name)}:${between.afterColon}`}${shown}`
  })
  if (put.length > 0) edits.push({ start: last.value.end, end: last.value.end, text: put.join("") })
}

/** An entry goes with the comma before it; the first ones with the one behind. */
function removal(entries: readonly JsonEntry[], at: number, stays: (entry: JsonEntry) => boolean): Edit {
  const [entry, before, after] = [entries[at] as JsonEntry, entries[at - 1], entries[at + 1]]
  const hasBefore = entries.slice(0, at).some(stays)
  if (hasBefore && before) return { start: before.value.end, end: entry.value.end, text: "" }
  return { start: entry.start, end: after?.start ?? entry.value.end, text: "" }
}

/** What stands between the entries of a container. */
function separator(node: JsonNode, [first]: readonly JsonEntry[], text: string) {
  const lead = text.slice(node.start + 1, first?.start)
  const indent = /\n([ \t]*)$/.exec(lead)?.[1]
  if (indent !== undefined)
    return { text: lead.slice(lead.lastIndexOf("\n") - (lead.includes("\r\n") ? 1 : 0)), indent, afterColon: " " }
  const space = isSpaced(text.slice(node.start, node.end)) || text.includes("\n") ? " " : ""
  return { text: space, indent: indentAt(node.start, text), afterColon: space }
}

/** The spaces that the line of a place begins with. */
function indentAt(place: number, text: string): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", place - 1) + 1))?.[0] ?? ""
}

/** Longer lists get a line for each of what they hold. */
const MAX_LINE = 100

function rendered(value: unknown, indent: string, layout: Layout): string {
  if (layout === "on one line" || !isContainer(value)) return JSON.stringify(value)
  const isList = Array.isArray(value)
  const [open, close] = isList ? "[]" : "{}"
  const inner = layout === "on one line, with spaces" ? "" : indent + layout.unit
  const parts = Object.entries(value).map(
    ([name, it]) => (isList ? "" : `${JSON.stringify(name)}: `) + rendered(it, inner, layout),
  )
  if (parts.length === 0) return `${open}${close}`
  if (layout === "on one line, with spaces") return isList ? `[${parts.join(", ")}]` : `{ ${parts.join(", ")} }`
  const line = `[${parts.join(", ")}]`
  if (isList && !value.some(isContainer) && line.length <= MAX_LINE) return line
  const separated = parts.join(`,${layout.newline}${inner}`)
  return `${open}${layout.newline}${inner}${separated}${layout.newline}${indent}${close}`
}

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null
}
