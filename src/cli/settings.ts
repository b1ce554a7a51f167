import { statSync } from "node:fs"
import { join, resolve } from "node:path"
import { type Limits, type Rule, ToolnexusError } from "../index.ts"
import {
  lowestLimits,
  type ProjectConfiguration,
  type Rules,
  readProjectConfigurations,
  readUserConfiguration,
  type UserConfiguration,
} from "./configuration.ts"
import { fileProblem } from "./error-text.ts"
import type { Io } from "./io.ts"
import type { RunFlags } from "./options.ts"
import type { Output } from "./output.ts"
import { configurationFolder, statePlace } from "./place.ts"
import type { RememberedRun } from "./remembered-run.ts"
import { type StateFolder, stateFolder } from "./state-folder.ts"

/** What flags and configuration files say, put together. */
export interface Settings {
  /** Where the tools work. */
  cwd: string
  user: UserConfiguration
  projects: ProjectConfiguration[]
}

/**
 * Reads the configuration for a folder, and says what of a project's does not count.
 *
 * @throws ToolnexusError `usage` for a folder that is none, `configuration` for a file that is broken
 */
export function readSettings(folder: string, io: Io, output: Output): Settings {
  const cwd = resolve(io.cwd, folder)
  requireFolder(cwd)
  const projects = readProjectConfigurations(cwd)
  for (const { file, ignored } of projects) {
    const rest = ignored.length === 0 ? "" : ` (not: ${ignored.join(", ")})`
    output.notice(`${file} is not trusted: only its ask and deny rules and lower limits count${rest}`)
  }
  return { cwd, user: readUserConfiguration(join(configurationFolder(io), "config.json")), projects }
}

function requireFolder(path: string): void {
  try {
    if (statSync(path).isDirectory()) return
  } catch (error) {
    throw new ToolnexusError(
      "usage",
      `the working folder ${path} cannot be used (${fileProblem(error)}): name one with --cwd`,
    )
  }
  throw new ToolnexusError("usage", `the working folder ${path} is no folder: name one with --cwd`)
}

/** The state folder of this process's user. */
export function openState(io: Io): StateFolder {
  return stateFolder(statePlace(io), io.uid)
}

/** Flags, and what is remembered of the run's own. */
export function flagRules(flags: RunFlags, remembered: RememberedRun | undefined): Rules {
  const both = (name: keyof Rules) => [...new Set([...(remembered?.rules[name] ?? []), ...flags[name]])]
  return { allow: both("allow"), ask: both("ask"), deny: both("deny") }
}

/** All rules, with where each comes from. */
export function allRules(flags: Rules, { projects, user }: Settings): Rule[] {
  return [
    ...rulesFrom("flag", flags),
    ...projects.flatMap(({ rules }) => rulesFrom("project", rules)),
    ...rulesFrom("user", user.rules),
  ]
}

function rulesFrom(source: NonNullable<Rule["source"]>, rules: Rules): Rule[] {
  const effects = ["allow", "ask", "deny"] as const
  return effects.flatMap((effect) => rules[effect].map((rule) => ({ effect, rule, source })))
}

/** The limits that flags give. */
export function flagLimits({ maxTurns, maxTokens, maxToolCalls, maxRepeats, timeout }: RunFlags): Limits {
  return {
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(maxToolCalls === undefined ? {} : { maxToolCalls }),
    ...(maxRepeats === undefined ? {} : { maxRepeats }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
  }
}

/** Flags first; then the user's, which an untrusted project may only lower. */
export function runLimits(flags: RunFlags, { projects, user }: Settings): Limits {
  return { ...lowestLimits([user.limits, ...projects.map(({ limits }) => limits)]), ...flagLimits(flags) }
}
