import type { Ajv, Options, ValidateFunction } from "ajv"
import type { JSONSchema } from "../tool/tool.ts"

type Draft = "draft-07" | "2020-12"

/** @throws Error when the schema is none */
export type Compile = (schema: JSONSchema) => ValidateFunction

const loaded = new Map<Draft, Promise<Compile>>()

/**
 * What compiles schemas of a draft, loaded when first needed.
 *
 * @param dialect the schema's `$schema`: 2020-12 (or 2019-09) where it says so, else draft-07
 */
export function loadCompiler(dialect: unknown): Promise<Compile> {
  const draft: Draft = /\/(2019-09|2020-12)\//.test(String(dialect)) ? "2020-12" : "draft-07"
  const known = loaded.get(draft)
  if (known) return known
  const loading = draft === "draft-07" ? loadDraft07() : load2020()
  loaded.set(draft, loading)
  return loading
}

async function loadDraft07(): Promise<Compile> {
  const { Ajv } = await import("ajv")
  return compilerOf(Ajv)
}

async function load2020(): Promise<Compile> {
  const { Ajv2020 } = await import("ajv/dist/2020.js")
  return compilerOf(Ajv2020)
}

// One instance judges the schemas, as its own schema takes long to compile. Each is compiled in one of its own: they come
// from anywhere, and what one says under an `$id` must not reach another.
function compilerOf(Validator: new (options: Options) => Ajv): Compile {
  const judge = new Validator(OPTIONS)
  return (schema) => {
    judge.validateSchema(schema, true)
    return new Validator({ ...OPTIONS, meta: false, validateSchema: false }).compile(schema)
  }
}

const OPTIONS: Options = {
  strict: false,
  allErrors: true,
  coerceTypes: false,
  useDefaults: false,
  removeAdditional: false,
  validateFormats: false,
  logger: false,
  // Else `constructor` counts as present in every object.
  ownProperties: true,
  code: { regExp: Object.assign(toRegExp, { code: "toRegExp" }) },
}

// Many schemas have patterns that are no Unicode regular expressions, such as [\w-.].
function toRegExp(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags)
  } catch {
    return new RegExp(pattern) // a second failure is the schema's
  }
}
