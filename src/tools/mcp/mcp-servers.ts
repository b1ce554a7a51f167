import type { Clock } from "../../event/clock.ts"
import type { Tool } from "../../tool/tool.ts"
import { oneLine } from "../one-line.ts"
import type { McpStatus } from "../toolkit.ts"
import { McpServer } from "./mcp-server.ts"
import { mcpTool } from "./mcp-tool.ts"
import { type ReadServer, readServers } from "./read-servers.ts"
import { type Origin, ToolNames } from "./tool-names.ts"

export interface McpServersOptions {
  /** Unchecked. */
  config: unknown
  cwd: string
  env: NodeJS.ProcessEnv
  secretEnv: readonly string[]
  clock: Clock
  /** Ends them all, also while they start. */
  signal?: AbortSignal | undefined
  onWarning(message: string): void
}

/** Where the tools of the servers are put. */
export interface Shelf {
  /** Whether another tool has the name. */
  has(name: string): boolean
  /** Adds a tool, or puts it in the place of an earlier state of itself. */
  put(tool: Tool): void
  /** The tool is not offered any more. A call of it still finds it, and is told. */
  retire(name: string): void
}

/** The MCP servers of a toolkit. */
export interface McpServers {
  /** Resolves when each is there, or known not to be: after as long as the slowest takes. */
  readonly ready: Promise<void>
  /** Puts their tools on a shelf, and from then on what changes. */
  offer(shelf: Shelf): void
  status(): McpStatus[]
  /** Cancels what they are at, and ends them. */
  close(): Promise<void>
}

/**
 * Starts all servers of a configuration at once.
 *
 * @throws ToolnexusError `usage` when it is no configuration
 */
export function startMcpServers(options: McpServersOptions): McpServers {
  const { onWarning } = options
  const entries = readServers(options.config, options).map((read) => ({ read, server: serverOf(read, options) }))
  const servers = entries.flatMap(({ server }) => server ?? [])
  for (const { read } of entries) for (const message of remarksOn(read)) onWarning(message)
  const close = async (why?: string) => void (await Promise.all(servers.map((server) => server.close(why))))
  const { signal } = options
  const stop = () => void close("it was stopped")
  if (signal?.aborted) stop()
  else signal?.addEventListener("abort", stop, { once: true })
  const ready = Promise.all(servers.map((server) => server.start())).then(() => undefined)
  return {
    ready,
    offer(shelf) {
      const shelve = keepShelved(servers, shelf)
      shelve()
      for (const server of servers) server.onChanged = shelve
    },
    status: () => entries.map(({ read, server }) => server?.status ?? statusOf(read)),
    async close() {
      signal?.removeEventListener("abort", stop)
      await close()
    },
  }
}

function serverOf(read: ReadServer, options: McpServersOptions): McpServer | undefined {
  return read.is === "usable" ? new McpServer({ ...options, settings: read.settings }) : undefined
}

function remarksOn(read: ReadServer): string[] {
  const name = oneLine(read.name)
  if (read.is === "unusable") return [`the MCP server ${name} cannot be used: ${read.fact}: ${read.next}`]
  if (read.is === "disabled" || read.ignored.length === 0) return []
  return [`the MCP server ${name} has settings that mean nothing here: ${read.ignored.map(oneLine).join(", ")}`]
}

function statusOf(read: ReadServer): McpStatus {
  const { name: server } = read
  return read.is === "unusable"
    ? { server, status: "failed", error: `${read.fact}: ${read.next}` }
    : { server, status: "disabled" }
}

/** Each call brings the shelf to what the servers offer now. */
function keepShelved(servers: readonly McpServer[], shelf: Shelf): () => void {
  const names = new ToolNames()
  const shelved = new Map<string, string>()
  return () => {
    const offered = servers.flatMap((server) =>
      server.tools.map((listed) => ({ server, listed, origin: { server: server.settings.name, tool: listed.name } })),
    )
    const named = names.name(
      offered.map(({ origin }) => origin),
      (name) => shelf.has(name) && !shelved.has(name),
    )
    const now = new Set<string>()
    for (const { server, listed, origin } of offered) {
      const name = nameOf(named, origin)
      const state = JSON.stringify(listed)
      now.add(name)
      // The same tool stays: its calls under way are its own.
      if (shelved.get(name) !== state) shelf.put(mcpTool(server, listed, name))
      shelved.set(name, state)
    }
    for (const name of shelved.keys()) {
      if (now.has(name)) continue
      shelf.retire(name)
      shelved.delete(name)
    }
  }
}

function nameOf(named: ReadonlyMap<Origin, string>, origin: Origin): string {
  return named.get(origin) ?? origin.tool
}
