import { relative } from "node:path"
import type { Limits } from "../../index.ts"
import type { Configuration } from "../configuration/configuration.ts"
import { limitsAbove } from "../configuration/limit-settings.ts"
import type { Io } from "../io.ts"
import { errorText } from "../output/error-text.ts"
import { programWords, shellQuote } from "../output/resume-command.ts"
import { shortened } from "../words/shortened.ts"
import { lookOver, type Project, restrictionsOf, type Trust, trustIn } from "./projects.ts"
import type { TrustStore } from "./trust-store.ts"

/** A project, and what of it counts. */
export interface JudgedProject {
  project: Project
  trust: Trust
  /** What counts of it. */
  configuration: Configuration
  /** The settings in it that do not count. */
  ignored: readonly string[]
  /** Why what is kept about trust could not be used. */
  problem?: string
}

export interface Judging {
  store: TrustStore
  /** `all for this run`: the person said so with a flag. */
  trusting: "as kept" | "all for this run"
  /** The user's own: a project that is not trusted can only lower them. */
  limits: Limits
}

/** @throws ToolnexusError `configuration` for a project that is broken */
export function judgeProject(project: Project, judging: Judging): JudgedProject {
  const { trust, problem } = trustOf(project, judging)
  const said = problem === undefined ? {} : { problem }
  if ("lookedOver" in trust) {
    return { project, trust, configuration: trust.lookedOver.configuration, ignored: [], ...said }
  }
  const { configuration, ignored } = restrictionsOf(project)
  const above = limitsAbove(configuration.limits, judging.limits).map((name) => `limits.${name}`)
  return { project, trust, configuration, ignored: [...ignored, ...above], ...said }
}

/** What is kept and cannot be used trusts nothing. */
function trustOf(project: Project, { store, trusting }: Judging): { trust: Trust; problem?: string } {
  let trust: Trust = { is: "not trusted" }
  let problem: string | undefined
  try {
    trust = trustIn(project, store)
  } catch (error) {
    problem = errorText(error)
  }
  if (trust.is === "trusted") return { trust }
  if (trusting === "all for this run") return { trust: { is: "trusted for this run", lookedOver: lookOver(project) } }
  return { trust, ...(problem === undefined ? {} : { problem }) }
}

/** In one line each: what of projects does not count, and what counts for this run alone. */
export function trustLines(judged: readonly JudgedProject[], cwd: string, io: Io): string[] {
  const forThisRun = judged.filter(({ trust }) => trust.is === "trusted for this run")
  const left = judged.filter(
    ({ trust, ignored }) => trust.is === "changed" || (trust.is === "not trusted" && ignored.length > 0),
  )
  const restricted = left.map(leftLine).join("; ")
  const where = relative(io.cwd, cwd)
  const command = [...programWords(io), "trust", ...(where === "" ? [] : [cwd])].map(shellQuote).join(" ")
  return [
    ...(forThisRun.length === 0
      ? []
      : [`trusted for this run only: ${forThisRun.map(({ project }) => project.folder).join(", ")}`]),
    ...(left.length === 0
      ? []
      : [`${restricted}: only its ask and deny rules and lower limits count; to look at the rest: ${command}`]),
  ]
}

function leftLine({ project, trust, ignored }: JudgedProject): string {
  const not = ignored.length === 0 ? "" : ` (not: ${listed(ignored)})`
  if (trust.is !== "changed") return `${project.folder} is not trusted${not}`
  return `${project.folder} is not trusted any more: ${listed(trust.files)} changed${not}`
}

/** In one line for each file: settings that nobody knows. */
export function unknownLines(configurations: readonly Configuration[]): string[] {
  return configurations
    .filter(({ unknown }) => unknown.length > 0)
    .map(({ file, unknown }) => `${file} has settings that do not exist and do nothing: ${listed(unknown)}`)
}

const MOST = 10

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST).map((name) => shortened(name, 60))
  return [...shown, ...(names.length > MOST ? [`and ${names.length - MOST} more`] : [])].join(", ")
}
