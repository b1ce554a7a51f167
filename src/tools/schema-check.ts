import type { ErrorObject, ValidateFunction } from "ajv"
import { isRecord } from "../suspension/request.ts"
import { messageOf } from "../tool/error.ts"
import type { JSONSchema, ToolSpec } from "../tool/tool.ts"
import { loadCompiler } from "./validator.ts"

/** Checks arguments against schemas; each schema is compiled once, at its first call. */
export interface SchemaCheck {
  /** Why the arguments do not fit the tool's schema, in words for the model, or `undefined`. Nothing is coerced. */
  check(tool: ToolSpec, input: unknown): Promise<string | undefined>
}

type Compiled = ValidateFunction | "unchecked"

/** How many problems a message names: the model can send the call again, and gets the rest then. */
const MAX_PROBLEMS = 5

/**
 * @param onWarning told once of each schema that cannot be compiled; such a schema is not checked
 */
export function createSchemaCheck(onWarning: (message: string) => void): SchemaCheck {
  const compiled = new WeakMap<JSONSchema, Promise<Compiled>>()
  const compile = async ({ name, inputSchema }: ToolSpec): Promise<Compiled> => {
    try {
      // `$schema` chose the compiler; an `$async` schema would give a promise, which is true.
      const { $schema, $async, ...schema } = inputSchema
      return (await loadCompiler($schema))(schema)
    } catch (error) {
      onWarning(`the schema of tool ${name} cannot be compiled, so its arguments are not checked: ${messageOf(error)}`)
      return "unchecked"
    }
  }
  return {
    async check(tool, input) {
      if (isRecord(input) && takesAnyObject(tool.inputSchema)) return undefined
      const validate = await (compiled.get(tool.inputSchema) ?? remember(compiled, tool.inputSchema, compile(tool)))
      return validate === "unchecked" ? undefined : problemOf(tool.name, validate, input)
    },
  }
}

function problemOf(name: string, validate: ValidateFunction, input: unknown): string | undefined {
  try {
    return validate(input) ? undefined : describe(name, validate.errors ?? [])
  } catch (error) {
    // A schema that refers to itself runs out of stack on what is nested deeply.
    return `The arguments cannot be checked against the schema of ${name}: ${messageOf(error)}. Nothing was run.`
  }
}

function remember(compiled: WeakMap<JSONSchema, Promise<Compiled>>, schema: JSONSchema, work: Promise<Compiled>) {
  compiled.set(schema, work)
  return work
}

// The schema of a tool without parameters: the validator need not be loaded for it.
function takesAnyObject(schema: JSONSchema): boolean {
  return Object.entries(schema).every(([key, value]) => {
    if (key === "type") return value === "object"
    if (key === "properties") return typeof value === "object" && value !== null && Object.keys(value).length === 0
    if (key === "required") return Array.isArray(value) && value.length === 0
    return (
      key === "$schema" ||
      key === "title" ||
      key === "description" ||
      (key === "additionalProperties" && value === true)
    )
  })
}

function describe(name: string, errors: readonly ErrorObject[]): string {
  const problems = [...new Set(errors.map(describeError))]
  const shown = problems.slice(0, MAX_PROBLEMS)
  const more = problems.length > shown.length ? `; and ${problems.length - shown.length} more` : ""
  return `The arguments do not fit the schema of ${name}: ${shown.join("; ")}${more}. Nothing was run.`
}

function describeError({ instancePath, keyword, message, params }: ErrorObject): string {
  const where = pathOf(instancePath)
  switch (keyword) {
    case "required":
      return `${pathOf(`${instancePath}/${params.missingProperty}`)} is missing`
    case "additionalProperties":
      return `${pathOf(`${instancePath}/${params.additionalProperty}`)} is not a parameter`
    case "enum":
      return `${where} must be one of ${clipped(JSON.stringify(params.allowedValues))}`
    case "const":
      return `${where} must be ${clipped(JSON.stringify(params.allowedValue))}`
    default:
      return `${where} ${clipped(message ?? `does not fit "${keyword}"`)}`
  }
}

// "/items/0/a~1b" is items[0]["a/b"]
function pathOf(pointer: string): string {
  const steps = pointer.split("/").slice(1)
  const named = steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
  const path = named.map(renderStep).join("").replace(/^\./, "")
  return path === "" ? "the whole" : clipped(path)
}

function renderStep(step: string): string {
  if (/^\d+$/.test(step)) return `[${step}]`
  return /^[A-Za-z_$][\w$-]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`
}

function clipped(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}...` : text
}
