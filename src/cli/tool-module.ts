import { readFileSync } from "node:fs"
import { type Tool, ToolnexusError } from "../index.ts"
import { errorText, fileProblem } from "./error-text.ts"
import { CHANGED, sealedUrl } from "./sealed-modules.ts"

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
    throw unusableModule(path, `its default export gives ${nameOf(tools)}, not a list of tools`)
  }
  for (const [at, tool] of tools.entries()) {
    if (!isTool(tool))
      throw unusableModule(
        path,
        `entry ${at} of its list is no tool: make it with defineTool({ name, description, run })`,
      )
  }
  return tools
}

async function exportedBy(path: string, seal: string | undefined): Promise<unknown> {
  try {
    readFileSync(path)
  } catch (error) {
    throw unusableModule(path, fileProblem(error))
  }
  const library = await import("../index.ts")
  try {
    const module: { default?: unknown } = await import(sealedUrl(path, seal))
    if (module.default === undefined) throw new Error("it has no default export")
    return typeof module.default === "function" ? await module.default(library) : module.default
  } catch (error) {
    const fact = errorText(error)
    const next = fact.includes(CHANGED) ? "look at it with toolnexus trust" : "correct the module"
    throw new ToolnexusError("configuration", `the tools module ${path} cannot be used: ${fact}: ${next}`, {
      cause: error,
    })
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

/** Why a tools module cannot be used, on one line. */
export function unusableModule(path: string, fact: string): ToolnexusError {
  return new ToolnexusError("configuration", `the tools module ${path} cannot be used: ${fact}`)
}
