import { accessSync, constants, existsSync, lstatSync, type Stats, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { systemFact } from "../../index.ts"
import { type Configuration, readUserConfiguration } from "../configuration/configuration.ts"
import { configurationFile, statePlace } from "../configuration/place.ts"
import { openState } from "../configuration/settings.ts"
import { requireFolder, requireOurs, requireWritable } from "../files/private-folder.ts"
import type { Io } from "../io.ts"
import { type JudgedProject, type Judging, judgeProject } from "../projects/judged-projects.ts"
import { readProjects } from "../projects/projects.ts"
import { trustStore } from "../projects/trust-store.ts"
import { counted } from "../words/counted.ts"
import { homePath } from "../words/home-path.ts"
import { type Check, note, noteFrom, ok, problemFrom } from "./check.ts"

/** The state folder: as strict as a run is with it, and nothing is made. */
export function checkState(io: Io): Check {
  const { path, named } = statePlace(io)
  const shown = homePath(path, io)
  try {
    if (!existsSync(path)) {
      requireWritable(firstThere(path))
      return ok("state", `${shown} is made with the first run`)
    }
    requireFolder(path)
    if (named === "by default") requireOurs(path, io.uid)
    requireWritable(path)
    for (const name of ["runs", "known", "trust"].map((it) => join(path, it)).filter((it) => existsSync(it))) {
      requireOurs(name, io.uid)
      requireWritable(name)
    }
    return ok("state", `${shown}${named === "by default" ? "" : " (TOOLNEXUS_STATE_DIR)"}, ${modeOf(lstatSync(path))}`)
  } catch (error) {
    return problemFrom("state", error)
  }
}

function firstThere(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : firstThere(dirname(path))
}

function modeOf({ mode }: Stats): string {
  return `mode ${(mode & 0o777).toString(8).padStart(4, "0")}`
}

/** The user's own configuration. */
export function checkConfiguration(io: Io): Check[] {
  const file = configurationFile(io)
  const shown = homePath(file, io)
  try {
    const read = readUserConfiguration(file)
    const is = existsSync(file) ? `${shown}: ${contents(read)}` : `there is no ${shown}, and none is needed`
    const places = [dirname(file), file].filter((path) => existsSync(path))
    return [ok("configuration", is), ...places.flatMap((path) => ownership(path, io)), ...unknownIn(read)]
  } catch (error) {
    return [problemFrom("configuration", error)]
  }
}

/** Whoever can write it decides where keys go. Links are followed: a person's own settings often lie elsewhere. */
function ownership(path: string, { uid }: Io): Check[] {
  const { uid: owner, mode } = statSync(path)
  if (uid !== undefined && owner !== uid && owner !== ROOT) {
    return [note("configuration", `${path} belongs to another user (${owner})`, "make it yours with chown")]
  }
  if (uid !== undefined && (mode & 0o022) !== 0) {
    return [note("configuration", `${path} can be written by other users`, "take that from them: chmod go-w")]
  }
  const fact = problemOfWriting(path)
  if (fact === undefined) return []
  return [
    note(
      "configuration",
      `${path} cannot be written to (${fact})`,
      "where toolnexus config is to change it, allow that",
    ),
  ]
}

/** An administrator may lay down what holds for everybody. */
const ROOT = 0

function problemOfWriting(path: string): string | undefined {
  try {
    accessSync(path, constants.W_OK)
    return undefined
  } catch (error) {
    return systemFact(error)
  }
}

function contents({ profiles, agents, rules, tools, relay, skills, mcp }: Configuration): string {
  const lists: [number, string][] = [
    [profiles.size, "profile"],
    [agents.size, "agent"],
    [rules.allow.length + rules.ask.length + rules.deny.length, "rule"],
    [tools.length, "tools file"],
    [relay.length, "relay file"],
    [skills.length, "skills folder"],
  ]
  const all = lists.flatMap(([count, what]) => (count === 0 ? [] : [counted(count, what)]))
  const said = [...all, ...(mcp.length > 0 ? ["MCP servers"] : [])].join(", ")
  return said === "" ? "it says nothing of endpoints, rules or tools" : said
}

function unknownIn({ file, unknown }: Configuration): Check[] {
  if (unknown.length === 0) return []
  const fact = `${file} has settings that do not exist and do nothing: ${unknown.join(", ")}`
  return [note("configuration", fact, "correct or remove them")]
}

/** The projects of a folder, and whether they count. */
export function checkProjects(cwd: string, judging: Pick<Judging, "trusting" | "limits">, io: Io): Check[] {
  try {
    const { root, projects } = readProjects(cwd, io.env)
    if (projects.length === 0) return [ok("project", "there is no .toolnexus/config.json and no .mcp.json")]
    const store = trustStore(openState(io), root)
    return projects.flatMap((project) => checksOf(judgeProject(project, { ...judging, store })))
  } catch (error) {
    return [problemFrom("project", error)]
  }
}

function checksOf({ project: { folder }, trust, ignored, configuration, problem: why }: JudgedProject): Check[] {
  const not = ignored.length === 0 ? "" : `, and does not count in: ${ignored.join(", ")}`
  const unknown = unknownIn(configuration)
  if (why !== undefined) return [noteFrom("project", `${folder} is not trusted: ${why}`), ...unknown]
  switch (trust.is) {
    case "trusted":
      return [ok("project", `${folder} is trusted: ${contents(configuration)}`), ...unknown]
    case "trusted for this run":
      return [ok("project", `${folder} counts for this one run: ${contents(configuration)}`), ...unknown]
    case "changed": {
      const fact = `${folder} is not trusted any more (${trust.files.join(", ")} changed)${not}`
      return [note("project", fact, LOOK), ...unknown]
    }
    case "not trusted":
      if (ignored.length === 0)
        return [ok("project", `${folder} only restricts, which counts without trust`), ...unknown]
      return [note("project", `${folder} is not trusted${not}`, LOOK), ...unknown]
  }
}

const LOOK = "look at it and decide: toolnexus trust"
