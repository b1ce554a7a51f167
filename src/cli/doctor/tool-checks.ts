import { createToolkit, type McpServerConfig, maskText, type Tool, type Toolkit } from "../../index.ts"
import type { Settings } from "../configuration/settings.ts"
import type { Endpoint } from "../endpoint/endpoint-settings.ts"
import type { Io } from "../io.ts"
import type { Output } from "../output/output.ts"
import { loadMcpFiles } from "../projects/mcp-files.ts"
import { startModules } from "../tools/load-toolkit.ts"
import { agentOf, type ToolChoice } from "../tools/tool-choice.ts"
import { isHttpFile } from "../tools/tool-file-kind.ts"
import { loadHttpFile, loadRelayFile } from "../tools/tool-sources.ts"
import { counted } from "../words/counted.ts"
import { homePath } from "../words/home-path.ts"
import { shortened } from "../words/shortened.ts"
import { type Check, note, noteFrom, ok, problem, problemFrom } from "./check.ts"
import { within } from "./within.ts"

export interface ToolLooking {
  choice: ToolChoice
  settings: Settings
  endpoint: Endpoint | undefined
  io: Io
  output: Output
  /** Aborted when the command is stopped. */
  signal: AbortSignal
}

const SOURCE_MS = 15_000

/** Everything that gives tools, each looked at by itself and all at once; a list for each, in order. */
export function checkSources(looking: ToolLooking): Promise<Check[]>[] {
  const { tools, relay, mcp, skills, builtins, seals } = looking.choice
  const { io } = looking
  return [
    ...(builtins ? [] : [Promise.resolve([ok("tools", "without the built-in ones (--no-builtins)")])]),
    ...tools.map((file) =>
      isHttpFile(file)
        ? fileCheck(file, io, () => loadHttpFile(file, seals, io.env).tools)
        : checkModule(file, looking).then((check) => [check]),
    ),
    ...relay.map((file) => fileCheck(file, io, () => loadRelayFile(file, seals).tools)),
    ...checkServers(mcp, looking),
    ...skills.map((folder) => checkSkills(folder, looking)),
  ]
}

async function fileCheck(file: string, io: Io, load: () => readonly Tool[]): Promise<Check[]> {
  try {
    return [ok("tools", `${homePath(file, io)}: ${named(load())}`)]
  } catch (error) {
    return [problemFrom("tools", error)]
  }
}

/** Its code runs, in a process of its own. */
async function checkModule(file: string, { choice, settings, io, output, signal }: ToolLooking): Promise<Check> {
  const { cwd, masks } = settings
  const load = async () => {
    const module = await startModules([file], { choice, cwd, privateHosts: [], secretEnv: [], masks }, io, output)
    await module.close()
    return ok("tools", `${homePath(file, io)}: ${named(module.files.flatMap(({ tools }) => tools))}`)
  }
  const late = () => problem("tools", `${file} did not load in ${SOURCE_MS / 1000} s`, "look at what it waits for")
  return within({ clock: io.clock, signal, ms: SOURCE_MS }, load, late).catch((error: unknown) =>
    problemFrom("tools", error),
  )
}

/** Of two servers with one name the first counts, as in a run. */
function checkServers(files: readonly string[], looking: ToolLooking): Promise<Check[]>[] {
  const { seals } = looking.choice
  const problems: Check[] = []
  const usable = files.filter((file) => {
    try {
      return loadMcpFiles([file], seals)
    } catch (error) {
      problems.push(problemFrom("mcp", error))
      return false
    }
  })
  const servers = Object.entries(loadMcpFiles(usable, seals).mcpServers)
  return [Promise.resolve(problems), ...servers.map(([name, server]) => checkServer(name, server, looking))]
}

/** It is started, asked what it offers, and ended. A run goes on without one that cannot be used. */
function checkServer(name: string, server: McpServerConfig, looking: ToolLooking): Promise<Check[]> {
  const { settings, endpoint, io, signal } = looking
  const keyName = endpoint?.kind === "http" && endpoint.apiKeyEnv !== undefined ? [endpoint.apiKeyEnv] : []
  const late = () => [
    note("mcp", `${name} did not start in ${SOURCE_MS / 1000} s`, "start it by hand to see what it waits for"),
  ]
  const start = async (stop: AbortSignal) => {
    const said: string[] = []
    const toolkit = await createToolkit({
      mcpConfig: { mcpServers: { [name]: server } },
      cwd: settings.cwd,
      env: io.env,
      secretEnv: ["TOOLNEXUS_API_KEY", ...keyName],
      signal: stop,
      onWarning: (line) => said.push(maskText(line, settings.masks)),
    })
    const [[status], offered] = [toolkit.mcpStatus(), named(toolkit.tools())]
    await toolkit.close()
    if (status?.status === "disabled") return [ok("mcp", `${name} is disabled`)]
    if (status?.status === "failed") {
      return [
        noteFrom("mcp", maskText(`${name} cannot be used: ${status.error ?? "it did not start"}`, settings.masks)),
      ]
    }
    return [ok("mcp", `${name}: ${offered}`), ...said.map((line) => noteFrom("mcp", line))]
  }
  return within({ clock: io.clock, signal, ms: SOURCE_MS }, start, late).catch((error: unknown) => [
    problemFrom("mcp", error),
  ])
}

function checkSkills(folder: string, { settings, io, signal }: ToolLooking): Promise<Check[]> {
  const late = () => [problem("skills", `${folder} was not read in ${SOURCE_MS / 1000} s`, "name another folder")]
  const load = async (stop: AbortSignal) => {
    const said: string[] = []
    const onWarning = (line: string) => void said.push(line)
    const toolkit = await createToolkit({ skillsDir: folder, cwd: settings.cwd, signal: stop, onWarning })
    const names = skillNames(toolkit)
    await toolkit.close()
    const fact = `${homePath(folder, io)}: ${counted(names.length, "skill")}${names.length > 0 ? `: ${listed(names)}` : ""}`
    return [...(names.length > 0 ? [ok("skills", fact)] : []), ...said.map((line) => noteFrom("skills", line))]
  }
  return within({ clock: io.clock, signal, ms: SOURCE_MS }, load, late).catch((error: unknown) => [
    problemFrom("skills", error),
  ])
}

/** One line each. */
function skillNames(toolkit: Toolkit): string[] {
  return [...toolkit.skillsPrompt().matchAll(/^- ([^:\n]+): /gm)].map(([, name = ""]) => name)
}

/** The agents that there are, or the one that `--agent` names. */
export function checkAgents(flags: { agent?: string }, settings: Settings): Check | undefined {
  try {
    if (agentOf(flags, settings)) return ok("agent", `${flags.agent} is there`)
  } catch (error) {
    return problemFrom("agent", error)
  }
  const names = [...settings.projects, settings.user].flatMap(({ agents }) => [...agents.keys()])
  return names.length === 0 ? undefined : ok("agents", listed([...new Set(names)]))
}

function named(tools: readonly Tool[]): string {
  const names = tools.map(({ name, origin }) => origin?.tool ?? name)
  return `${counted(names.length, "tool")}${names.length > 0 ? `: ${listed(names)}` : ""}`
}

const MOST = 12

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST).map((name) => shortened(name, 60))
  return [...shown, ...(names.length > MOST ? [`and ${names.length - MOST} more`] : [])].join(", ")
}
