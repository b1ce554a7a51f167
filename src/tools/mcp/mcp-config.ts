/**
 * MCP servers by name, in the shape that other tools' files (`.mcp.json`) have. A tool of theirs is called `SERVER_TOOL`, and
 * `mcp:SERVER/TOOL` in rules.
 *
 * @example
 * const files = { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "."], readOnly: ["read_*", "list_*"] }
 * const tracker = { url: "https://tracker.example/mcp", headers: { Authorization: "Bearer ${TRACKER_TOKEN}" } }
 * const toolkit = await createToolkit({ mcpConfig: { mcpServers: { files, tracker } } })
 */
export interface McpConfig {
  mcpServers: Readonly<Record<string, McpServerConfig>>
}

/**
 * How a server is reached. `${NAME}` and `${NAME:-default}` in `command`, `args`, `env`, `cwd`, `url` and `headers` stand for
 * environment variables; where one without a default is not set, the server is reported and not started.
 */
export type McpServerConfig = McpStdioServer | McpHttpServer

/** A program that is started and spoken to over its standard input and output. */
export interface McpStdioServer extends McpServerOptions {
  type?: "stdio"
  command: string
  args?: readonly string[]
  /** Added to its environment, which is this process's without the providers' keys. */
  env?: Readonly<Record<string, string>>
  /** Where it runs. Default: where the tools work. */
  cwd?: string
}

/** A server at an address; `sse` is the older transport. Without a `type` it is `http`. */
export interface McpHttpServer extends McpServerOptions {
  type?: "http" | "streamable-http" | "sse"
  url: string
  headers?: Readonly<Record<string, string>>
}

/** What may be said of any server. Tools are named as the server names them; `*` in a name stands for any characters. */
export interface McpServerOptions {
  disabled?: boolean
  /** The only tools that are offered. Default: all. */
  includeTools?: readonly string[]
  /** Tools that are not offered, also where `includeTools` names them. */
  excludeTools?: readonly string[]
  /** Tools that change nothing: what is marked so, or idempotent, may be called again after a crash or a halt without asking. */
  readOnly?: readonly string[]
  /** Tools for which a second call is the same as one. */
  idempotent?: readonly string[]
  /** Whether the server's own hints say what is `readOnly` and `idempotent`. Default: no. */
  trustHints?: boolean
  /** Milliseconds until it must have started and listed its tools. Default: 30000. */
  startTimeoutMs?: number
  /** Milliseconds that a call may take without progress; a person's time is not counted. Default: 300000. */
  callTimeoutMs?: number
}
