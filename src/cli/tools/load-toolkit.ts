import { createToolkit, type Mask, maskText, matchesWildcard, type Tool, type Toolkit } from "../../index.ts"
import type { ByHand, Endpoint } from "../endpoint/endpoint-settings.ts"
import type { Io } from "../io.ts"
import { errorText } from "../output/error-text.ts"
import type { LiveOutput } from "../output/live-output.ts"
import type { Output } from "../output/output.ts"
import { loadMcpFiles } from "../projects/mcp-files.ts"
import { requireSealedFolder } from "../projects/sealed-file.ts"
import type { SealedFiles } from "../projects/sealed-modules.ts"
import { type ModuleTools, startModuleTools } from "./module-tools.ts"
import type { ToolChoice } from "./tool-choice.ts"
import { isHttpFile } from "./tool-file-kind.ts"
import { loadHttpFile, loadRelayFile, toolsOf } from "./tool-sources.ts"

/** What a toolkit is loaded with. */
export interface ToolkitSettings {
  choice: ToolChoice
  /** Where the tools work. */
  cwd: string
  /** Hosts that `webfetch` may reach though they are not public. */
  privateHosts: readonly string[]
  /** Variables that commands do not get. */
  secretEnv: readonly string[]
  /** What is masked in the lines that tools print or that are said of them. */
  masks?: readonly Mask[]
  /** What commands print while they run. */
  live?: LiveOutput
  endpoint?: Endpoint | ByHand
  /** Nothing is waited for any more that is being started. */
  signal?: AbortSignal
}

/**
 * Loads the tools. This runs their modules' code, in a process of its own that the toolkit closes.
 *
 * @throws ToolnexusError `configuration`, naming the module or file that cannot be used
 */
export async function loadToolkit(settings: ToolkitSettings, io: Io, output: Output): Promise<Toolkit> {
  const { choice } = settings
  const paths = choice.tools.filter((path) => !isHttpFile(path))
  const modules = paths.length === 0 ? undefined : await startModules(paths, settings, io, output)
  try {
    const extraTools = toolsOf([
      ...(modules?.files ?? []),
      ...choice.tools.filter(isHttpFile).map((path) => loadHttpFile(path, choice.seals, io.env)),
      ...choice.relay.map((path) => loadRelayFile(path, choice.seals)),
    ])
    return await assembleToolkit({ ...settings, extraTools, modules: modules ? [modules] : [] }, io, output)
  } catch (error) {
    await modules?.close()
    throw error
  }
}

/** The process of tools modules. */
export function startModules(
  paths: readonly string[],
  { cwd, choice, masks = [] }: ToolkitSettings,
  { toolHosts: hosts, clock }: Io,
  output: Output,
): Promise<ModuleTools> {
  const onLine = (line: string) => output.notice(maskText(output.hide(line), masks))
  return startModuleTools(paths, { hosts, cwd, clock, seals: choice.seals, onLine })
}

interface Assembling extends ToolkitSettings {
  extraTools: readonly Tool[]
  modules: readonly ModuleTools[]
}

/** Everything but the modules and relay files, which are there already. */
export async function assembleToolkit(assembling: Assembling, io: Io, output: Pick<Output, "say">): Promise<Toolkit> {
  const { choice, cwd, endpoint, privateHosts, secretEnv, extraTools, modules, masks = [], live, signal } = assembling
  const keyName = endpoint?.kind === "http" && endpoint.apiKeyEnv !== undefined ? [endpoint.apiKeyEnv] : []
  const { mcp, skills, seals } = choice
  const toolkit = await createToolkit({
    builtins: choice.builtins,
    extraTools,
    ...(skills.length > 0 ? { skillsDir: skills } : {}),
    ...(mcp.length > 0 ? { mcpConfig: loadMcpFiles(mcp, seals) } : {}),
    cwd,
    env: io.env,
    privateHosts,
    secretEnv: ["TOOLNEXUS_API_KEY", ...keyName, ...secretEnv],
    ...(live ? { onOutput: live.take } : {}),
    ...(signal ? { signal } : {}),
    onWarning: (line) => output.say(maskText(line, masks)),
  })
  const close = async () => {
    await toolkit.close()
    await Promise.all(modules.map((process) => process.close()))
  }
  try {
    for (const folder of skills) requireSealedFolder(folder, seals, SKILLS)
  } catch (error) {
    await close()
    throw error
  }
  const sealed = { ...toolkit, get: sealing(toolkit, skills, seals), close }
  return choice.offered === undefined ? sealed : offering(sealed, choice.offered, output)
}

const SKILLS = "the skills in"

/** A skill is read again whenever it is loaded: what a project's then says must be what was looked at. */
function sealing(toolkit: Toolkit, folders: readonly string[], seals: SealedFiles): Toolkit["get"] {
  return (name) => {
    const tool = toolkit.get(name)
    if (tool?.source !== "skill") return tool
    return {
      ...tool,
      async execute(args, ctx) {
        const result = await tool.execute(args, ctx)
        try {
          for (const folder of folders) requireSealedFolder(folder, seals, SKILLS)
          return result
        } catch (error) {
          return { output: errorText(error), isError: true }
        }
      },
    }
  }
}

/** A toolkit that holds what an agent is offered. */
export function offering(toolkit: Toolkit, offered: readonly string[], output: Pick<Output, "say">): Toolkit {
  const isOffered = (tool: Tool) => offered.some((name) => isNamed(tool, name))
  for (const name of offered) {
    if (!toolkit.tools().some((tool) => isNamed(tool, name)))
      output.say(`the agent is to be offered the tool ${name}, and there is no such tool`)
  }
  const get: Toolkit["get"] = (name) => {
    const tool = toolkit.get(name)
    return tool && isOffered(tool) ? tool : undefined
  }
  return {
    ...toolkit,
    tools: () => toolkit.tools().filter(isOffered),
    get,
    skillsPrompt: () => (get("skill") ? toolkit.skillsPrompt() : ""),
  }
}

function isNamed({ name, origin }: Tool, wanted: string): boolean {
  return (
    matchesWildcard(wanted, name) ||
    (origin !== undefined && matchesWildcard(wanted, `mcp:${origin.server}/${origin.tool}`))
  )
}
