import { systemClock } from "../event/system-clock.ts"
import { isRecord, typeName } from "../suspension/request.ts"
import { ToolnexusError } from "../tool/error.ts"
import { cleanName } from "../tool/name.ts"
import { errorResult, unknownTool } from "../tool/result.ts"
import type { Tool } from "../tool/tool.ts"
import { BUILTIN_NAMES } from "./builtins/builtin-names.ts"
import { joinSignals } from "./join-signals.ts"
import type { McpServers } from "./mcp/mcp-servers.ts"
import { createSchemaCheck } from "./schema-check.ts"
import { settle } from "./settle.ts"
import type { Skills } from "./skills/load-skills.ts"
import { type RunTool, ToolTable } from "./tool-table.ts"
import type { Toolkit, ToolkitOptions } from "./toolkit.ts"

/**
 * Puts the tools of a run together.
 *
 * @param options which built-ins, which of the host's own, which skills and MCP servers
 * @throws ToolnexusError `usage` when two of the host's tools have one name, a relay tool has a built-in's, a built-in does not exist, or
 *   `mcpConfig` is none (a bad server of it is only reported);
 *   `configuration` when a folder of skills cannot be read
 * @example const toolkit = await createToolkit({ builtins: ["question"], extraTools: [weather] })
 */
export async function createToolkit(options: ToolkitOptions = {}): Promise<Toolkit> {
  const onWarning = options.onWarning ?? ((message: string) => process.emitWarning(message, "ToolnexusWarning"))
  const closing = new AbortController()
  const table = new ToolTable(BUILTIN_NAMES, runnerOf([options.signal, closing.signal]))
  const servers = await chosenServers(options, onWarning) // they start while the rest is put together
  const skills = await fill(table, { options, servers, onWarning }).catch(async (error: unknown) => {
    await servers?.close()
    throw error
  })
  const schemas = createSchemaCheck(onWarning)
  const check: Toolkit["check"] = async (name, input) => {
    const tool = table.get(name)
    return tool ? schemas.check(tool, input) : unknownTool(name).output
  }
  return {
    ...(options.waitFor ? { waitFor: options.waitFor } : {}),
    tools: () => table.list(),
    get: (name) => table.get(name),
    check,
    register(...tools) {
      for (const tool of tools) table.add(tool)
    },
    async execute(name, args, ctx) {
      const tool = table.get(name)
      if (!tool) return unknownTool(name)
      if (!isRecord(args)) return errorResult(`The arguments must be a JSON object, got ${typeName(args)}.`)
      const problem = await check(name, args)
      return problem === undefined ? tool.execute(args, ctx) : errorResult(problem)
    },
    skillsPrompt: () => (table.get("skill")?.source === "skill" ? (skills?.prompt ?? "") : ""),
    mcpStatus: () => servers?.status() ?? [],
    toOpenAI: () =>
      table.list().map(({ name, description, inputSchema }) => ({
        type: "function",
        function: { name, description, parameters: inputSchema },
      })),
    toAnthropic: () =>
      table.list().map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema })),
    async close() {
      closing.abort(new Error("the toolkit is closed"))
      await servers?.close()
    },
  }
}

interface Filling {
  options: ToolkitOptions
  servers: McpServers | undefined
  onWarning(message: string): void
}

/** Puts the tools of all sources into the table; the servers' come last, when all of them are there. */
async function fill(table: ToolTable, { options, servers, onWarning }: Filling): Promise<Skills | undefined> {
  for (const tool of await chosenBuiltins(options, onWarning)) table.add(tool)
  const skills = await chosenSkills(options, onWarning)
  if (skills) table.add(skills.tool)
  for (const tool of listOf("extraTools", options.extraTools)) table.add(tool)
  await servers?.ready
  servers?.offer(table)
  for (const name of listOf("disableTools", options.disableTools)) {
    if (!table.leaveOut(cleanName(name))) onWarning(`disableTools names "${name}", and there is no such tool`)
  }
  return skills
}

// A tool gets one signal for all that can stop it, and whatever it does becomes a result. What suspends is told of the end of
// its run too: it may have left something open.
function runnerOf(signals: readonly (AbortSignal | undefined)[]): RunTool {
  return async (tool, args, ctx) => {
    const { signal, release } = joinSignals([ctx.signal, ...signals])
    let goesOn = false
    try {
      const result = await settle(() => {
        signal.throwIfAborted()
        return tool.execute(args, { ...ctx, signal })
      })
      goesOn = result.metadata?.pending !== undefined
      return result
    } finally {
      if (goesOn && !signal.aborted) signal.addEventListener("abort", release, { once: true })
      else release()
    }
  }
}

async function chosenBuiltins(options: ToolkitOptions, onWarning: (message: string) => void): Promise<Tool[]> {
  const { builtins = false, cwd = process.cwd(), secretEnv = [], onOutput } = options
  if (builtins === false) return []
  const privateHosts = listOf("privateHosts", options.privateHosts)
  const { createBuiltins } = await import("./builtins/builtins.ts") // a host without them loads none
  const all = createBuiltins({ cwd, secretEnv, privateHosts, onOutput, onWarning })
  if (builtins === true) return Object.values(all)
  return listOf("builtins", builtins).map((name) => {
    if (Object.hasOwn(all, name)) return all[name as keyof typeof all]
    throw new ToolnexusError("usage", `there is no built-in tool "${name}": there are ${BUILTIN_NAMES.join(", ")}`)
  })
}

async function chosenServers(
  { mcpConfig: config, cwd = process.cwd(), env = process.env, secretEnv = [], signal }: ToolkitOptions,
  onWarning: (message: string) => void,
): Promise<McpServers | undefined> {
  if (config === undefined) return undefined
  const { startMcpServers } = await import("./mcp/mcp-servers.ts") // a host without them loads none
  return startMcpServers({ config, cwd, env, secretEnv, clock: systemClock, signal, onWarning })
}

async function chosenSkills(
  options: ToolkitOptions,
  onWarning: (message: string) => void,
): Promise<Skills | undefined> {
  const { skillsDir = [], cwd = process.cwd() } = options
  const folders: readonly unknown[] = typeof skillsDir === "string" ? [skillsDir] : listOf("skillsDir", skillsDir)
  const wrong = folders.find((folder) => typeof folder !== "string" || folder === "")
  if (wrong !== undefined) {
    throw new ToolnexusError("usage", `skillsDir must name folders, got ${JSON.stringify(wrong) ?? typeName(wrong)}`)
  }
  if (folders.length === 0) return undefined
  const { loadSkills } = await import("./skills/load-skills.ts") // a host without them loads none
  return loadSkills(folders as string[], { cwd, onWarning })
}

function listOf<T>(option: string, value: readonly T[] | undefined): readonly T[] {
  if (value === undefined) return []
  if (Array.isArray(value)) return value
  throw new ToolnexusError("usage", `${option} must be a list, got ${typeName(value)}`)
}
