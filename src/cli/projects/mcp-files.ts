import { basename, dirname } from "node:path"
import { type McpConfig, type McpServerConfig, ToolnexusError } from "../../index.ts"
import { isRecord } from "../is-record.ts"
import { parsedJson } from "../words/json-problem.ts"
import { readSealed } from "./sealed-file.ts"
import type { SealedFiles } from "./sealed-modules.ts"
import { serverFolder } from "./server-folder.ts"

/**
 * The servers of several files; of two with one name the first counts. One that a project names runs in the project's folder
 * unless it says where.
 *
 * @param files absolute
 * @throws ToolnexusError `configuration`, one line that names the file
 */
export function loadMcpFiles(files: readonly string[], seals: SealedFiles): McpConfig {
  const servers = new Map<string, McpServerConfig>()
  for (const file of files) {
    const project = seals[file] === undefined ? undefined : projectOf(file)
    for (const [name, server] of Object.entries(serversIn(file, seals))) {
      if (servers.has(name)) continue
      const isProgram = project !== undefined && isRecord(server) && !("url" in server)
      servers.set(name, (isProgram ? { ...server, cwd: serverFolder(server, project) } : server) as McpServerConfig)
    }
  }
  return { mcpServers: Object.fromEntries(servers) }
}

/** The folder of a project's file. */
function projectOf(file: string): string {
  const folder = dirname(file)
  return basename(folder) === ".toolnexus" ? dirname(folder) : folder
}

function serversIn(file: string, seals: SealedFiles): Record<string, unknown> {
  const text = readSealed(file, seals, "the file of MCP servers")
  const value = parsedJson(text, (fact) => unusable(file, `it ${fact}: correct it`))
  if (isRecord(value) && isRecord(value.mcpServers)) return value.mcpServers
  throw unusable(file, 'it holds no servers: write { "mcpServers": { NAME: { command or url } } }')
}

function unusable(file: string, fact: string): ToolnexusError {
  return new ToolnexusError("configuration", `the file of MCP servers ${file} cannot be used: ${fact}`)
}
