import type { WaitFor } from "../suspension/wait-for.ts"
import type { Tool, ToolContext, ToolResult } from "../tool/tool.ts"
import type { CommandOutput } from "./builtins/builtins.ts"
import type { McpConfig } from "./mcp/mcp-config.ts"

export type { CommandOutput } from "./builtins/builtins.ts"
export type { McpConfig, McpHttpServer, McpServerConfig, McpServerOptions, McpStdioServer } from "./mcp/mcp-config.ts"

/** What {@link createToolkit} takes. */
export interface ToolkitOptions {
  /** All of them, some by name, or none (the default). */
  builtins?: boolean | readonly string[]
  /** The host's own; one with a built-in's name takes its place. */
  extraTools?: readonly Tool[]
  /**
   * Folders of skills: each a folder with a `SKILL.md`, whose front matter has a `name` and a `description`. Relative to `cwd`. They add
   * the tool `skill` and {@link Toolkit.skillsPrompt}; a broken skill is left out with a warning that says why.
   */
  skillsDir?: string | readonly string[]
  /** MCP servers, started before the toolkit is there. One that cannot be used is reported (`onWarning`, `mcpStatus`) and left out. */
  mcpConfig?: McpConfig
  /** Names that are left out, wherever they come from. */
  disableTools?: readonly string[]
  /** Who is asked where the client names nobody. */
  waitFor?: WaitFor
  /** Stops every call, and what is being started. */
  signal?: AbortSignal
  /** Where built-ins work. Default: the process's working directory. */
  cwd?: string
  /** The environment of MCP servers, and what `${NAME}` in their configuration stands for. Default: the process's own. */
  env?: NodeJS.ProcessEnv
  /** Environment variables that commands do not get, beside those that hold the providers' keys. */
  secretEnv?: readonly string[]
  /** Hosts that `webfetch` may reach though they are not public: `HOST` or `HOST:PORT`, `*` for all. Default: none. */
  privateHosts?: readonly string[]
  /** Told of each piece that a command of `bash` prints, while it runs. A throw is a warning, and the end of it for that call. */
  onOutput?: (output: CommandOutput) => void
  /** Told of what was left out or cannot be checked. Default: `process.emitWarning`. */
  onWarning?: (message: string) => void
}

/** The tools of a run. */
export interface Toolkit {
  readonly waitFor?: WaitFor
  /** In a fixed order: built-ins first, then the host's in theirs. */
  tools(): readonly Tool[]
  get(name: string): Tool | undefined
  /** Why the arguments do not fit the tool's schema, in words for the model, or `undefined`. */
  check(name: string, input: unknown): Promise<string | undefined>
  /**
   * Adds tools of the host's.
   *
   * @throws ToolnexusError `usage` when a name is taken
   */
  register(...tools: readonly Tool[]): void
  /** Checks the arguments and runs a tool. Nothing is asked and no rule applies: gates are the client's. */
  execute(name: string, args: unknown, ctx?: ToolContext): Promise<ToolResult>
  /** What skills add to the system prompt: their names and descriptions, one line each. "" where there are none. */
  skillsPrompt(): string
  /** How the MCP servers are. */
  mcpStatus(): McpStatus[]
  /** The tools as an `openai` endpoint takes them. */
  toOpenAI(): OpenAITool[]
  /** The tools as an `anthropic` endpoint takes them. */
  toAnthropic(): AnthropicTool[]
  /** Stops what runs; later calls are error results. Closing twice is fine. */
  close(): Promise<void>
}

export interface McpStatus {
  server: string
  status: "connected" | "failed" | "disabled"
  /** How many tools it offers. */
  tools?: number
  /** What failed, and the next step. */
  error?: string
}

export interface OpenAITool {
  type: "function"
  function: { name: string; description: string; parameters: Record<string, unknown> }
}

export interface AnthropicTool {
  name: string
  description: string
  input_schema: Record<string, unknown>
}
