import { isRecord } from "../../suspension/request.ts"
import { withoutReferences } from "./schema-references.ts"

type Schema = Record<string, unknown>

/** What a schema cannot do without: it is never left out. */
const NEEDED: ReadonlySet<string> = new Set(["properties", "required", "items", "description"])
const REFERENCES: ReadonlySet<string> = new Set(["$ref", "$defs", "definitions"])

// Where a schema holds others: by name, in a list, or one.
const BY_NAME: ReadonlySet<string> = new Set(["properties", "patternProperties", "dependentSchemas", "$defs"])
const LISTS: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "prefixItems", "items"])
const SINGLE: ReadonlySet<string> = new Set([
  "items",
  "contains",
  "additionalItems",
  "unevaluatedItems",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "not",
  "if",
  "then",
  "else",
])

/** The keywords, in a schema and in all that it holds, that an endpoint may refuse. */
export function keywordsIn(schema: unknown): Set<string> {
  const found = new Set<string>()
  mapSchemas(schema, (one) => {
    for (const key in one) if (!NEEDED.has(key) && (key !== "type" || Array.isArray(one.type))) found.add(key)
    return one
  })
  return found
}

/**
 * A schema without a keyword: the same in other words where there are some, else one that says less. The arguments that
 * come back are checked against the whole schema all the same.
 *
 * @param where everywhere in it, or only in the schema itself and not in those that it holds
 */
export function withoutKeyword(schema: unknown, keyword: string, where: "all" | "top"): unknown {
  if (!isRecord(schema)) return schema
  if (REFERENCES.has(keyword)) return withoutReferences(schema)
  if (where === "top") return without(schema, keyword)
  return mapSchemas(schema, (one) => (Object.hasOwn(one, keyword) ? inOtherWords(one, keyword) : one))
}

function inOtherWords(schema: Schema, keyword: string): Schema {
  const rest = without(schema, keyword)
  const value = schema[keyword]
  if (keyword === "const") return { ...rest, enum: [value] }
  if (keyword === "oneOf" && rest.anyOf === undefined) return { ...rest, anyOf: value }
  if (keyword !== "type") return rest
  if (!Array.isArray(value)) return schema // a list of types is what was refused
  return rest.anyOf === undefined ? { ...rest, anyOf: value.map((type) => ({ type })) } : rest
}

function without(schema: Schema, keyword: string): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== keyword))
}

/** Applies a change to a schema and then to each that it holds; what is no schema stays as it is. */
export function mapSchemas(schema: unknown, change: (schema: Schema) => Schema): unknown {
  if (!isRecord(schema)) return schema
  const changed = Object.entries(change(schema)).map(([key, value]) => {
    if (BY_NAME.has(key) && isRecord(value)) return [key, mapValues(value, change)]
    if (LISTS.has(key) && Array.isArray(value)) return [key, value.map((one) => mapSchemas(one, change))]
    return [key, SINGLE.has(key) ? mapSchemas(value, change) : value]
  })
  return Object.fromEntries(changed)
}

function mapValues(schemas: Schema, change: (schema: Schema) => Schema): Schema {
  return Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, mapSchemas(one, change)]))
}
