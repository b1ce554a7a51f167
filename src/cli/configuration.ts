import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type AuthScheme, type Limits, type StyleName, ToolnexusError } from "../index.ts"
import { isCredentialName } from "./credential-name.ts"
import { DURATION_FORM, parseDuration } from "./duration.ts"
import { errorText, fileProblem } from "./error-text.ts"
import { isRecord } from "./is-record.ts"

/** An endpoint under a name. The key's variable is named; the key is in no file. */
export interface Profile {
  baseUrl: string
  model?: string
  style?: StyleName
  apiKeyEnv?: string
  /** How the key is sent, where that is not as usual. */
  auth?: AuthScheme
  /** Sent with every request; none of them holds a key. */
  headers?: Record<string, string>
}

/** Permission rules, as `--allow`, `--ask` and `--deny` take them. */
export interface Rules {
  allow: string[]
  ask: string[]
  deny: string[]
}

/** What the user's own configuration says. */
export interface UserConfiguration {
  file: string
  /** The profile that is used where none is named. */
  profile?: string
  profiles: ReadonlyMap<string, Profile>
  rules: Rules
  limits: Limits
}

/** What counts of a project's configuration that the person has not trusted. */
export interface ProjectConfiguration {
  file: string
  rules: Rules
  limits: Limits
  /** The settings in it that do not count. */
  ignored: string[]
}

/**
 * Reads the user's configuration as plain JSON (`conf` writes it, and is not loaded for that). None is an empty one.
 *
 * @throws ToolnexusError `configuration`, naming the file and the setting
 */
export function readUserConfiguration(file: string): UserConfiguration {
  const root = readSettings(file) ?? {}
  const at = settingsOf(file)
  const profile = at.text(root, "profile")
  return {
    file,
    ...(profile === undefined ? {} : { profile }),
    profiles: new Map(Object.entries(at.record(root, "profiles")).map(([name, it]) => [name, profileOf(it, name, at)])),
    rules: rulesOf(root, at),
    limits: limitsOf(root, at),
  }
}

/**
 * Reads `.toolnexus/config.json` of a folder and of those above it, up to the repository's root (outside of a repository:
 * of the folder only). Nothing of it is trusted: what counts can only restrict.
 *
 * @throws ToolnexusError `configuration`: a rule that cannot be read must not be a rule that does not hold
 */
export function readProjectConfigurations(folder: string): ProjectConfiguration[] {
  return foldersUpwards(folder).flatMap((dir) => {
    const file = join(dir, ".toolnexus", "config.json")
    const root = readSettings(file)
    if (!root) return []
    const at = settingsOf(file)
    const { allow, ask, deny } = rulesOf(root, at)
    const unknown = Object.keys(root).filter((key) => key !== "permissions" && key !== "limits")
    const ignored = allow.length > 0 ? [...unknown, "permissions.allow"] : unknown
    return [{ file, rules: { allow: [], ask, deny }, limits: limitsOf(root, at), ignored }]
  })
}

/** For each limit the lowest of those given. */
export function lowestLimits(all: readonly Limits[]): Limits {
  const lowest: Limits = {}
  for (const limits of all) {
    for (const name of ["maxTurns", "maxTokens", "timeoutMs", "maxToolCalls", "maxRepeats"] as const) {
      const value = limits[name]
      if (value !== undefined) lowest[name] = Math.min(value, lowest[name] ?? Number.POSITIVE_INFINITY)
    }
  }
  return lowest
}

function foldersUpwards(folder: string): string[] {
  const folders = [folder]
  for (let at = folder; !existsSync(join(at, ".git")); at = dirname(at)) {
    if (dirname(at) === at) return [folder]
    folders.push(dirname(at))
  }
  return folders
}

function readSettings(file: string): Record<string, unknown> | undefined {
  const text = textOf(file)
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    if (isRecord(value)) return value
  } catch (error) {
    throw broken(file, `is not JSON (${errorText(error)})`)
  }
  throw broken(file, "must hold a JSON object")
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "ENOENT" || code === "ENOTDIR") return undefined // no configuration is a fine configuration
    throw broken(file, `cannot be read (${fileProblem(error)})`)
  }
}

type Settings = Record<string, unknown>

