import { isRecord } from "../../suspension/request.ts"
import { Pieces } from "../reply/pieces.ts"
import { openContent } from "./content.ts"

/** Puts a message's deltas together, its calls aside. */
export interface DeltaMerge {
  /** @returns the text that this delta adds */
  add(delta: Record<string, unknown>): string
  readonly isEmpty: boolean
  end(): Record<string, unknown>
}

// Members that come in pieces; of any other one the last value counts.
const PIECEWISE: ReadonlySet<string> = new Set([
  "refusal",
  "reasoning_content",
  "reasoning",
  "reasoning_text",
  "thinking",
  "thought",
])

// What is no member to be merged: put together by others, or always the same.
const ELSEWHERE: ReadonlySet<string> = new Set(["content", "role", "tool_calls", "function_call"])

export function openDeltaMerge(): DeltaMerge {
  const content = openContent()
  const members = new Map<string, unknown>()
  const addMember = (key: string, value: unknown) => {
    const before = members.get(key) ?? undefined
    // A null that nothing follows is kept, as a plain reply's is.
    if (value === null && before !== undefined) return
    if (typeof value !== "string" || !PIECEWISE.has(key)) members.set(key, mergeMember(before, value))
    else if (before instanceof Pieces) before.add(value)
    else members.set(key, new Pieces(value))
  }
  return {
    add(delta) {
      for (const key in delta) if (!ELSEWHERE.has(key)) addMember(key, delta[key])
      const text = content.add(delta.content)
      return text === "" && typeof delta.refusal === "string" ? delta.refusal : text
    },
    get isEmpty() {
      return content.isEmpty && [...members.values()].every((value) => value === null)
    },
    end() {
      const whole = [...members].map(([key, value]) => [key, value instanceof Pieces ? value.toString() : value])
      return { role: "assistant", content: content.end(), ...Object.fromEntries(whole) }
    },
  }
}

function mergeMember(before: unknown, value: unknown): unknown {
  if (Array.isArray(before) && Array.isArray(value)) return mergeList(before, value)
  if (Array.isArray(value)) return mergeList([], value)
  return isRecord(before) && isRecord(value) ? { ...before, ...value } : value
}

/** Entries of one index are one entry (`reasoning_details`); without indexes, neighbours of one type and id are. */
function mergeList(entries: unknown[], more: readonly unknown[]): unknown[] {
  for (const entry of more) {
    const at = isRecord(entry) ? entries.findLastIndex((other) => isRecord(other) && isSameEntry(other, entry)) : -1
    const mate = entries[at]
    const isNeighbour = at === entries.length - 1 || (isRecord(entry) && entry.index !== undefined)
    if (isRecord(mate) && isRecord(entry) && isNeighbour) mergeEntry(mate, entry)
    else entries.push(entry)
  }
  return entries
}

function isSameEntry(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  if (a.index !== undefined || b.index !== undefined)
    return a.index === b.index && (a.type ?? b.type) === (b.type ?? a.type)
  return (
    typeof a.type === "string" && a.type.startsWith("reasoning.") && a.type === b.type && a.id === b.id && !a.signature
  )
}

const ENTRY_PIECES: ReadonlySet<string> = new Set(["text", "summary", "thinking"])

function mergeEntry(into: Record<string, unknown>, from: Record<string, unknown>): void {
  for (const key of Object.keys(from)) {
    const value = from[key]
    if (value === null || value === undefined) continue
    const before = Object.hasOwn(into, key) ? into[key] : undefined
    const isPiece = ENTRY_PIECES.has(key) && typeof before === "string" && typeof value === "string"
    Object.defineProperty(into, key, {
      value: isPiece ? before + value : value,
      enumerable: true,
      writable: true,
      configurable: true,
    })
  }
}
