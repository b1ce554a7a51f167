import { isRecord } from "../../suspension/request.ts"
import type { ToolSpec } from "../../tool/tool.ts"
import { holdsObject, joinArguments } from "../reply/call-arguments.ts"
import { realId } from "../reply/call-id.ts"

/** The list of calls in a message or a delta: some send one as it is, or several by their numbers. */
export function listOfCalls(calls: unknown): unknown[] {
  if (Array.isArray(calls)) return calls
  if (!isRecord(calls)) return []
  return isRecord(calls.function) || typeof calls.name === "string" ? [calls] : Object.values(calls)
}

/** Puts the calls of a streamed message together from their deltas. */
export interface CallAssembly {
  /** @param deltas the `tool_calls` of one delta */
  add(deltas: readonly unknown[]): void
  readonly isEmpty: boolean
  /** The calls in order of appearance, as a plain reply would have them. */
  end(): Record<string, unknown>[]
}

interface OpenCall {
  id: string | undefined
  name: string
  /** The arguments as they came, piece by piece. */
  pieces: string[]
  /** Members that we do not know, of the call and of its function. */
  members: Record<string, unknown>
  functionMembers: Record<string, unknown>
}

interface Delta {
  index: string | undefined
  id: string | undefined
  name: string | undefined
  arguments: string
  members: Record<string, unknown>
  functionMembers: Record<string, unknown>
}

export function openCallAssembly(tools: readonly ToolSpec[]): CallAssembly {
  const calls: OpenCall[] = []
  const byIndex = new Map<string, OpenCall>()
  const isKnown = (name: string) => tools.some((tool) => tool.name === name)

  const add = (delta: Delta, sameDelta: Set<OpenCall>) => {
    const found = callOf(delta, calls, byIndex, sameDelta)
    const call = found ?? newCall()
    if (!found) calls.push(call)
    if (delta.index !== undefined) byIndex.set(delta.index, call)
    sameDelta.add(call)
    call.id ??= delta.id
    if (delta.name !== undefined) call.name = continuedName(call.name, delta.name, isKnown)
    if (delta.arguments !== "") call.pieces.push(delta.arguments)
    call.members = withMembers(call.members, delta.members)
    call.functionMembers = withMembers(call.functionMembers, delta.functionMembers)
  }
  return {
    add(deltas) {
      const sameDelta = new Set<OpenCall>()
      for (const entry of deltas) if (isRecord(entry)) add(readDelta(entry), sameDelta)
    },
    get isEmpty() {
      return calls.length === 0
    },
    end: () => calls.map(wholeCall),
  }
}

function newCall(): OpenCall {
  return { id: undefined, name: "", pieces: [], members: {}, functionMembers: {} }
}

/**
 * Which call a delta belongs to; `undefined` is a new one. An index is believed, unless the delta says that another call
 * begins: another id and a name, or a name in a place where this delta, or a whole call, already is.
 */
function callOf(
  delta: Delta,
  calls: readonly OpenCall[],
  byIndex: ReadonlyMap<string, OpenCall>,
  sameDelta: ReadonlySet<OpenCall>,
): OpenCall | undefined {
  const newest = calls.at(-1)
  const indexed = delta.index === undefined ? undefined : byIndex.get(delta.index)
  if (indexed) return beginsAnother(delta, indexed, sameDelta) ? undefined : indexed
  const sameId = delta.id === undefined ? undefined : calls.find((call) => call.id === delta.id)
  if (delta.index !== undefined) {
    if (delta.name !== undefined) return undefined
    return sameId ?? (delta.id === undefined ? newest : undefined)
  }
  if (sameId) return beginsAnother(delta, sameId, sameDelta) ? undefined : sameId
  return delta.name === undefined ? newest : undefined
}

function beginsAnother(delta: Delta, call: OpenCall, sameDelta: ReadonlySet<OpenCall>): boolean {
  if (delta.name === undefined) return false
  if (sameDelta.has(call)) return true
  if (delta.id !== undefined && call.id !== undefined && delta.id !== call.id) return true
  if (delta.id !== undefined && delta.index !== undefined) return false
  const whole = call.pieces.at(-1)
  return (
    whole !== undefined &&
    whole !== delta.arguments &&
    holdsObject(whole) &&
    holdsObject(delta.arguments) &&
    delta.arguments !== ""
  )
}

function readDelta(entry: Record<string, unknown>): Delta {
  const { index, id, function: inner, name: outerName, arguments: outerArguments, type, ...members } = entry
  const it = isRecord(inner) ? inner : { name: outerName, arguments: outerArguments }
  const { name, arguments: raw, ...functionMembers } = it
  return {
    index: typeof index === "number" || (typeof index === "string" && index !== "") ? String(index) : undefined,
    id: realId(id),
    name: typeof name === "string" && name !== "" ? name : undefined,
    arguments: typeof raw === "string" ? raw : raw === null || raw === undefined ? "" : JSON.stringify(raw),
    members: typeof type === "string" && type !== "" ? { type, ...members } : members,
    functionMembers,
  }
}

/** Later members over earlier ones; a null takes nothing away. */
function withMembers(before: Record<string, unknown>, later: Record<string, unknown>): Record<string, unknown> {
  const told = Object.entries(later).filter(([key, value]) => value !== null || !Object.hasOwn(before, key))
  return { ...before, ...Object.fromEntries(told) }
}

/** A name may come in pieces until it is a tool's; said again it changes nothing. */
function continuedName(name: string, more: string, isKnown: (name: string) => boolean): string {
  if (name === "") return more
  const longer = name + more
  if (isKnown(longer) && !(isKnown(name) && name === more)) return longer
  if (isKnown(name) || name === more) return name
  return more.startsWith(name) ? more : longer
}

function wholeCall(call: OpenCall): Record<string, unknown> {
  const fn = { name: call.name, arguments: joinArguments(call.pieces), ...call.functionMembers }
  return { ...(call.id === undefined ? {} : { id: call.id }), type: "function", ...call.members, function: fn }
}