/** Typed reading of one file's settings; a wrong type is an error that names file and setting. */
function settingsOf(file: string) {
  const expect = <T>(value: unknown, name: string, what: string, fits: (value: unknown) => T | undefined): T => {
    const fitting = fits(value)
    if (fitting === undefined) throw broken(file, `${name} must be ${what}`)
    return fitting
  }
  const optional = <T>(it: Settings, name: string, what: string, fits: (value: unknown) => T | undefined) =>
    own(it, name) === undefined ? undefined : expect(own(it, name), name, what, fits)
  return {
    expect,
    text: (it: Settings, name: string) => optional(it, name, "a text", asText),
    auth: (it: Settings, name: string) => optional(it, name, "bearer, x-api-key, api-key or none", asAuth),
    style: (it: Settings, name: string) => optional<StyleName>(it, name, "openai or anthropic", asStyle),
    count: (it: Settings, name: string) => optional(it, name, "a whole number above 0", asCount),
    duration: (it: Settings, name: string) => optional(it, name, DURATION_FORM, asDuration),
    headers: (it: Settings, name: string) => optional(it, name, NO_KEYS, asHeaders),
    texts: (it: Settings, name: string) => optional(it, name, "a list of texts", asTexts) ?? [],
    record: (it: Settings, name: string) => optional(it, name, "an object", asRecord) ?? {},
  }
}

type Reader = ReturnType<typeof settingsOf>

function profileOf(value: unknown, name: string, at: Reader): Profile {
  const it = at.expect(value, `profiles.${name}`, "an object", asRecord)
  const baseUrl = at.expect(own(it, "baseUrl"), `profiles.${name}.baseUrl`, "a text", asText)
  const [model, style, apiKeyEnv] = [at.text(it, "model"), at.style(it, "style"), at.text(it, "apiKeyEnv")]
  const [auth, headers] = [at.auth(it, "auth"), at.headers(it, "headers")]
  return {
    baseUrl,
    ...(model === undefined ? {} : { model }),
    ...(style === undefined ? {} : { style }),
    ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }),
    ...(auth === undefined ? {} : { auth }),
    ...(headers === undefined ? {} : { headers }),
  }
}

function rulesOf(root: Settings, at: Reader): Rules {
  const it = at.record(root, "permissions")
  return { allow: at.texts(it, "allow"), ask: at.texts(it, "ask"), deny: at.texts(it, "deny") }
}

function limitsOf(root: Settings, at: Reader): Limits {
  const it = at.record(root, "limits")
  const [maxTurns, maxTokens, timeoutMs] = [
    at.count(it, "maxTurns"),
    at.count(it, "maxTokens"),
    at.duration(it, "timeout"),
  ]
  const [maxToolCalls, maxRepeats] = [at.count(it, "maxToolCalls"), at.count(it, "maxRepeats")]
  return {
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(maxToolCalls === undefined ? {} : { maxToolCalls }),
    ...(maxRepeats === undefined ? {} : { maxRepeats }),
  }
}

const AUTH_SCHEMES: readonly AuthScheme[] = ["bearer", "x-api-key", "api-key", "none"]
// Keys are in no file.
const NO_KEYS = "an object of texts, with no header for a key in it (apiKeyEnv names the variable that holds the key)"

const asText = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined)
const asStyle = (value: unknown): StyleName | undefined =>
  value === "openai" || value === "anthropic" ? value : undefined
const asAuth = (value: unknown) => AUTH_SCHEMES.find((scheme) => scheme === value)
const asHeaders = (value: unknown) =>
  isRecord(value) && Object.entries(value).every(([name, it]) => typeof it === "string" && !isCredentialName(name))
    ? (value as Record<string, string>)
    : undefined
const asCount = (value: unknown) =>
  Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : undefined
const asDuration = (value: unknown) => (typeof value === "string" ? parseDuration(value) : undefined)
const asTexts = (value: unknown) =>
  Array.isArray(value) && value.every((entry) => typeof entry === "string") ? (value as string[]) : undefined
const asRecord = (value: unknown) => (isRecord(value) ? value : undefined)

function own(it: Settings, name: string): unknown {
  return Object.hasOwn(it, name) ? it[name] : undefined
}

function broken(file: string, problem: string): ToolnexusError {
  return new ToolnexusError("configuration", `${file}: ${problem}: correct it or remove the file`)
}
