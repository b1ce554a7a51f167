import { type Answer, outputOf } from "../suspension/answer.ts"
import { isToolnexusError, messageOf, ToolnexusError } from "../tool/error.ts"
import type { ToolResult } from "../tool/tool.ts"
import type { NewEvent } from "./new-event.ts"

/** A shorter value would turn up by chance. */
const MIN_LENGTH = 6

/** A result without the secrets that this process was given: each exact occurrence says which one it was. */
export function redacted(result: ToolResult, secrets: ReadonlyMap<string, Answer>): ToolResult {
  const values = valuesOf(secrets)
  return values.length === 0 ? result : (redactAll(result, values) as ToolResult)
}

/** What the engine says in its own or the host's words; what the model says is never altered. */
const REDACTED: ReadonlySet<NewEvent["type"]> = new Set([
  "call.decided",
  "call.suspended",
  "call.finished",
  "run.failed",
] as const)

/** An event as it may be written. */
export function redactedEvent(event: NewEvent, secrets: ReadonlyMap<string, Answer>): NewEvent {
  const values = REDACTED.has(event.type) ? valuesOf(secrets) : []
  return values.length === 0 ? event : (redactAll(event, values) as NewEvent)
}

/** An error as the host may log it: where it told a secret, it is told again without. */
export function redactedError(error: unknown, secrets: ReadonlyMap<string, Answer>): unknown {
  const told = messageOf(error)
  const message = redactedText(told, secrets)
  if (message === told) return error
  return new ToolnexusError(isToolnexusError(error) ? error.code : "tool", message)
}

/** The same for one text, for instance of an error. */
export function redactedText(text: string, secrets: ReadonlyMap<string, Answer>): string {
  return redactText(text, valuesOf(secrets))
}

type Value = readonly [value: string, id: string]

function valuesOf(secrets: ReadonlyMap<string, Answer>): Value[] {
  const values = [...secrets].map(([id, answer]): Value => [outputOf(answer) ?? "", id])
  return values.filter(([value]) => value.length >= MIN_LENGTH).sort(([a], [b]) => b.length - a.length)
}

function redactAll(value: unknown, values: readonly Value[]): unknown {
  if (typeof value === "string") return redactText(value, values)
  if (Array.isArray(value)) return value.map((entry) => redactAll(entry, values))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [redactText(key, values), redactAll(member, values)]),
  )
}

function redactText(text: string, values: readonly Value[]): string {
  return values.reduce((clean, [value, id]) => clean.replaceAll(value, () => `[secret ${id}]`), text)
}
