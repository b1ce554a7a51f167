import type { Answer } from "../suspension/answer.ts"

/** A JSON Schema (any draft that the checker takes), as plain data. */
export type JSONSchema = Record<string, unknown>

/** Where a tool comes from. */
export type ToolSource = "native" | "relay" | "builtin" | "mcp" | "http" | "skill" | "agent" | "custom"

/** What a tool promises about its effects; with neither, a call that a crash cut off is in doubt. */
export interface ToolAnnotations {
  /** It changes nothing. */
  readOnly?: boolean
  /** Running it twice is the same as once. */
  idempotent?: boolean
}

/** What a tool gives back. `metadata.pending` holds a request when it suspends: build that with `pending`. */
export interface ToolResult {
  output: string
  isError: boolean
  metadata?: Record<string, unknown>
}

/** What a running call is told. */
export interface ToolContext {
  /** Aborted when the run is stopped or its time is up. After a call that suspended also when the run has ended otherwise. */
  signal?: AbortSignal
  /** The newest answer to this tool's own question of this call; never the gate's. */
  answer?: Answer
  /** All of them, in order. */
  answers?: Answer[]
  call?: { id: string; name: string; turn: number }
  runId?: string
  /** The same whenever this call is run again. */
  idempotencyKey?: string
  /**
   * Of a call that rules let pass without asking anybody: whether they still do. For a tool whose arguments may lead elsewhere by the
   * time that it acts, such as a path through a link that somebody changes.
   */
  stillPasses?(): Promise<boolean>
  /** The `basis` of the preview that a person approved: the tool changes nothing where it is another one by now. */
  basis?: string
}

/**
 * What a call would change, for whoever is asked about it. `basis` is SHA-256 over what the diff was made from: as long as it
 * is the same, the same call comes to the same diff. `problem`: the call would fail, and why.
 */
export type Preview = { diff: string; basis: string } | { problem: string }

/** What a model may be offered: everything about a tool that is data. */
export interface ToolSpec {
  name: string
  description: string
  inputSchema: JSONSchema
  source: ToolSource
  annotations?: ToolAnnotations
  /** Of an MCP tool: its server and its name there, as permission rules (`mcp:SERVER/TOOL`) say it. */
  origin?: { server: string; tool: string }
}

/** A named, described, schema'd callable that the model may call. */
export interface Tool extends ToolSpec {
  execute(args: Record<string, unknown>, ctx?: ToolContext): Promise<ToolResult>
  /** Says what `execute` would change, and changes nothing. It must not ask. */
  preview?(args: Record<string, unknown>, ctx?: ToolContext): Promise<Preview>
  /**
   * Whether something of a call that suspended still waits for its answer in this process. Then a refusal is an answer too: the
   * tool is run with it (`ctx.answer.ok` is `false`), and what it gives is the result. Without this a refused call is not run.
   */
  isWaiting?(idempotencyKey: string): boolean
}

/** A tool's own data, without its function. */
export function toolSpec({ name, description, inputSchema, source, annotations, origin }: ToolSpec): ToolSpec {
  return {
    name,
    description,
    inputSchema,
    source,
    ...(annotations ? { annotations } : {}),
    ...(origin ? { origin } : {}),
  }
}

/** Whether a call that was cut off may simply run again. */
export function isSafeToRepeat(tool: ToolSpec | undefined): boolean {
  return tool?.annotations?.readOnly === true || tool?.annotations?.idempotent === true
}
