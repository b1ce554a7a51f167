import { isRecord } from "../is-record.ts"
import { type Expectation, expectationOf, isTextSchema } from "./expectation.ts"

/** How a typed text becomes the output that fits a flat JSON Schema. */
export interface AnswerSchema {
  /** Given to choose from instead of typing; the outputs themselves. */
  choices: readonly string[] | undefined
  /** Said before the question, in words: what is expected. */
  expects: string
  /** The output for a typed text: the text of a string schema, else the JSON text. */
  outputOf(typed: string): string
  /** Why a typed text does not fit, or `undefined`. */
  problemOf(typed: string): string | undefined
}

type Validate = (value: unknown) => string | undefined

/** @param schema `request.data.schema`; what is no object asks for any text */
export async function loadAnswerSchema(schema: unknown): Promise<AnswerSchema | undefined> {
  if (!isRecord(schema)) return undefined
  const text = isTextSchema(schema)
  const expectation = expectationOf(schema)
  const validate = await compile(schema)
  const outputOf = (typed: string) => (text ? typed : typed.trim())
  return {
    choices: expectation?.choices,
    expects: expectation?.words ?? "text",
    outputOf,
    problemOf: (typed) => (text ? validate(typed) : problemOfJson(typed, validate, schema.type, expectation)),
  }
}

/** What a person calls by its name, and not JSON. */
const PLAIN: ReadonlySet<unknown> = new Set(["integer", "number", "boolean", "null"])

function problemOfJson(typed: string, validate: Validate, type: unknown, expectation: Expectation | undefined) {
  try {
    return validate(JSON.parse(typed))
  } catch (error) {
    return PLAIN.has(type) && expectation
      ? `It must be ${expectation.words}.`
      : `It is not JSON: ${(error as Error).message}`
  }
}

async function compile(schema: Record<string, unknown>): Promise<Validate> {
  const { Ajv } = await import("ajv")
  const ajv = new Ajv({ strict: false, allErrors: false, validateFormats: false, addUsedSchema: false, logger: false })
  try {
    const { $schema: _dialect, $async: _async, ...plain } = schema
    const validate = ajv.compile(plain)
    return (value) =>
      validate(value) ? undefined : `It does not fit: ${ajv.errorsText(validate.errors, { dataVar: "it" })}`
  } catch {
    return () => undefined // a schema that cannot be compiled is not checked, as for arguments; the engine reports it
  }
}
