import { isRecord } from "../is-record.ts"
import { expectationOf } from "./expectation.ts"
import { jsonText } from "./json-text.ts"

/** One thing that a form asks for. */
export interface FormField {
  name: string
  title: string
  description: string | undefined
  need: "needed" | "optional"
  schema: Record<string, unknown>
  /** `text` is typed; else one or several of the options are taken. */
  take: "text" | "one" | "several"
  options: readonly FormOption[]
  /** What counts where nothing else is said. */
  standard: unknown
}

export interface FormOption {
  label: string
  value: unknown
}

/**
 * The fields of a schema that asks for an object of plain members, as MCP servers do; `undefined` for any other schema.
 *
 * @param schema `request.data.schema`
 */
export function formIn(schema: unknown): readonly FormField[] | undefined {
  if (!isRecord(schema) || schema.type !== "object" || !isRecord(schema.properties)) return undefined
  if (!Object.keys(schema).every((member) => KNOWN.has(member))) return undefined
  const needed = Array.isArray(schema.required) ? schema.required : []
  const fields = Object.entries(schema.properties).map(([name, property]) => fieldFrom(name, property, needed))
  if (fields.length === 0 || needed.some((name) => !Object.hasOwn(schema.properties as object, name))) return undefined
  return fields.every((field) => field !== undefined) ? fields : undefined
}

const KNOWN: ReadonlySet<string> = new Set(
  "$schema type title description properties required additionalProperties".split(" "),
)

function fieldFrom(name: string, schema: unknown, needed: readonly unknown[]): FormField | undefined {
  if (!isRecord(schema)) return undefined
  const taken = takenFrom(schema)
  if (!taken) return undefined
  const { title, description } = schema
  return {
    name,
    title: typeof title === "string" && title !== "" ? title : name,
    description: typeof description === "string" && description !== "" ? description : undefined,
    need: needed.includes(name) ? "needed" : "optional",
    schema,
    standard: schema.default,
    ...taken,
  }
}

function takenFrom(schema: Record<string, unknown>): Pick<FormField, "take" | "options"> | undefined {
  switch (schema.type) {
    case "string": {
      const options = optionsIn(schema.enum, schema.enumNames) ?? titledIn(schema.oneOf)
      return options ? { take: "one", options } : { take: "text", options: [] }
    }
    case "boolean":
      return { take: "one", options: YES_OR_NO }
    case "number":
    case "integer":
      return { take: "text", options: [] }
    case "array": {
      const items = isRecord(schema.items) ? schema.items : {}
      const options = optionsIn(items.enum, undefined) ?? titledIn(items.anyOf) ?? titledIn(items.oneOf)
      return options && { take: "several", options }
    }
    default:
      return undefined
  }
}

const YES_OR_NO: readonly FormOption[] = [
  { label: "yes", value: true },
  { label: "no", value: false },
]

function optionsIn(values: unknown, names: unknown): FormOption[] | undefined {
  if (!Array.isArray(values) || values.length === 0) return undefined
  const labels = Array.isArray(names) ? names : []
  return values.map((value, at) => ({ label: labelOf(value, labels[at]), value }))
}

function titledIn(entries: unknown): FormOption[] | undefined {
  if (!Array.isArray(entries) || entries.length === 0) return undefined
  if (!entries.every((entry) => isRecord(entry) && "const" in entry)) return undefined
  return entries.map((entry) => ({ label: labelOf(entry.const, entry.title), value: entry.const }))
}

/** What it is called, and what is sent where that is something else. */
function labelOf(value: unknown, title: unknown): string {
  const text = typeof value === "string" ? value : jsonText(value)
  return typeof title === "string" && title !== "" && title !== text ? `${title} (${text})` : text
}

/** What a field asks for, in words: `a whole number, at least 1 (optional)`. */
export function wordsOf({ take, options, schema, need, standard }: FormField): string {
  const labels = options.map(({ label }) => label).join(", ")
  const what =
    take === "text" ? (expectationOf(schema)?.words ?? "text") : `${take === "one" ? "one" : "some"} of ${labels}`
  const without = standard === undefined ? "optional" : `optional, else ${jsonText(standard)}`
  return need === "needed" ? what : `${what} (${without})`
}

/** What an answer to the form looks like: its needed fields, with what stands for a value of each. */
export function sampleOf(fields: readonly FormField[]): Record<string, unknown> {
  const shown = fields.some(({ need }) => need === "needed")
    ? fields.filter(({ need }) => need === "needed")
    : fields.slice(0, 1)
  return Object.fromEntries(shown.map((field) => [field.name, sampleValue(field)]))
}

function sampleValue({ take, options, schema }: FormField): unknown {
  if (take === "one") return options[0]?.value
  if (take === "several") return [options[0]?.value]
  return schema.type === "string" ? "TEXT" : typeof schema.minimum === "number" ? schema.minimum : 1
}
