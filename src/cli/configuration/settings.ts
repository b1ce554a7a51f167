import { statSync } from "node:fs"
import { resolve } from "node:path"
import { type Limits, type Mask, type Rule, systemFact, ToolnexusError } from "../../index.ts"
import type { PermissionFlags, RunFlags } from "../command-line/options.ts"
import type { Io } from "../io.ts"
import { DEFAULT_LIMITS } from "../limits/limits.ts"
import type { Output } from "../output/output.ts"
import {
  type JudgedProject,
  type Judging,
  judgeProject,
  trustLines,
  unknownLines,
} from "../projects/judged-projects.ts"
import { readProjects } from "../projects/projects.ts"
import { trustStore } from "../projects/trust-store.ts"
import type { RememberedRun } from "../state/remembered-run.ts"
import { type StateFolder, stateFolder } from "../state/state-folder.ts"
import { type Configuration, type Rules, readUserConfiguration, type UserConfiguration } from "./configuration.ts"
import { firstLimits, flagLimits, lowestLimits } from "./limit-settings.ts"
import { masksFrom } from "./masks.ts"
import { configurationFile, statePlace } from "./place.ts"

/** What configuration files say, put together. */
export interface Settings {
  /** Where the tools work. */
  cwd: string
  user: UserConfiguration
  /** What counts of the projects' configurations, the nearest first: of one that is not trusted only what restricts. */
  projects: readonly Configuration[]
  /** The same projects, with whether they are trusted. */
  judged: readonly JudgedProject[]
  /** What counts where no flag says otherwise. */
  limits: Limits
  /** Rules of calls whose approvals are not offered as rules for later: any of the files may say so. */
  neverRemember: readonly string[]
  /** What the files of trusted projects hold: what is used must hold the same. */
  seals: ReadonlyMap<string, string>
  /** Of the configuration and the environment. */
  masks: readonly Mask[]
}

/**
 * Reads the configuration for a folder, and says what of a project's does not count.
 *
 * @throws ToolnexusError `usage` for a folder that is none, `configuration` for a file that is broken
 */
export function readSettings(
  folder: string,
  flags: Pick<PermissionFlags, "trustProject">,
  io: Io,
  output: Pick<Output, "say" | "notice">,
): Settings {
  const cwd = resolve(io.cwd, folder)
  requireFolder(cwd)
  const user = readUserConfiguration(configurationFile(io))
  const { root, projects: found } = readProjects(cwd, io.env)
  const trusting = flags.trustProject ? "all for this run" : "as kept"
  const judging: Judging = {
    store: trustStore(openState(io), root),
    trusting,
    limits: { ...DEFAULT_LIMITS, ...user.limits },
  }
  const judged = found.map((project) => judgeProject(project, judging))
  const projects = judged.map(({ configuration }) => configuration)
  for (const { problem } of judged) if (problem !== undefined) output.say(problem)
  for (const line of unknownLines([...projects, user])) output.say(line)
  for (const line of trustLines(judged, cwd, io)) output.notice(line)
  return {
    cwd,
    user,
    projects,
    judged,
    limits: limitsOf(judged, user),
    neverRemember: [...projects, user].flatMap((configuration) => configuration.neverRemember),
    seals: sealsOf(judged),
    masks: masksFrom(
      io.env,
      [...projects, user].flatMap((configuration) => configuration.masks),
      cwd,
    ),
  }
}

/** The nearest project's before the user's; what is not trusted only lowers them. */
function limitsOf(judged: readonly JudgedProject[], user: UserConfiguration): Limits {
  const [trusted, others] = [true, false].map((isTrusted) =>
    judged.filter(({ trust }) => "lookedOver" in trust === isTrusted).map(({ configuration }) => configuration.limits),
  ) as [Limits[], Limits[]]
  return lowestLimits([firstLimits([...trusted, user.limits, DEFAULT_LIMITS]), ...others])
}

function sealsOf(judged: readonly JudgedProject[]): ReadonlyMap<string, string> {
  return new Map(judged.flatMap(({ trust }) => ("lookedOver" in trust ? [...trust.lookedOver.seals] : [])))
}

/** @throws ToolnexusError `usage` for a working folder that is none */
export function requireFolder(path: string): void {
  try {
    if (statSync(path).isDirectory()) return
  } catch (error) {
    throw new ToolnexusError(
      "usage",
      `the working folder ${path} cannot be used (${systemFact(error)}): name one with --cwd`,
    )
  }
  throw new ToolnexusError("usage", `the working folder ${path} is no folder: name one with --cwd`)
}

/** The state folder of this process's user. */
export function openState(io: Io): StateFolder {
  return stateFolder(statePlace(io), io.uid)
}

/** Flags, and what is remembered of the run's own. */
export function flagRules(flags: PermissionFlags, remembered: RememberedRun | undefined): Rules {
  const both = (name: keyof Rules) => [...new Set([...(remembered?.rules[name] ?? []), ...flags[name]])]
  return { allow: both("allow"), ask: both("ask"), deny: both("deny") }
}

/** A rule, and the file that says it; a flag is in none. */
export interface PlacedRule {
  rule: Rule
  file?: string
}

/** All rules, with where each comes from. */
export function placedRules(flags: Rules, { projects, user }: Settings): PlacedRule[] {
  const inFile = (source: "project" | "user", { rules, file }: Configuration) =>
    rulesFrom(source, rules).map((rule) => ({ rule, file }))
  return [
    ...rulesFrom("flag", flags).map((rule) => ({ rule })),
    ...projects.flatMap((project) => inFile("project", project)),
    ...inFile("user", user),
  ]
}

/** The rules alone. */
export function allRules(flags: Rules, settings: Settings): Rule[] {
  return placedRules(flags, settings).map(({ rule }) => rule)
}

function rulesFrom(source: NonNullable<Rule["source"]>, rules: Rules): Rule[] {
  const effects = ["allow", "ask", "deny"] as const
  return effects.flatMap((effect) => rules[effect].map((rule) => ({ effect, rule, source })))
}

/** Flags first. */
export function runLimits(flags: RunFlags, { limits }: Settings): Limits {
  return { ...limits, ...flagLimits(flags) }
}

/** The hosts of all configurations that `webfetch` may reach though they are not public. */
export function privateHosts({ projects, user }: Settings): string[] {
  return [...projects, user].flatMap((place) => place.privateHosts)
}
