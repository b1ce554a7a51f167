import { isRecord, typeName } from "../suspension/request.ts"
import { ToolnexusError } from "../tool/error.ts"
import { cleanName } from "../tool/name.ts"
import { type Tool, type ToolContext, type ToolResult, toolSpec } from "../tool/tool.ts"

/** How a toolkit runs the tools in it. */
export type RunTool = (tool: Tool, args: Record<string, unknown>, ctx: ToolContext) => Promise<ToolResult>

/** The tools by name: built-ins, and the host's own over them. */
export class ToolTable {
  readonly #tools = new Map<string, Tool>()
  readonly #retired = new Map<string, Tool>()
  readonly #leftOut = new Set<string>()
  readonly #builtinNames: ReadonlySet<string>
  readonly #run: RunTool

  /**
   * @param builtinNames all of them, also those that are turned off: a relay tool may take none
   * @param run what `execute` of each tool in the table does
   */
  constructor(builtinNames: Iterable<string>, run: RunTool) {
    this.#builtinNames = new Set(builtinNames)
    this.#run = run
  }

  /**
   * Adds a tool under its cleaned name.
   *
   * @throws ToolnexusError `usage` when it is no tool, or its name is taken
   */
  add(tool: Tool): void {
    const named = this.#named(requireTool(tool))
    const problem = this.#problemOf(named, tool.name)
    if (problem) throw new ToolnexusError("usage", problem)
    this.#leftOut.delete(named.name)
    this.#tools.set(named.name, named)
  }

  // A copy: what a host changes on its object later changes nothing here.
  #named(tool: Tool): Tool {
    return {
      ...toolSpec(tool),
      name: cleanName(tool.name),
      execute: (args, ctx = {}) => this.#run(tool, args, ctx),
      ...(tool.preview ? { preview: tool.preview.bind(tool) } : {}),
      ...(tool.isWaiting ? { isWaiting: tool.isWaiting.bind(tool) } : {}),
    }
  }

  #problemOf(tool: Tool, given: string): string | undefined {
    const as = given === tool.name ? `"${given}"` : `"${given}" (as "${tool.name}")`
    if (tool.source === "relay" && this.#builtinNames.has(tool.name)) {
      return `the relay tool ${as} has the name of a built-in tool: give it another name`
    }
    const there = this.#tools.get(tool.name)
    if (there === undefined || there.source === "builtin") return undefined
    return `two tools have the name ${as}: rename one, names are cleaned to [a-zA-Z0-9_-] and 64 characters`
  }

  get(name: string): Tool | undefined {
    return this.#leftOut.has(name) ? undefined : (this.#tools.get(name) ?? this.#retired.get(name))
  }

  /** Whether a tool may not have the name because another has it, or a built-in that is turned off. */
  has(name: string): boolean {
    return this.#tools.has(name) || this.#retired.has(name) || this.#builtinNames.has(name)
  }

  /** Adds a tool, or puts it in the place of one with its name. */
  put(tool: Tool): void {
    this.#retired.delete(tool.name)
    this.#tools.set(tool.name, this.#named(tool))
  }

  /** Not listed any more, and still found: a run that has begun may call it. */
  retire(name: string): void {
    const tool = this.#tools.get(name)
    if (tool) this.#retired.set(name, tool)
    this.#tools.delete(name)
  }

  /**
   * Neither listed nor found, also when it is put there again.
   *
   * @returns whether there is such a tool
   */
  leaveOut(name: string): boolean {
    this.#leftOut.add(name)
    return this.#tools.delete(name)
  }

  list(): Tool[] {
    return [...this.#tools.values()].filter(({ name }) => !this.#leftOut.has(name))
  }
}

function requireTool(tool: unknown): Tool {
  const problem = problemOfTool(tool)
  if (problem) throw new ToolnexusError("usage", `this is no tool: ${problem}; make one with defineTool or relayTool`)
  return tool as Tool
}

function problemOfTool(tool: unknown): string | undefined {
  if (!isRecord(tool)) return `it must be an object, got ${typeName(tool)}`
  if (typeof tool.name !== "string" || tool.name === "") return "its name must be a non-empty string"
  if (typeof tool.description !== "string") return `the description of "${tool.name}" must be a string`
  if (!isRecord(tool.inputSchema)) return `the inputSchema of "${tool.name}" must be an object`
  if (typeof tool.source !== "string") return `the source of "${tool.name}" must be a string`
  if (typeof tool.execute !== "function") return `the execute of "${tool.name}" must be a function`
  return undefined
}
