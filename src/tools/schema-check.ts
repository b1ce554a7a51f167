import type { ErrorObject, ValidateFunction } from "ajv"
import { isRecord } from "../suspension/request.ts"
import { messageOf } from "../tool/error.ts"
import type { JSONSchema, ToolSpec } from "../tool/tool.ts"
import { loadCompiler } from "./validator.ts"

/** Checks arguments against schemas; each schema is compiled once, at its first call. A schema does not change. */
export interface SchemaCheck {
  /** Why the arguments do not fit the tool's schema, in words for the model, or `undefined`. Nothing is coerced. */
  check(tool: ToolSpec, input: unknown): Promise<string | undefined>
  /** The bare facts, as in `n must be >= 0; x is missing`, for who words them himself, or `undefined`. */
  misfit(tool: ToolSpec, input: unknown): Promise<string | undefined>
}

type Compiled = { validate: ValidateFunction } | { problem: string }

/** Clients and toolkits share what they found out about the schemas of the tools that they share. */
const compiled = new WeakMap<JSONSchema, Promise<Compiled>>()
const told = new WeakSet<JSONSchema>()

/** How many problems a message names: the model can send the call again, and gets the rest then. */
const MAX_PROBLEMS = 5

/**
 * @param onWarning told of each schema that cannot be compiled, where nobody was yet; such a schema is not checked
 */
export function createSchemaCheck(onWarning?: (message: string) => void): SchemaCheck {
  const problem = async ({ name, inputSchema }: ToolSpec, input: unknown): Promise<Problem | undefined> => {
    if (isRecord(input) && takesAnyObject(inputSchema)) return undefined
    const found = await compileOnce(inputSchema)
    if ("validate" in found) return problemOf(found.validate, input)
    if (!onWarning || told.has(inputSchema)) return undefined
    told.add(inputSchema)
    onWarning(`the schema of tool ${name} cannot be compiled, so its arguments are not checked: ${found.problem}`)
    return undefined
  }
  return {
    async check(tool, input) {
      const found = await problem(tool, input)
      return found && `The arguments ${VERBS[found.what]} the schema of ${tool.name}: ${found.facts}. Nothing was run.`
    },
    async misfit(tool, input) {
      const found = await problem(tool, input)
      return found?.what === "unknown" ? `it cannot be checked (${found.facts})` : found?.facts
    },
  }
}

/** `unknown`: the check itself failed. */
interface Problem {
  what: "misfit" | "unknown"
  facts: string
}

const VERBS = { misfit: "do not fit", unknown: "cannot be checked against" } as const

function problemOf(validate: ValidateFunction, input: unknown): Problem | undefined {
  try {
    return validate(input) ? undefined : { what: "misfit", facts: describe(validate.errors ?? []) }
  } catch (error) {
    // A schema that refers to itself runs out of stack on what is nested deeply.
    return { what: "unknown", facts: messageOf(error) }
  }
}

function compileOnce(schema: JSONSchema): Promise<Compiled> {
  const known = compiled.get(schema)
  if (known) return known
  const compiling = compile(schema)
  compiled.set(schema, compiling)
  return compiling
}

async function compile(inputSchema: JSONSchema): Promise<Compiled> {
  try {
    // `$schema` chose the compiler; an `$async` schema would give a promise, which is true.
    const { $schema, $async, ...schema } = inputSchema
    return { validate: (await loadCompiler($schema))(schema) }
  } catch (error) {
    return { problem: messageOf(error) }
  }
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

function describe(errors: readonly ErrorObject[]): string {
  const problems = [...new Set(errors.map(describeError))]
  const shown = problems.slice(0, MAX_PROBLEMS)
  const more = problems.length > shown.length ? `; and ${problems.length - shown.length} more` : ""
  return `${shown.join("; ")}${more}`
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
