import { counted } from "../words/counted.ts"

/** What a flat JSON Schema asks for, in words for a person. */
export interface Expectation {
  /** The outputs to choose from, where there are only these. */
  choices: string[] | undefined
  /** `a number, at least 0`. */
  words: string
  /** Whether the schema asks for anything that neither of the two says. */
  says: "all" | "a part"
}

/** @param schema `request.data.schema`; what is no object asks for any text: `undefined` */
export function expectationOf(schema: unknown): Expectation | undefined {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return undefined
  const given = schema as Record<string, unknown>
  const { type } = given
  const types = (Array.isArray(type) ? type : [type]).map((name) => TYPES[String(name)] ?? "text")
  const known = Object.entries(given).every(([name, value]) => SAID.has(name) && typeof value !== "object")
  return {
    choices: choicesOf(given),
    says: known || (Array.isArray(given.enum) && Object.keys(given).length <= 2) ? "all" : "a part",
    words: [types.join(" or "), ...LIMITS.flatMap(([name, say]) => limit(given[name], say))].join(", "),
  }
}

/** Whether the output is the text itself; else it is the JSON text of a value. */
export function isTextSchema({ type, enum: values, const: value }: Record<string, unknown>): boolean {
  if (type !== undefined) return type === "string"
  if (Array.isArray(values)) return values.every((each) => typeof each === "string")
  return value === undefined || typeof value === "string"
}

function choicesOf(schema: Record<string, unknown>): string[] | undefined {
  const values = Array.isArray(schema.enum) ? schema.enum : schema.type === "boolean" ? [true, false] : []
  if (values.length === 0) return undefined
  if (isTextSchema(schema)) return values.filter((value) => typeof value === "string")
  return values.map((value) => JSON.stringify(value))
}

const TYPES: Readonly<Record<string, string>> = {
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a JSON list",
  object: "a JSON object",
  null: "null",
}

const LIMITS: readonly [name: string, say: (value: string | number) => string][] = [
  ["minimum", (value) => `at least ${value}`],
  ["exclusiveMinimum", (value) => `more than ${value}`],
  ["maximum", (value) => `at most ${value}`],
  ["exclusiveMaximum", (value) => `less than ${value}`],
  ["multipleOf", (value) => `a multiple of ${value}`],
  ["minLength", (value) => `at least ${counted(value, "character")}`],
  ["maxLength", (value) => `at most ${counted(value, "character")}`],
  ["minItems", (value) => `at least ${counted(value, "entry", "entries")}`],
  ["maxItems", (value) => `at most ${counted(value, "entry", "entries")}`],
  ["pattern", (value) => `of the pattern ${value}`],
  ["format", (value) => `of the format ${value}`],
]

const SAID: ReadonlySet<string> = new Set(["type", ...LIMITS.map(([name]) => name)])

function limit(value: unknown, say: (value: string | number) => string): string[] {
  return typeof value === "number" || typeof value === "string" ? [say(value)] : []
}
