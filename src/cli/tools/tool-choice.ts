import { resolve } from "node:path"
import { ToolnexusError } from "../../index.ts"
import type { ToolFlags } from "../command-line/options.ts"
import type { AgentSettings, Configuration } from "../configuration/configuration.ts"
import type { Settings } from "../configuration/settings.ts"
import type { SealedFiles } from "../projects/sealed-modules.ts"

/** What tools a run has, by where they come from; paths are absolute. */
export interface ToolChoice {
  tools: string[]
  relay: string[]
  /** Files whose `mcpServers` are started. */
  mcp: string[]
  /** Folders of skills. */
  skills: string[]
  builtins: boolean
  /** The only tools that the model is offered, by name; `*` stands for any characters. Without it all of them. */
  offered?: readonly string[]
  /** What files must hold that a project named. */
  seals: SealedFiles
}

const SOURCES = ["tools", "relay", "mcp", "skills"] as const

type Sources = Pick<ToolChoice, (typeof SOURCES)[number]>

/** Those of the flags, of the projects and of the user, together. */
export function chooseTools(flags: ToolFlags, settings: Settings, cwd: string): ToolChoice {
  const places: readonly Configuration[] = [...settings.projects, settings.user]
  const named = sources((name) => absolutePaths(flags[name], cwd))
  const all = sources((name) => [...named[name], ...places.flatMap((place) => [...place[name]])])
  return {
    ...all,
    builtins: flags.builtins,
    ...offeredTo(agentOf(flags, settings)),
    seals: sealsFor(settings, named),
  }
}

/**
 * Of a resume: what is remembered of the run, unless flags name others; without a memory as for a new run.
 *
 * @param remembered what this machine knows of the run's tools
 */
export function chooseToolsAgain(
  flags: ToolFlags,
  settings: Settings,
  cwd: string,
  remembered: ToolChoice | undefined,
): ToolChoice {
  if (!remembered) return chooseTools(flags, settings, cwd)
  const named = sources((name) => absolutePaths(flags[name], cwd))
  const agent = agentOf(flags, settings)
  const offered = agent ? offeredTo(agent) : offeredTo({ tools: remembered.offered })
  return {
    ...sources((name) => (named[name].length > 0 ? named[name] : remembered[name])),
    builtins: flags.builtins && remembered.builtins,
    ...offered,
    // A project that was changed, looked at and trusted again counts as it is now.
    seals: { ...remembered.seals, ...sealsFor(settings, named) },
  }
}

/**
 * The agent that `--agent` names: the nearest project's, else the user's.
 *
 * @throws ToolnexusError `usage`, naming those that there are
 */
export function agentOf({ agent }: Pick<ToolFlags, "agent">, settings: Settings): AgentSettings | undefined {
  if (agent === undefined) return undefined
  const places: readonly Configuration[] = [...settings.projects, settings.user]
  const found = places.find(({ agents }) => agents.has(agent))?.agents.get(agent)
  if (found) return found
  const known = [...new Set(places.flatMap(({ agents }) => [...agents.keys()]))]
  const there =
    known.length === 0
      ? "the configuration has none: add it there, or leave --agent out"
      : `name one of ${known.join(", ")}`
  throw new ToolnexusError("usage", `there is no agent ${JSON.stringify(agent)}: ${there}`)
}

function offeredTo(agent: { tools?: readonly string[] | undefined } | undefined): Pick<ToolChoice, "offered"> {
  return agent?.tools === undefined ? {} : { offered: agent.tools }
}

/** What a flag names is the person's own word, whatever a project says of it. */
function sealsFor({ seals }: Settings, named: Sources): SealedFiles {
  const own = new Set(SOURCES.flatMap((name) => named[name]))
  return Object.fromEntries([...seals].filter(([path]) => !own.has(path)))
}

function sources(list: (name: keyof Sources) => readonly string[]): Sources {
  const unique = (name: keyof Sources) => [...new Set(list(name))]
  return { tools: unique("tools"), relay: unique("relay"), mcp: unique("mcp"), skills: unique("skills") }
}

/** Paths of options are meant from where the command was typed. */
function absolutePaths(paths: readonly string[], cwd: string): string[] {
  return paths.map((path) => resolve(cwd, path))
}
