import { accessSync, constants, statSync } from "node:fs"
import { systemFact, type Tool, ToolnexusError } from "../../index.ts"
import { sealedUrl } from "../projects/sealed-modules.ts"
import { moduleProblem } from "./module-problem.ts"

/**
 * Loads a tools module: its default export is a list of tools, or a function that is given the library's exports and
 * returns one, perhaps as a promise.
 *
 * @param path absolute
 * @param seal what it must hold
 * @throws ToolnexusError `configuration`, one line that names the module
 */
export async function loadToolModule(path: string, seal: string | undefined): Promise<Tool[]> {
  const tools = await exportedBy(path, seal)
  if (!Array.isArray(tools)) {
    throw unusableModule(path, `its default export gives ${nameOf(tools)}, not a list of tools: ${LIST}`)
  }
  for (const [at, tool] of tools.entries()) {
    const problem = problemOf(tool)
    if (problem !== undefined) throw unusableModule(path, `entry ${at} of its list ${problem}`)
  }
  return tools
}

const LIST = "write export default [defineTool({ name, description, run })]"

async function exportedBy(path: string, seal: string | undefined): Promise<unknown> {
  const fact = factOf(path)
  if (fact !== undefined) throw unusableModule(path, `${fact}: name another one with --tools`)
  const library = await import("../../index.ts")
  try {
    const module: { default?: unknown } = await import(sealedUrl(path, seal))
    if (module.default !== undefined) {
      return typeof module.default === "function" ? await module.default(library) : module.default
    }
  } catch (error) {
    throw unusableModule(path, moduleProblem(error, path), error)
  }
  throw unusableModule(path, `it has no default export: ${LIST}`)
}

/** A pipe or a device might never end. */
function factOf(path: string): string | undefined {
  try {
    const stat = statSync(path)
    if (!stat.isFile()) return stat.isDirectory() ? "it is a folder" : "it is no regular file"
    accessSync(path, constants.R_OK)
    return undefined
  } catch (error) {
    return systemFact(error)
  }
}

/** Why an entry is no tool, and what to do. */
function problemOf(entry: unknown): string | undefined {
  if (typeof entry !== "object" || entry === null) return `is ${nameOf(entry)}, no tool: ${MAKE}`
  if (entry instanceof Promise) return "is a promise, no tool: await it"
  const { name, description, inputSchema, execute, run } = entry as Record<string, unknown>
  if (typeof name !== "string" || name === "") return `is no tool, as it has no name: ${MAKE}`
  if (typeof execute !== "function" && typeof run === "function") {
    return `(${name}) is what defineTool takes, not what it gives: write defineTool({ ... }) around it`
  }
  const missing =
    typeof execute !== "function"
      ? "execute"
      : typeof description !== "string"
        ? "description"
        : typeof inputSchema !== "object" || inputSchema === null
          ? "inputSchema"
          : undefined
  return missing === undefined ? undefined : `(${name}) is no tool, as it has no ${missing}: ${MAKE}`
}

const MAKE = "make it with defineTool({ name, description, run })"

function nameOf(value: unknown): string {
  return value === null ? "null" : typeof value
}

/** Why a tools module cannot be used, on one line. */
export function unusableModule(path: string, fact: string, cause?: unknown): ToolnexusError {
  const options = cause === undefined ? {} : { cause }
  return new ToolnexusError("configuration", `the tools module ${path} cannot be used: ${fact}`, options)
}
