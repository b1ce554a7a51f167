import { isRegExp } from "node:util/types"
import { isRecord, typeName } from "../../suspension/request.ts"
import { ToolnexusError } from "../../tool/error.ts"
import { findCut } from "./find-cut.ts"
import { findPattern, findValue, type Place, problemOfPattern } from "./find-masked.ts"

/**
 * What may not be stored or sent of what tools say: a value, or what a pattern matches. Each occurrence becomes `[masked NAME]`. Of a
 * value that is the value itself, as it is written inside a JSON string, and each of its lines of 12 characters or more, also what a
 * built-in tool's cut leaves of these; not what is made of it (base64, URL encoding, a part of it).
 */
export type Mask =
  | { name: string; value: string; pattern?: never }
  /** It is matched anywhere, as with the flag `g`; one that takes too long masks the whole text. */
  | { name: string; pattern: RegExp; value?: never }

/** Masks, ready to be applied. */
export interface Masker {
  readonly names: ReadonlySet<string>
  /** The text without what is masked, and whose marks stand in it instead. */
  mask(text: string): Masked
}

interface Masked {
  text: string
  names: readonly string[]
}

/** A shorter value would turn up by chance. */
const MIN_VALUE = 6
const MIN_LINE = 12
const NAME = /^[^[\]\p{C}]{1,100}$/u

/** For who has nothing to mask. */
export const NO_MASKS: Masker = { names: new Set(), mask: (text) => ({ text, names: [] }) }

/**
 * A text without what masks cover, for a host that shows or logs what tools say on ways of its own, such as `onOutput`.
 *
 * @param text what was said
 * @param masks as the client has them; the same list is prepared once
 * @throws ToolnexusError `usage` for a mask that cannot be used, naming it
 * @example maskText("key=correct-horse", [{ name: "API_KEY", value: "correct-horse" }]) // "key=[masked API_KEY]"
 */
export function maskText(text: string, masks: readonly Mask[]): string {
  const masker = MASKERS.get(masks) ?? createMasker(masks, process.emitWarning)
  MASKERS.set(masks, masker)
  return masker.mask(text).text
}

const MASKERS = new WeakMap<readonly Mask[], Masker>()

/**
 * @param onWarning told of a pattern that took too long
 * @throws ToolnexusError `usage`
 */
export function createMasker(masks: readonly Mask[], onWarning: (message: string) => void): Masker {
  if (!Array.isArray(masks)) throw new ToolnexusError("usage", `masks must be a list, got ${typeName(masks)}`)
  if (masks.length === 0) return NO_MASKS
  for (const mask of masks) requireMask(mask)
  const names = new Set(masks.map(({ name }) => name))
  const finders = masks.flatMap(({ name, value, pattern }): Finder[] => {
    if (value !== undefined)
      return formsOf(value).map((form) => (text) => [...findValue(text, form, name), ...findCut(text, form, name)])
    return [(text) => findPattern(text, pattern, name, onWarning)]
  })
  const marks = new RegExp(`(${[...names].map((name) => escapeRegExp(markOf(name))).join("|")})`)
  return { names, mask: (text) => maskAround(text, marks, finders) }
}

type Finder = (text: string) => Place[]

/** A mark that stands there already is left as it is. */
function maskAround(text: string, marks: RegExp, finders: readonly Finder[]): Masked {
  if (!text.includes("[masked ")) return maskPart(text, finders)
  const parts = text
    .split(marks)
    .map((part, at) => (at % 2 === 1 ? { text: part, names: [] } : maskPart(part, finders)))
  return { text: parts.map((part) => part.text).join(""), names: [...new Set(parts.flatMap((part) => part.names))] }
}

function maskPart(text: string, finders: readonly Finder[]): Masked {
  const places = finders.flatMap((find) => find(text)).sort((a, b) => a.start - b.start || b.end - a.end)
  const [first, ...others] = places
  if (!first) return { text, names: [] }
  const joined = [{ ...first }]
  for (const place of others) join(joined, place)
  let masked = ""
  let at = 0
  for (const { start, end, name } of joined) {
    masked += text.slice(at, start) + markOf(name)
    at = end
  }
  return { text: masked + text.slice(at), names: [...new Set(joined.map(({ name }) => name))] }
}

/** Places that overlap are one, named after the longest: nothing is left of the shorter. */
function join(places: Place[], next: Place): void {
  const last = places.at(-1)
  if (!last || next.start >= last.end) return void places.push({ ...next })
  if (next.end - next.start > last.longest) {
    last.name = next.name
    last.longest = next.end - next.start
  }
  last.end = Math.max(last.end, next.end)
}

function markOf(name: string): string {
  return `[masked ${name}]`
}

/** As it is, each of its lines, and all of these as JSON writes them. */
function formsOf(value: string): string[] {
  const lines = value.split(/\r?\n/).map((line) => line.trim())
  const forms = [value, ...lines.filter((line) => line.length >= MIN_LINE)]
  return [...new Set([...forms, ...forms.map((form) => JSON.stringify(form).slice(1, -1))])]
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")
}

function requireMask(mask: unknown): void {
  if (!isRecord(mask)) throw new ToolnexusError("usage", `a mask must be an object, got ${typeName(mask)}`)
  const { name, value, pattern } = mask
  if (typeof name !== "string" || !NAME.test(name))
    throw new ToolnexusError(
      "usage",
      `a mask's name must be 1 to 100 characters without brackets, got ${JSON.stringify(name)}`,
    )
  const problem = value === undefined ? problemOfGiven(pattern) : problemOfValue(value)
  if (problem !== undefined) throw new ToolnexusError("usage", `the mask ${name} cannot be used: ${problem}`)
}

function problemOfValue(value: unknown): string | undefined {
  if (typeof value !== "string") return `its value must be a text, got ${typeName(value)}`
  return value.length < MIN_VALUE
    ? `its value has fewer than ${MIN_VALUE} characters and would turn up by chance`
    : undefined
}

function problemOfGiven(pattern: unknown): string | undefined {
  return isRegExp(pattern)
    ? problemOfPattern(pattern)
    : "it has neither a value nor a regular expression as its pattern"
}
