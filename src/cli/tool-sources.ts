import { type JSONSchema, relayTool, type Tool, ToolnexusError } from "../index.ts"
import { errorText } from "./error-text.ts"
import { isRecord } from "./is-record.ts"
import { readSealed } from "./sealed-file.ts"
import type { SealedFiles } from "./sealed-modules.ts"

/**
 * Loads a relay file: a JSON list of `{ name, description, inputSchema }`.
 *
 * @param path absolute
 * @param seals what files must hold that a project named
 * @throws ToolnexusError `configuration`, one line that names the file and the entry
 */
export function loadRelayFile(path: string, seals: SealedFiles): Tool[] {
  const text = readSealed(path, seals, "the relay file")
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
  if (inputSchema !== undefined && !isRecord(inputSchema)) {
    throw unusableRelay(path, `the inputSchema of entry ${at} (${name}) must be an object`)
  }
  return relayTool(name, description, inputSchema as JSONSchema | undefined)
}

function unusableRelay(path: string, fact: string): ToolnexusError {
  return new ToolnexusError("configuration", `the relay file ${path} cannot be used: ${fact}`)
}
