import { isRecord, typeName } from "../suspension/request.ts"
import { messageOf, ToolnexusError } from "../tool/error.ts"
import type { JSONSchema, Preview, Tool, ToolAnnotations, ToolContext, ToolSource } from "../tool/tool.ts"
import { settle } from "./settle.ts"

/** What {@link defineTool} takes. */
export interface ToolDefinition<Args extends object = Record<string, unknown>> {
  /** `[a-zA-Z0-9_-]`, at most 64; a toolkit replaces other characters by `_`. */
  name: string
  /** What the model reads. */
  description: string
  /** Without one the tool takes no parameters. */
  inputSchema?: JSONSchema
  annotations?: ToolAnnotations
  /**
   * Does it. The arguments fit the schema. A string becomes the output, a `ToolResult` (`pending(...)`) passes through,
   * anything else is JSON; a throw is an error result with its message. A `ToolnexusError` of the code `tool` alone passes
   * through and fails the run: nobody knows then what the call did, and a resume asks.
   */
  run(args: Args, ctx: ToolContext): unknown
  /** Says what `run` would change, for whoever is asked about the call; it changes nothing. */
  preview?(args: Args, ctx: ToolContext): Promise<Preview>
}

/** The schema of a tool without parameters. */
export function noParameters(): JSONSchema {
  return { type: "object", properties: {} }
}

/**
 * A tool of the host's own.
 *
 * @param definition name, description, schema and function
 * @throws ToolnexusError `usage`, naming the member that is wrong
 * @example
 * defineTool({
 *   name: "weather",
 *   description: "looks up the weather",
 *   inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
 *   run: async ({ city }: { city: string }) => `sunny in ${city}`,
 * })
 */
export function defineTool<Args extends object = Record<string, unknown>>(definition: ToolDefinition<Args>): Tool {
  return toolOf("native", definition)
}

/** A tool of any source, made of the same parts. */
export function toolOf<Args extends object>(source: ToolSource, definition: ToolDefinition<Args>): Tool {
  const problem = problemOf(definition)
  if (problem) throw new ToolnexusError("usage", `a tool cannot be defined like this: ${problem}`)
  const { name, description, inputSchema, annotations } = definition
  return {
    name,
    description,
    inputSchema: inputSchema ?? noParameters(),
    source,
    ...(annotations ? { annotations } : {}),
    execute: (args, ctx = {}) => settle(() => definition.run(args as Args, ctx)),
    ...(definition.preview ? { preview: previewOf(definition) } : {}),
  }
}

function previewOf<Args extends object>(definition: ToolDefinition<Args>): NonNullable<Tool["preview"]> {
  return async (args, ctx = {}) => {
    try {
      return (
        (await definition.preview?.(args as Args, ctx)) ?? { problem: "It says nothing about what it would change." }
      )
    } catch (error) {
      return { problem: messageOf(error) }
    }
  }
}

function problemOf(definition: unknown): string | undefined {
  if (!isRecord(definition)) return `it must be an object, got ${typeName(definition)}`
  const { name, description, inputSchema, annotations, run, preview } = definition
  if (typeof name !== "string" || name === "") return `name must be a non-empty string, got ${JSON.stringify(name)}`
  const of = (member: string, kind: string, value: unknown) =>
    `${member} of "${name}" must be ${kind}, got ${typeName(value)}`
  if (typeof description !== "string") return of("description", "a string", description)
  if (inputSchema !== undefined && !isRecord(inputSchema)) return of("inputSchema", "an object", inputSchema)
  if (annotations !== undefined && !isRecord(annotations)) return of("annotations", "an object", annotations)
  if (typeof run !== "function") return of("run", "a function", run)
  if (preview !== undefined && typeof preview !== "function") return of("preview", "a function", preview)
  return undefined
}
