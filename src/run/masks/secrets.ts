import { type Answer, outputOf } from "../../suspension/answer.ts"
import { isToolnexusError, messageOf, ToolnexusError } from "../../tool/error.ts"
import type { ToolResult } from "../../tool/tool.ts"
import type { NewEvent } from "../new-event.ts"
import { findCut } from "./find-cut.ts"
import type { Masker } from "./masks.ts"

/** What may be neither stored nor sent. */
export interface Hidden {
  /** The secrets that this process was given, by request id. */
  readonly secrets: ReadonlyMap<string, Answer>
  readonly masks: Masker
}

/** A shorter value would turn up by chance. */
const MIN_LENGTH = 6

/** A result without the secrets that this process was given: each exact occurrence says which one it was. */
export function redacted(result: ToolResult, { secrets }: Hidden): ToolResult {
  const values = valuesOf(secrets)
  return values.length === 0 ? result : (redactAll(result, values) as ToolResult)
}

/** What the engine says in its own, the host's or a tool's words; what the model says is never altered. */
const REDACTED: ReadonlySet<NewEvent["type"]> = new Set([
  "call.decided",
  "call.suspended",
  "call.finished",
  "run.failed",
] as const)

/** An event as it may be written: without secrets, and with marks for what is masked. */
export function hiddenEvent(event: NewEvent, { secrets, masks }: Hidden): NewEvent {
  const values = REDACTED.has(event.type) ? valuesOf(secrets) : []
  return maskedEvent(values.length === 0 ? event : (redactAll(event, values) as NewEvent), masks)
}

/** The words in an event; what it is about (ids, names, digests) stays readable for the engine. */
function maskedEvent(event: NewEvent, masks: Masker): NewEvent {
  const { hide, masked } = marking(masks)
  switch (event.type) {
    case "call.decided":
      return event.rule === undefined ? event : { ...event, rule: hide(event.rule), ...masked() }
    case "call.finished": {
      if ("from" in event) return event
      const metadata = event.metadata ? { metadata: mapTexts(event.metadata, hide) as Record<string, unknown> } : {}
      return { ...event, output: hide(event.output), ...metadata, ...masked() }
    }
    case "call.suspended": {
      const { prompt, url, data } = event.request
      const basis = event.by === "gate" && data?.basis !== undefined ? { basis: data.basis } : {}
      const request = {
        ...event.request,
        prompt: hide(prompt),
        ...(url === undefined ? {} : { url: hide(url) }),
        ...(data ? { data: { ...(mapTexts(data, hide) as typeof data), ...basis } } : {}),
      }
      return { ...event, ...(event.rule === undefined ? {} : { rule: hide(event.rule) }), request, ...masked() }
    }
    case "run.failed":
      return { ...event, message: hide(event.message), ...masked() }
    default:
      return event
  }
}

/** Hides texts, and keeps in mind which marks that made. */
function marking(masks: Masker) {
  const names = new Set<string>()
  return {
    hide(text: string): string {
      const masked = masks.mask(text)
      for (const name of masked.names) names.add(name)
      return masked.text
    },
    masked: () => (names.size === 0 ? {} : { masked: [...names] }),
  }
}

/** The answer to relayed calls as it may be written: what it holds is what tools said. */
export function hiddenAnswer(answer: Answer, { secrets, masks }: Hidden): { answer: Answer; masked?: string[] } {
  const { output, results, ...data } = answer.data ?? {}
  const { hide, masked } = marking(masks)
  const values = valuesOf(secrets)
  const clean = (value: unknown) => mapTexts(redactAll(value, values), hide)
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
  return masks.mask(redactText(text, valuesOf(secrets))).text
}

type Value = readonly [value: string, id: string]

function valuesOf(secrets: ReadonlyMap<string, Answer>): Value[] {
  const values = [...secrets].map(([id, answer]): Value => [outputOf(answer) ?? "", id])
  return values.filter(([value]) => value.length >= MIN_LENGTH).sort(([a], [b]) => b.length - a.length)
}

function redactAll(value: unknown, values: readonly Value[]): unknown {
  return mapTexts(value, (text) => redactText(text, values))
}

/** Every text in a value, keys too. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value)
  if (Array.isArray(value)) return value.map((entry) => mapTexts(entry, change))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [change(key), mapTexts(member, change)]))
}

function redactText(text: string, values: readonly Value[]): string {
  return values.reduce((clean, [value, id]) => {
    const mark = `[secret ${id}]`
    return withoutPieces(
      clean.replaceAll(value, () => mark),
      value,
      mark,
    )
  }, text)
}

function withoutPieces(text: string, value: string, mark: string): string {
  return findCut(text, value, mark).reduceRight(
    (clean, { start, end }) => clean.slice(0, start) + mark + clean.slice(end),
    text,
  )
}
