import { type Answer, outputOf } from "../../suspension/answer.ts"
import { isToolnexusError, messageOf, ToolnexusError } from "../../tool/error.ts"
import type { NewEvent } from "../new-event.ts"
import { findCut, saysCut } from "./find-cut.ts"
import type { Masker } from "./masks.ts"

/** What may be neither stored nor sent. */
export interface Hidden {
  /** The secrets that this process was given, by request id. */
  readonly secrets: ReadonlyMap<string, Answer>
  readonly masks: Masker
}

/** A shorter value would turn up by chance. */
const MIN_LENGTH = 6

/**
 * An event as it may be written: without the secrets that this process was given, each exact occurrence of which says which one it
 * was, and with marks for what is masked. What the model says is never altered.
 *
 * @param said by whom: the built-in tools begin where they are told to, and cut what is long, perhaps through a secret
 */
export function hiddenEvent(event: NewEvent, hidden: Hidden, said: "by a built-in tool" | "by others"): NewEvent {
  const isCut =
    said === "by a built-in tool" || (event.type === "call.finished" && "output" in event && saysCut(event.output))
  const { hide, masked } = marking(hidden, isCut ? "and pieces" : "exact")
  switch (event.type) {
    case "call.decided":
      return event.rule === undefined ? event : { ...event, rule: hide(event.rule), ...masked() }
    case "call.finished": {
      if ("from" in event) return event
      const metadata = event.metadata ? { metadata: mapTexts(event.metadata, hide) as Record<string, unknown> } : {}
      return { ...event, output: hide(event.output), ...metadata, ...masked() }
    }
    case "call.suspended": {
      const request = hiddenRequest(event, hide)
      return { ...event, ...(event.rule === undefined ? {} : { rule: hide(event.rule) }), request, ...masked() }
    }
    case "run.failed":
      return { ...event, message: hide(event.message), ...masked() }
    default:
      return event
  }
}

/** The words of a request. What programs read of it stays as it is: its kind and times, what its members are called, the types of a schema. */
function hiddenRequest({ by, request }: Extract<NewEvent, { type: "call.suspended" }>, hide: Hide) {
  const { prompt, url, data } = request
  const basis = by === "gate" && data?.basis !== undefined ? { basis: data.basis } : {}
  return {
    ...request,
    prompt: hide(prompt),
    ...(url === undefined ? {} : { url: hide(url) }),
    ...(data ? { data: { ...(mapWords(data, hide) as typeof data), ...basis } } : {}),
  }
}

const FOR_PROGRAMS: ReadonlySet<string> = new Set(["type", "format", "$ref", "$schema"])

/** A name that a tool made up may hold a secret; a member that is read by its name may not become another one. */
const NAMES: ReadonlySet<string> = new Set([
  ...FOR_PROGRAMS,
  ..."questions question options label description multiple server message diff basis problem rule".split(" "),
  ..."schema properties required items enum const default title additionalProperties".split(" "),
  ..."minimum maximum minLength maxLength minItems maxItems pattern oneOf anyOf allOf".split(" "),
])

function mapWords(value: unknown, hide: Hide): unknown {
  if (typeof value === "string") return hide(value)
  if (Array.isArray(value)) return value.map((entry) => mapWords(entry, hide))
  if (typeof value !== "object" || value === null) return value
  const words = ([key, member]: [string, unknown]) => [
    NAMES.has(key) ? key : hide(key),
    FOR_PROGRAMS.has(key) ? member : mapWords(member, hide),
  ]
  return Object.fromEntries(Object.entries(value).map(words))
}

type Hide = (text: string) => string

/** Hides texts, and keeps in mind which marks that made. */
function marking({ secrets, masks }: Hidden, how: Occurrences) {
  const values = valuesOf(secrets)
  const names = new Set<string>()
  return {
    hide(text: string): string {
      const masked = masks.mask(redactText(text, values, how))
      for (const name of masked.names) names.add(name)
      return masked.text
    },
    masked: () => (names.size === 0 ? {} : { masked: [...names] }),
  }
}

/** The answer to relayed calls as it may be written: what it holds is what tools said. */
export function hiddenAnswer(answer: Answer, hidden: Hidden): { answer: Answer; masked?: string[] } {
  const { output, results, ...data } = answer.data ?? {}
  const { hide, masked } = marking(hidden, "exact")
  const clean = (value: unknown) => mapTexts(value, hide)
  const outputs = {
    ...(output === undefined ? {} : { output: clean(output) }),
    ...(Array.isArray(results)
      ? { results: results.map((result) => ({ ...result, output: clean(result.output) })) }
      : {}),
  }
  return { answer: { ...answer, ...(answer.data ? { data: { ...data, ...outputs } } : {}) }, ...masked() }
}

/** An error as the host may log it: where it told what is hidden, it is told again without. */
export function hiddenError(error: unknown, hidden: Hidden): unknown {
  const told = messageOf(error)
  const message = hiddenText(told, hidden)
  if (message === told) return error
  return new ToolnexusError(isToolnexusError(error) ? error.code : "tool", message)
}

/** One text, for instance of an error. */
export function hiddenText(text: string, { secrets, masks }: Hidden): string {
  return masks.mask(redactText(text, valuesOf(secrets), "exact")).text
}

type Value = readonly [value: string, id: string]

function valuesOf(secrets: ReadonlyMap<string, Answer>): Value[] {
  const values = [...secrets].map(([id, answer]): Value => [outputOf(answer) ?? "", id])
  return values.filter(([value]) => value.length >= MIN_LENGTH).sort(([a], [b]) => b.length - a.length)
}

/** Every text in a value, keys too. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value)
  if (Array.isArray(value)) return value.map((entry) => mapTexts(entry, change))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [change(key), mapTexts(member, change)]))
}

/** `and pieces`: also what a cut left of a value. */
type Occurrences = "exact" | "and pieces"

function redactText(text: string, values: readonly Value[], how: Occurrences): string {
  return values.reduce((clean, [value, id]) => {
    const mark = `[secret ${id}]`
    const exact = clean.replaceAll(value, () => mark)
    return how === "exact" ? exact : withoutPieces(exact, value, mark)
  }, text)
}

function withoutPieces(text: string, value: string, mark: string): string {
  return findCut(text, value, mark).reduceRight(
    (clean, { start, end }) => clean.slice(0, start) + mark + clean.slice(end),
    text,
  )
}
