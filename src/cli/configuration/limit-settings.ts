import type { Limits } from "../../index.ts"
import { durationText } from "../words/duration.ts"
import type { Members, SettingsReader } from "./settings-reader.ts"

/** Limits as configuration files and options name them: a limit of the library's that these may set is one line here. */
const LIMITS: Readonly<Record<Setting, { limit: keyof Limits; form: "count" | "duration" }>> = {
  maxTurns: { limit: "maxTurns", form: "count" },
  maxTokens: { limit: "maxTokens", form: "count" },
  maxToolCalls: { limit: "maxToolCalls", form: "count" },
  maxRepeats: { limit: "maxRepeats", form: "count" },
  timeout: { limit: "timeoutMs", form: "duration" },
}

type Setting = "maxTurns" | "maxTokens" | "maxToolCalls" | "maxRepeats" | "timeout"

/** Every limit that a configuration file can have. */
export const LIMIT_SETTINGS = Object.keys(LIMITS) as Setting[]

/** @throws ToolnexusError `configuration`, naming file and setting */
export function limitsIn(root: Members, at: SettingsReader): Limits {
  const it = at.record(root, "limits") ?? {}
  at.knownOnly(it, LIMIT_SETTINGS, "limits.")
  const limits: Limits = {}
  for (const setting of LIMIT_SETTINGS) {
    const { limit, form } = LIMITS[setting]
    const value = at[form](it, setting)
    if (value !== undefined) limits[limit] = value
  }
  return limits
}

/** The limits that options give, which have the settings' names. */
export function flagLimits(flags: Partial<Record<Setting, number>>): Limits {
  const limits: Limits = {}
  for (const setting of LIMIT_SETTINGS) {
    const value = flags[setting]
    if (value !== undefined) limits[LIMITS[setting].limit] = value
  }
  return limits
}

/** The option that gives a limit, and its value: `--max-turns`, `50`. */
export function limitOption(limit: keyof Limits, value: number): readonly string[] {
  return LIMIT_SETTINGS.filter((setting) => LIMITS[setting].limit === limit).flatMap((setting) => [
    `--${setting.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    LIMITS[setting].form === "duration" ? durationText(value) : String(value),
  ])
}

/** For each limit the first of those given. */
export function firstLimits(all: readonly Limits[]): Limits {
  return Object.assign({}, ...[...all].reverse())
}

/** For each limit the lowest of those given. */
export function lowestLimits(all: readonly Limits[]): Limits {
  const lowest: Limits = {}
  for (const limits of all) {
    for (const { limit } of Object.values(LIMITS)) {
      const value = limits[limit]
      if (value !== undefined) lowest[limit] = Math.min(value, lowest[limit] ?? Number.POSITIVE_INFINITY)
    }
  }
  return lowest
}

/** The settings of limits that are above what counts without them. */
export function limitsAbove(limits: Limits, others: Limits): string[] {
  return LIMIT_SETTINGS.filter((setting) => {
    const { limit } = LIMITS[setting]
    const [value, other] = [limits[limit], others[limit]]
    return value !== undefined && other !== undefined && value > other
  })
}
