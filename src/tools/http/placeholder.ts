import { isRecord, typeName } from "../../suspension/request.ts"
import { Refusal } from "../refusal.ts"

/** A text with places for arguments: `before {name} after`. */
export type Template = readonly (string | { argument: string })[]

const PLACEHOLDER = /\{([A-Za-z_][\w-]*)\}/

/** @example parseTemplate("a/{b}") // ["a/", { argument: "b" }] */
export function parseTemplate(text: string): Template {
  // Every second piece is what stands in the brackets.
  const parts = text.split(PLACEHOLDER).map((piece, at) => (at % 2 === 1 ? { argument: piece } : piece))
  return parts.filter((part) => part !== "")
}

/** The arguments that a template has places for. */
export function namesIn(template: Template): string[] {
  return template.flatMap((part) => (typeof part === "string" ? [] : [part.argument]))
}

/** The arguments that a JSON value has places for. */
export function argumentsOf(value: unknown): string[] {
  if (typeof value === "string") return namesIn(parseTemplate(value))
  if (typeof value !== "object" || value === null) return []
  return Object.values(value).flatMap(argumentsOf)
}

/**
 * An argument as a piece of text; `undefined` where the call has none.
 *
 * @throws Refusal where it is a list or an object
 */
export function argumentText(args: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = Object.hasOwn(args, name) ? args[name] : undefined
  if (value === undefined || value === null) return undefined
  if (typeof value === "string") return value
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  throw new Refusal(`${name} must be a text, a number, true or false to stand there, got ${typeName(value)}`)
}

/**
 * A JSON value with the arguments in it: what is nothing but a placeholder becomes the argument as it is, or is left out with it.
 *
 * @throws Refusal where a list or an object would stand within a text
 */
export function fillJson(value: unknown, args: Readonly<Record<string, unknown>>): unknown {
  if (typeof value === "string") return fillText(value, args)
  if (Array.isArray(value)) return value.map((entry) => fillJson(entry, args)).filter((entry) => entry !== undefined)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fillJson(member, args)]))
}

function fillText(text: string, args: Readonly<Record<string, unknown>>): unknown {
  const template = parseTemplate(text)
  const [only] = template
  if (template.length === 1 && typeof only === "object") {
    return Object.hasOwn(args, only.argument) ? args[only.argument] : undefined
  }
  return template.map((part) => (typeof part === "string" ? part : (argumentText(args, part.argument) ?? ""))).join("")
}
