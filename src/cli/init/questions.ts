import { existsSync } from "node:fs"
import type { Profile } from "../configuration/configuration.ts"
import type { Io } from "../io.ts"
import { DEFAULT_LIMITS } from "../limits/limits.ts"
import { type Context, withTerminal } from "../terminal/prompt-terminal.ts"
import { DURATION_FORM, parseDuration } from "../words/duration.ts"
import type { InitFlags } from "./options.ts"
import {
  EXAMPLE_NAME,
  flagLimitsOf,
  type InitPlan,
  SUGGESTED_DENIES,
  type Suggestion,
  suggestedAllows,
} from "./plan.ts"
import type { NewProject } from "./project.ts"

/** Who is asked, and about what. */
export interface Asking {
  project: NewProject
  flags: InitFlags
  /** Whether the user has an endpoint. */
  endpoint: "there" | "missing"
  io: Io
  /** Aborted by a signal to the process: then it stops. */
  signal: AbortSignal
}

type Ask = <T>(prompt: (context: Context) => Promise<T>) => Promise<T | undefined>

/**
 * Asks a person what a project's configuration is to say; what options say is not asked. Nothing is written.
 *
 * @returns `undefined` where the person stopped, or the terminal ended
 */
export async function askForPlan(asking: Asking): Promise<InitPlan | undefined> {
  const { project, flags, endpoint, io, signal } = asking
  const ask: Ask = (prompt) => withTerminal(io, signal, prompt)
  const rules = await askRules(asking, ask)
  if (!rules) return undefined
  const limits = flagLimitsOf(flags) ?? (await askLimits(ask))
  if (!limits) return undefined
  const tools = flags.exampleTools ? "an example" : await askTools(project, ask)
  if (!tools) return undefined
  const profile = endpoint === "there" ? "none" : await askProfile(asking, ask)
  return profile && { rules, limits, tools, profile: profile === "none" ? undefined : profile }
}

async function askRules({ project, flags }: Asking, ask: Ask): Promise<InitPlan["rules"] | undefined> {
  const list = async (given: string[], message: string, suggested: readonly Suggestion[]) =>
    given.length > 0 ? given : askSuggested(message, suggested, ask)
  const allow = await list(flags.allow, "Which commands may run without asking?", suggestedAllows(project.folder))
  if (!allow) return undefined
  const deny = await list(flags.deny, "Which calls shall never run?", SUGGESTED_DENIES)
  return deny && { allow, ask: flags.ask, deny }
}

async function askSuggested(
  message: string,
  suggested: readonly Suggestion[],
  ask: Ask,
): Promise<string[] | undefined> {
  if (suggested.length === 0) return []
  const { checkbox } = await import("@inquirer/prompts")
  const choices = suggested.map(({ rule, about, chosen }) => ({
    value: rule,
    name: `${rule}  ${about}`,
    short: rule,
    checked: chosen,
  }))
  return ask((context) => checkbox({ message, choices, shortcuts: { all: null, invert: null } }, context))
}

const SHORT = { maxTurns: 30, timeout: "15m" }

async function askLimits(ask: Ask): Promise<InitPlan["limits"] | undefined> {
  const { input, select } = await import("@inquirer/prompts")
  const { maxTurns, maxToolCalls } = DEFAULT_LIMITS
  const choices = [
    { name: `As built in: ${maxTurns} replies of the model, ${maxToolCalls} calls of tools`, value: "built in" },
    { name: `Short: ${SHORT.maxTurns} replies, ${SHORT.timeout} of work`, value: "short" },
    { name: "Numbers of my own", value: "own" },
  ] as const
  const chosen = await ask((context) =>
    select({ message: "How far may a run go before somebody is asked?", choices }, context),
  )
  if (chosen === undefined) return undefined
  if (chosen !== "own") return chosen === "short" ? SHORT : {}
  const replies = await ask((context) =>
    input({ message: "Replies of the model:", default: String(maxTurns), validate: isCount }, context),
  )
  if (replies === undefined) return undefined
  const time = await ask((context) =>
    input({ message: "Time at work, as in 20m (empty: no limit):", validate: isTime }, context),
  )
  if (time === undefined) return undefined
  return { maxTurns: Number(replies), ...(time.trim() === "" ? {} : { timeout: time.trim() }) }
}

function isCount(text: string): true | string {
  return (/^[1-9]\d*$/.test(text.trim()) && Number.isSafeInteger(Number(text))) || "It must be a whole number above 0."
}

function isTime(text: string): true | string {
  return text.trim() === "" || parseDuration(text.trim()) !== undefined || `It must be ${DURATION_FORM}.`
}

async function askTools({ example }: NewProject, ask: Ask): Promise<InitPlan["tools"] | undefined> {
  if (existsSync(example)) return "none" // it is not overwritten
  const { select } = await import("@inquirer/prompts")
  const choices = [
    { name: "No", value: "none" },
    { name: `Yes: .toolnexus/${EXAMPLE_NAME}, to be changed`, value: "an example" },
  ] as const
  return ask((context) => select({ message: "Add an example of tools of your own?", choices }, context))
}

async function askProfile({ io, signal }: Asking, ask: Ask): Promise<Profile | "none" | undefined> {
  const { select } = await import("@inquirer/prompts")
  const choices = [
    { name: "Yes: it is kept as a profile of yours, not in the project", value: "yes" },
    { name: "Not now", value: "no" },
  ] as const
  const message = "You have no endpoint yet. Set one up?"
  const chosen = await ask((context) => select({ message, choices }, context))
  if (chosen !== "yes") return chosen && "none"
  const { askForEndpoint } = await import("../endpoint/endpoint-setup.ts")
  return askForEndpoint(io, signal)
}
