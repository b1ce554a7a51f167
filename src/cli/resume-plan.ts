import { type RunRecord, type Toolkit, ToolnexusError } from "../index.ts"
import { chooseEndpoint, type EndpointChoice } from "./endpoint-settings.ts"
import type { EquipmentOptions } from "./equipment.ts"
import type { Io } from "./io.ts"
import type { RunFlags } from "./options.ts"
import type { Origin } from "./saved-run.ts"
import { allRules, flagLimits, flagRules, runLimits, type Settings } from "./settings.ts"
import { absolutePaths } from "./tool-sources.ts"

/** What a resume is planned from. */
export interface ResumeFacts {
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
export function planResume({ flags, settings, origin, record, io }: ResumeFacts): EquipmentOptions {
  const { remembered } = origin
  const choice = chooseEndpoint({
    flags,
    env: io.env,
    configuration: settings.user,
    ...(remembered ? { remembered: remembered.endpoint } : {}),
  })
  const tools = flags.tools.length > 0 ? absolutePaths(flags.tools, io.cwd) : (remembered?.tools ?? [])
  const needed = record && origin.from === "elsewhere" && tools.length === 0 ? toolsOfCode(record) : []
  if (choice.kind === "missing" || needed.length > 0)
    throw missing([...endpointNeed(choice, record), ...toolNeed(needed)])
  return {
    endpoint: choice.endpoint,
    choice: {
      tools,
      relay: flags.relay.length > 0 ? absolutePaths(flags.relay, io.cwd) : (remembered?.relay ?? []),
      builtins: flags.builtins && (remembered?.builtins ?? true),
    },
    rules: allRules(flagRules(flags, remembered), settings),
    limits: origin.from === "here" ? flagLimits(flags) : runLimits(flags, settings),
    systemPrompt: flags.system,
    cwd: settings.cwd,
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
  const absent = toolsOfCode(record).filter((name) => toolkit.get(name) === undefined)
  if (absent.length > 0) throw missing(toolNeed(absent))
}

/** A relayed call has no code, and the built-in tools are here. */
function toolsOfCode({ setup }: RunRecord): string[] {
  return setup.tools.filter(({ source }) => source !== "relay" && source !== "builtin").map(({ name }) => name)
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

function toolNeed(names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`the module of its tools (${names.join(", ")}) with --tools FILE`]
}
