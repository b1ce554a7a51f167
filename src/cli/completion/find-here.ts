import { resolve } from "node:path"
import { createToolkit, namesSecret, PROVIDERS, type Tool } from "../../index.ts"
import type { Configuration } from "../configuration/configuration.ts"
import { readSettings, type Settings } from "../configuration/settings.ts"
import type { Io } from "../io.ts"
import { loadMcpFiles } from "../projects/mcp-files.ts"
import { chooseTools, type ToolChoice } from "../tools/tool-choice.ts"
import { isHttpFile } from "../tools/tool-file-kind.ts"
import { loadHttpFile, loadRelayFile } from "../tools/tool-sources.ts"
import type { Wanted } from "./candidates.ts"
import { findRequests, findRuns } from "./find-runs.ts"
import { findSettings } from "./find-settings.ts"
import type { Candidate } from "./shell.ts"
import type { Spot } from "./typed-line.ts"

/** What this machine's files say; nothing is started for it, and no code of a module runs. What is broken adds nothing. */
export async function findHere({ what, spot }: Wanted, io: Io): Promise<readonly Candidate[]> {
  switch (what) {
    case "runs":
      return findRuns(spot, io)
    case "requests":
      return findRequests(spot, io)
    case "variables":
      return Object.keys(io.env).filter(namesSecret).map(withoutWords)
    case "tools":
      return findTools(spot, io)
    case "settings":
      return findSettings(io)
    case "rules":
      return [...(await findTools(spot, io)), ...servers(spot, io)]
    default:
      return inConfigurations(what, placesOf(spot, io))
  }
}

const withoutWords = (word: string): Candidate => ({ word, about: "" })

function inConfigurations(
  what: "profiles" | "agents" | "models" | "addresses",
  places: readonly Configuration[],
): readonly Candidate[] {
  const profiles = places.flatMap((place) => [...place.profiles])
  switch (what) {
    case "profiles":
      return unique(profiles.map(([word, { baseUrl, model = "" }]) => ({ word, about: `${model} at ${baseUrl}` })))
    case "agents":
      return unique(places.flatMap(({ agents }) => [...agents].map(([word, { system }]) => ({ word, about: system }))))
    case "models": {
      const models = profiles.flatMap(([name, { model }]) =>
        model === undefined ? [] : [{ word: model, about: `profile ${name}` }],
      )
      return unique([{ word: "demo", about: "built in, offline, no language model" }, ...models])
    }
    case "addresses": {
      const known = PROVIDERS.map(({ baseUrl: word, name: about }) => ({ word, about }))
      return unique([...profiles.map(([name, { baseUrl }]) => ({ word: baseUrl, about: `profile ${name}` })), ...known])
    }
  }
}

function unique(candidates: readonly Candidate[]): Candidate[] {
  return [...new Map(candidates.toReversed().map((it) => [it.word, it])).values()].reverse()
}

/** What counts of the configurations for the folder that the line names: a project that is not trusted says nothing here. */
function placesOf(spot: Spot, io: Io): readonly Configuration[] {
  const { projects, user } = settingsFor(spot, io)
  return [...projects, user]
}

function settingsFor(spot: Spot, io: Io): Settings {
  const [folder = "."] = valuesGiven(spot, "--cwd")
  const home = folder.replace(/^~(?=\/|$)/, () => io.homeDir)
  const trustProject = spot.given.some(({ option }) => option.long === "--trust-project")
  return readSettings(resolve(io.cwd, home), { trustProject }, io, { say() {}, notice() {} })
}

function valuesGiven({ given }: Spot, name: string): string[] {
  return given.flatMap(({ option, value }) => (option.long === name && value !== undefined ? [value] : []))
}

function choiceFor(spot: Spot, io: Io): ToolChoice {
  const list = (name: string) => valuesGiven(spot, name)
  const builtins = !spot.given.some(({ option }) => option.long === "--no-builtins")
  const flags = { tools: list("--tools"), relay: list("--relay"), mcp: list("--mcp"), skills: list("--skills") }
  return chooseTools({ ...flags, builtins, allow: [], ask: [], deny: [] }, settingsFor(spot, io), io.cwd)
}

/** Those whose names are known without running anything: no module and no server. */
async function findTools(spot: Spot, io: Io): Promise<Candidate[]> {
  const { builtins, tools, relay, seals } = orNothing(() => choiceFor(spot, io)) ?? BUILTINS_ONLY
  const toolkit = await createToolkit({ builtins })
  const files = [
    ...tools.filter(isHttpFile).map((file) => orNothing(() => loadHttpFile(file, seals, io.env))),
    ...relay.map((file) => orNothing(() => loadRelayFile(file, seals))),
  ]
  const all: Tool[] = [...toolkit.tools(), ...files.flatMap((file) => file?.tools ?? [])]
  await toolkit.close()
  return unique(all.map(({ name, description }) => ({ word: name, about: description })))
}

const BUILTINS_ONLY = { builtins: true, tools: [], relay: [], seals: {} }

function servers(spot: Spot, io: Io): Candidate[] {
  const { mcp = [], seals = {} } = orNothing(() => choiceFor(spot, io)) ?? {}
  const configurations = mcp.flatMap((file) => orNothing(() => loadMcpFiles([file], seals)) ?? [])
  const names = configurations.flatMap(({ mcpServers }) => Object.keys(mcpServers))
  return unique(names.map((name) => ({ word: `mcp:${name}/`, about: "MCP server" })))
}

/** What cannot be used offers nothing; the command that is typed will say why. */
function orNothing<T>(find: () => T): T | undefined {
  try {
    return find()
  } catch {
    return undefined
  }
}
