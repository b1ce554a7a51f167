import type { Ajv, Options } from "ajv"

type Draft = "draft-07" | "2020-12"

const loaded = new Map<Draft, Promise<Ajv>>()

/**
 * The validator for a schema's draft, loaded when first needed.
 *
 * @param dialect the schema's `$schema`: 2020-12 (or 2019-09) where it says so, else draft-07
 */
export function loadValidator(dialect: unknown): Promise<Ajv> {
  const draft: Draft = /\/(2019-09|2020-12)\//.test(String(dialect)) ? "2020-12" : "draft-07"
  const known = loaded.get(draft)
  if (known) return known
  const loading = draft === "draft-07" ? loadDraft07() : load2020()
  loaded.set(draft, loading)
  return loading
}

async function loadDraft07(): Promise<Ajv> {
  const { Ajv } = await import("ajv")
  return new Ajv(OPTIONS)
}

async function load2020(): Promise<Ajv> {
  const { Ajv2020 } = await import("ajv/dist/2020.js")
  return new Ajv2020(OPTIONS)
}

const OPTIONS: Options = {
  strict: false,
  allErrors: true,
  coerceTypes: false,
  useDefaults: false,
  removeAdditional: false,
  validateFormats: false,
  // Schemas come from anywhere: their $id must not clash, stay behind, or be fetched, and nothing may be written to a terminal.
  addUsedSchema: false,
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
