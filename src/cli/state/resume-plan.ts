import { type RunRecord, type Toolkit, ToolnexusError } from "../../index.ts"
import type { RunFlags } from "../command-line/options.ts"
import { flagLimits } from "../configuration/limit-settings.ts"
import { allRules, flagRules, privateHosts, runLimits, type Settings } from "../configuration/settings.ts"
import { chooseEndpoint, type EndpointChoice } from "../endpoint/endpoint-settings.ts"
import type { Io } from "../io.ts"
import type { EquipmentOptions } from "../tools/equipment.ts"
import { agentOf, chooseToolsAgain } from "../tools/tool-choice.ts"
import type { Origin } from "./saved-run.ts"

/** What a resume is planned from. */
export interface ResumeFacts extends Pick<EquipmentOptions, "live"> {
  flags: RunFlags
  settings: Settings
  origin: Origin
  /** What the run file says; nothing of it is used but to say what is missing. */
  record: RunRecord | undefined
  io: Pick<Io, "env" | "cwd">
}

/**
 * With what a run is resumed: flags, what this machine remembers of the run, environment and configuration; never its file.
 *
 * @throws ToolnexusError `configuration`, naming everything that is missing
 */
export function planResume({ flags, settings, origin, record, io, live }: ResumeFacts): EquipmentOptions {
  const { remembered } = origin
  const agent = agentOf(flags, settings)
  const choice = chooseEndpoint({
    flags,
    env: io.env,
    user: settings.user,
    projects: settings.projects,
    agentModel: agent?.model,
    ...(remembered ? { remembered: remembered.endpoint } : {}),
  })
  const tools = chooseToolsAgain(flags, settings, io.cwd, remembered)
  const isNamed = [tools.tools, tools.mcp, tools.skills].some((named) => named.length > 0)
  const needed = record && origin.from === "elsewhere" && !isNamed ? toolsOfCode(record) : []
  if (choice.kind === "missing" || needed.length > 0)
    throw missing([...endpointNeed(choice, record), ...toolNeed(needed)])
  return {
    endpoint: choice.endpoint,
    choice: tools,
    rules: allRules(flagRules(flags, remembered), settings),
    neverRemember: settings.neverRemember,
    limits: origin.from === "here" ? flagLimits(flags) : runLimits(flags, settings),
    systemPrompt: flags.system ?? agent?.system,
    cwd: settings.cwd,
    privateHosts: privateHosts(settings),
    masks: settings.masks,
    ...(live ? { live } : {}),
    secretEnv: flags.answerEnv.map((given) => given.slice(given.indexOf("=") + 1)),
  }
}

/**
 * The tools that a run from elsewhere was made with and that are not here are asked for before anything is sent.
 *
 * @throws ToolnexusError `configuration`, naming them
 */
export function requireTools({ origin, record }: Pick<ResumeFacts, "origin" | "record">, toolkit: Toolkit): void {
  if (!record || origin.from === "here") return
  const absent = toolsOfCode(record).filter(({ name }) => toolkit.get(name) === undefined)
  if (absent.length > 0) throw missing(toolNeed(absent))
}

type MadeTool = RunRecord["setup"]["tools"][number]

/** A relayed call has no code, and the built-in tools are here. */
function toolsOfCode({ setup }: RunRecord): MadeTool[] {
  return setup.tools.filter(({ source }) => source !== "relay" && source !== "builtin")
}

function missing(needs: readonly string[]): ToolnexusError {
  return new ToolnexusError(
    "configuration",
    `this run is from elsewhere, and its file decides nothing here: name ${needs.join(", and ")}`,
  )
}

function endpointNeed(choice: EndpointChoice, record: RunRecord | undefined): string[] {
  if (choice.kind === "chosen") return []
  const options = choice.missing.map((what) => (what === "model" ? "--model NAME" : "--base-url URL")).join(" and ")
  const said = record
    ? ` (it was made with the model ${JSON.stringify(record.setup.model)}, style ${record.setup.style})`
    : ""
  return [`its endpoint with ${options}${said}`]
}

/** Where each comes from is only what the file says: it says what to look for. */
function toolNeed(tools: readonly MadeTool[]): string[] {
  const from = (source: MadeTool["source"]) => tools.filter((tool) => tool.source === source)
  const [mcp, skills] = [from("mcp"), from("skill")]
  const others = tools.filter((tool) => !mcp.includes(tool) && !skills.includes(tool))
  const named = (all: readonly MadeTool[]) => all.map(({ name }) => name).join(", ")
  return [
    ...(others.length > 0 ? [`the module of its tools (${named(others)}) with --tools FILE`] : []),
    ...(mcp.length > 0 ? [`the servers of its tools (${named(mcp)}) with --mcp FILE`] : []),
    ...(skills.length > 0 ? ["its skills with --skills DIR"] : []),
  ]
}
