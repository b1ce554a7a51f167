import { type AuthScheme, namesSecret, nearestName, parseRule, type StyleName, ToolnexusError } from "../../index.ts"
import { isRecord } from "../is-record.ts"
import { errorText } from "../output/error-text.ts"
import { DURATION_FORM, parseDuration } from "../words/duration.ts"

/** The members of an object in a configuration file. */
export type Members = Record<string, unknown>

/** Reads one setting; `undefined` where it is not there. */
type Read<T> = (it: Members, name: string) => T | undefined

/** Typed reading of one file's settings; a wrong type is an error that names file and setting. */
export interface SettingsReader {
  /** Settings that nobody knows, each with what may be meant. */
  readonly unknown: string[]
  broken(problem: string): ToolnexusError
  object(value: unknown, name: string): Members
  filled(value: unknown, name: string): string
  text: Read<string>
  variable: Read<string>
  auth: Read<AuthScheme>
  style: Read<StyleName>
  count: Read<number>
  /** Milliseconds. */
  duration: Read<number>
  headers: Read<Record<string, string>>
  /** Rules. */
  never: Read<string[]>
  texts: Read<string[]>
  record: Read<Members>
  /**
   * Notes the members that nobody knows: a setting that is misspelt must not silently be none.
   *
   * @param guards whole names of settings that restrict: what may be meant as one of these is refused
   */
  known(it: Members, names: readonly string[], within?: string, guards?: readonly string[]): void
  /** Refuses the members that nobody knows: each may be meant to restrict, and would not be in force. */
  knownOnly(it: Members, names: readonly string[], within: string): void
}

/**
 * @param file named in every error
 */
export function settingsReader(file: string): SettingsReader {
  const unknown: string[] = []
  const broken = (problem: string) => brokenConfiguration(file, problem)
  const expect = <T>(value: unknown, name: string, what: string, fits: (value: unknown) => T | undefined): T => {
    const fitting = fits(value)
    if (fitting === undefined) throw broken(`${name} must be ${what}`)
    return fitting
  }
  const notInForce = (name: string, meant: string | undefined) => {
    const hint = meant === undefined ? "" : ` (did you mean ${meant}?)`
    return broken(`there is no setting ${name}${hint}, and what it says would not be in force`)
  }
  const optional =
    <T>(what: string, fits: (value: unknown) => T | undefined): Read<T> =>
    (it, name) =>
      own(it, name) === undefined ? undefined : expect(own(it, name), name, what, fits)
  return {
    unknown,
    broken,
    object: (value, name) => expect(value, name, "an object", asRecord),
    filled: (value, name) => expect(value, name, "a text", asText),
    text: optional("a text", asText),
    variable: optional("the name of an environment variable (the key itself is in no file)", asVariable),
    auth: optional("bearer, x-api-key, api-key or none", asAuth),
    style: optional("openai or anthropic", asStyle),
    count: optional("a whole number above 0", asCount),
    duration: optional(DURATION_FORM, asDuration),
    headers: optional(NO_KEYS, asHeaders),
    never: optional("never, or an object of rules and never", asNever),
    texts: optional("a list of texts", asTexts),
    record: optional("an object", asRecord),
    known(it, names, within = "", guards = []) {
      for (const name of unknownIn(it, names)) {
        const guard = nearestName(name, guards.map(lastPart))
        if (guard !== undefined)
          throw notInForce(
            `${within}${name}`,
            guards.find((whole) => lastPart(whole) === guard),
          )
        const meant = nearestName(name, names)
        unknown.push(`${within}${name}${meant === undefined ? "" : ` (${within}${meant}?)`}`)
      }
    },
    knownOnly(it, names, within) {
      for (const name of unknownIn(it, names)) {
        const meant = nearestName(name, names)
        throw notInForce(`${within}${name}`, meant && `${within}${meant}`)
      }
    },
  }
}

/** @param problem what is wrong with it */
export function brokenConfiguration(file: string, problem: string): ToolnexusError {
  return new ToolnexusError("configuration", `${file}: ${problem}${WHAT_NOW}`)
}

const WHAT_NOW = ": correct it or remove the file"

/** What is wrong alone, for who says the file and what to do in other words: it is not there yet. */
export function problemIn(error: Error, file: string): string {
  const text = errorText(error).replace(`${file}: `, "")
  return text.endsWith(WHAT_NOW) ? text.slice(0, -WHAT_NOW.length) : text
}

/** A member of its own: what a prototype has is nobody's setting. */
export function own(it: Members, name: string): unknown {
  return Object.hasOwn(it, name) ? it[name] : undefined
}

const AUTH_SCHEMES: readonly AuthScheme[] = ["bearer", "x-api-key", "api-key", "none"]
// Keys are in no file.
const NO_KEYS = "an object of texts, with no header for a key in it (apiKeyEnv names the variable that holds the key)"

const asText = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined)
const asVariable = (value: unknown) =>
  typeof value === "string" && /^[A-Za-z_][A-Za-z0-9_]*$/.test(value) ? value : undefined
const asStyle = (value: unknown): StyleName | undefined =>
  value === "openai" || value === "anthropic" ? value : undefined
const asAuth = (value: unknown) => AUTH_SCHEMES.find((scheme) => scheme === value)
const asHeaders = (value: unknown) =>
  isRecord(value) && Object.entries(value).every(([name, it]) => typeof it === "string" && !namesSecret(name))
    ? (value as Record<string, string>)
    : undefined
const asCount = (value: unknown) =>
  Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : undefined
const asDuration = (value: unknown) => (typeof value === "string" ? parseDuration(value) : undefined)
const asNever = (value: unknown): string[] | undefined => {
  if (value === "never") return ["*"]
  const isOfRules = isRecord(value) && Object.entries(value).every(([rule, it]) => it === "never" && isRule(rule))
  return isOfRules ? Object.keys(value) : undefined
}
const isRule = (text: string) => {
  try {
    return parseRule(text) !== undefined
  } catch {
    return false // what it must be is said
  }
}
const asTexts = (value: unknown) =>
  Array.isArray(value) && value.every((entry) => typeof entry === "string") ? (value as string[]) : undefined
const asRecord = (value: unknown) => (isRecord(value) ? value : undefined)

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1)
}

function unknownIn(it: Members, names: readonly string[]): string[] {
  return Object.keys(it).filter((name) => !names.includes(name) && name !== "$schema")
}
