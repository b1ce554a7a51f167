import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { type JSONSchema, relayTool, type Tool, ToolnexusError } from "../index.ts"
import { errorText, fileProblem } from "./error-text.ts"

/**
 * Loads a tools module: its default export is a list of tools, or a function that is given the library's exports and
 * returns one, perhaps as a promise.
 *
 * @param path absolute
 * @throws ToolnexusError `configuration`, one line that names the module
 */
export async function loadToolModule(path: string): Promise<Tool[]> {
  const tools = await exportedBy(path)
  if (!Array.isArray(tools)) {
    throw unusable(path, `its default export gives ${nameOf(tools)}, not a list of tools`)
  }
  for (const [at, tool] of tools.entries()) {
    if (!isTool(tool))
      throw unusable(path, `entry ${at} of its list is no tool: make it with defineTool({ name, description, run })`)
  }
  return tools
}

async function exportedBy(path: string): Promise<unknown> {
  try {
    readFileSync(path)
  } catch (error) {
    throw unusable(path, fileProblem(error))
  }
  const library = await import("../index.ts")
  try {
    const module: { default?: unknown } = await import(pathToFileURL(path).href)
    if (module.default === undefined) throw new Error("it has no default export")
    return typeof module.default === "function" ? await module.default(library) : module.default
  } catch (error) {
    throw new ToolnexusError(
      "configuration",
      `the tools module ${path} cannot be used: ${errorText(error)}: correct the module`,
      {
        cause: error,
      },
    )
  }
}

function isTool(value: unknown): value is Tool {
  if (typeof value !== "object" || value === null) return false
  const { name, execute } = value as Partial<Tool>
  return typeof name === "string" && name !== "" && typeof execute === "function"
}

function nameOf(value: unknown): string {
  return value === null ? "null" : typeof value
}

/**
 * Loads a relay file: a JSON list of `{ name, description, inputSchema }`.
 *
 * @param path absolute
 * @throws ToolnexusError `configuration`, one line that names the file and the entry
 */
export function loadRelayFile(path: string): Tool[] {
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch (error) {
    throw unusableRelay(path, fileProblem(error))
  }
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch (error) {
    throw unusableRelay(path, `it is not JSON (${errorText(error)})`)
  }
  if (!Array.isArray(list)) throw unusableRelay(path, "it must hold a list of { name, description, inputSchema }")
  return list.map((entry, at) => relayFrom(entry, at, path))
}

function relayFrom(entry: unknown, at: number, path: string): Tool {
  const { name, description, inputSchema } = (entry ?? {}) as Record<string, unknown>
  if (typeof name !== "string" || name === "") throw unusableRelay(path, `entry ${at} has no name`)
  if (typeof description !== "string") throw unusableRelay(path, `entry ${at} (${name}) has no description`)
  if (inputSchema !== undefined && !isObject(inputSchema)) {
    throw unusableRelay(path, `the inputSchema of entry ${at} (${name}) must be an object`)
  }
  return relayTool(name, description, inputSchema as JSONSchema | undefined)
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Paths of options are meant from where the command was typed. */
export function absolutePaths(paths: readonly string[], cwd: string): string[] {
  return paths.map((path) => resolve(cwd, path))
}

function unusable(path: string, fact: string): ToolnexusError {
  return new ToolnexusError("configuration", `the tools module ${path} cannot be used: ${fact}`)
}

function unusableRelay(path: string, fact: string): ToolnexusError {
  return new ToolnexusError("configuration", `the relay file ${path} cannot be used: ${fact}`)
}
