import { dirname, resolve } from "node:path"
import { type AuthScheme, type Limits, type Mask, parseRule, type StyleName } from "../../index.ts"
import { lookAtFile } from "../files/look-at-file.ts"
import { NO_UTF8, utf8Text } from "../files/utf8-text.ts"
import { isRecord } from "../is-record.ts"
import { errorText } from "../output/error-text.ts"
import { parsedJson } from "../words/json-problem.ts"
import { LIMIT_SETTINGS, limitsIn } from "./limit-settings.ts"
import { masksIn } from "./mask-settings.ts"
import { brokenConfiguration, type Members, own, type SettingsReader, settingsReader } from "./settings-reader.ts"

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

/** An agent under a name, for `--agent`. */
export interface AgentSettings {
  system: string
  model?: string
  /** The tools that it is offered, by name; `*` stands for any characters. Without it all of them. */
  tools?: string[]
}

/** What one configuration file says. */
export interface Configuration {
  file: string
  /** The profile that is used where none is named. */
  profile?: string
  profiles: ReadonlyMap<string, Profile>
  rules: Rules
  /** Rules of calls whose approvals are not offered as rules for later. */
  neverRemember: readonly string[]
  limits: Limits
  /** Absolute, as are all paths here: in the file they are relative to its folder. */
  tools: readonly string[]
  relay: readonly string[]
  skills: readonly string[]
  agents: ReadonlyMap<string, AgentSettings>
  /** Files whose `mcpServers` are its servers. */
  mcp: readonly string[]
  /** Hosts that `webfetch` may reach though they are not public. */
  privateHosts: readonly string[]
  /** Patterns of what is masked in what tools say. */
  masks: readonly Mask[]
  /** Settings that nobody knows, each with what may be meant. */
  unknown: readonly string[]
}

/** What the user's own configuration says. */
export type UserConfiguration = Configuration

/** Every setting that a configuration file can have. */
export const SETTINGS = [
  "profile",
  "profiles",
  "permissions",
  "limits",
  "mcpServers",
  "tools",
  "relay",
  "skills",
  "agents",
  "privateHosts",
  "masks",
] as const

/** What an endpoint's profile, an agent and `permissions` may say. */
export const PROFILE_SETTINGS = ["baseUrl", "model", "style", "apiKeyEnv", "auth", "headers"] as const
export const AGENT_SETTINGS = ["system", "model", "tools"] as const
export const PERMISSION_SETTINGS = ["allow", "ask", "deny", "remember"] as const

/** Settings that restrict: one that is misspelt, or stands at the wrong place, would let what its writer forbids. */
const GUARDS = [
  ...["permissions", "limits", "masks", "permissions.deny", "permissions.ask", "permissions.remember"],
  ...LIMIT_SETTINGS.map((name) => `limits.${name}`),
]

/** More than a person writes. */
const MAX_BYTES = 1024 * 1024

/** A configuration file as it was read: what is checked, shown and used is this. */
export interface ConfigurationFile {
  file: string
  bytes: Buffer
  root: Members
}

/**
 * Reads a configuration file, its settings not looked at yet.
 *
 * @returns `undefined` where there is none
 * @throws ToolnexusError `configuration`: a rule that cannot be read must not be a rule that does not hold
 */
export function readConfigurationFile(file: string): ConfigurationFile | undefined {
  const seen = lookAtFile(file, MAX_BYTES)
  if (seen.is === "absent") return undefined // no configuration is a fine configuration
  if (seen.is === "unusable") throw brokenConfiguration(file, `cannot be read (${seen.fact})`)
  return { file, bytes: seen.bytes, root: parseJson(file, seen.bytes) }
}

/** @throws ToolnexusError `configuration` for what holds no JSON object */
export function parseJson(file: string, bytes: Buffer): Members {
  const text = utf8Text(bytes)
  if (text === undefined) throw brokenConfiguration(file, `is not JSON (${NO_UTF8})`)
  const value = parsedJson(text, (fact) => brokenConfiguration(file, fact))
  if (isRecord(value)) return value
  throw brokenConfiguration(file, "must hold a JSON object")
}

/**
 * Reads the user's configuration as plain JSON (`conf` writes it, and is not loaded for that). None is an empty one.
 *
 * @throws ToolnexusError `configuration`, naming the file and the setting
 */
export function readUserConfiguration(file: string): UserConfiguration {
  return configurationIn(readConfigurationFile(file) ?? { file, root: {} })
}

/**
 * Everything that a configuration file says.
 *
 * @throws ToolnexusError `configuration`, naming the file and the setting
 */
export function configurationIn({ file, root }: Pick<ConfigurationFile, "file" | "root">): Configuration {
  const at = settingsReader(file)
  const paths = (name: string) => (at.texts(root, name) ?? []).map((path) => resolve(dirname(file), path))
  const profile = at.text(root, "profile")
  return {
    ...permissionsIn({ file, root }, at),
    ...(profile === undefined ? {} : { profile }),
    profiles: namedIn(root, "profiles", at, profileIn),
    tools: paths("tools"),
    relay: paths("relay"),
    skills: paths("skills"),
    agents: namedIn(root, "agents", at, agentIn),
    mcp: Object.keys(at.record(root, "mcpServers") ?? {}).length > 0 ? [file] : [],
    privateHosts: at.texts(root, "privateHosts") ?? [],
    masks: masksIn(root, at),
    unknown: at.unknown,
  }
}

/**
 * What a configuration file says of permissions and limits; nothing else of it is read.
 *
 * @throws ToolnexusError `configuration`: a rule that cannot be read must not be a rule that does not hold
 */
export function permissionsIn(
  { file, root }: Pick<ConfigurationFile, "file" | "root">,
  at: SettingsReader = settingsReader(file),
): Configuration {
  at.known(root, SETTINGS, "", GUARDS)
  const permissions = at.record(root, "permissions") ?? {}
  at.knownOnly(permissions, PERMISSION_SETTINGS, "permissions.")
  return {
    file,
    rules: {
      allow: rulesIn(permissions, "allow", at),
      ask: rulesIn(permissions, "ask", at),
      deny: rulesIn(permissions, "deny", at),
    },
    neverRemember: at.never(permissions, "remember") ?? [],
    limits: limitsIn(root, at),
    profiles: new Map(),
    tools: [],
    relay: [],
    skills: [],
    agents: new Map(),
    mcp: [],
    privateHosts: [],
    masks: [],
    unknown: at.unknown,
  }
}

function rulesIn(permissions: Members, name: keyof Rules, at: SettingsReader): string[] {
  const rules = at.texts(permissions, name) ?? []
  for (const rule of rules) {
    try {
      parseRule(rule)
    } catch (error) {
      throw at.broken(errorText(error))
    }
  }
  return rules
}

function namedIn<T>(
  root: Members,
  name: string,
  at: SettingsReader,
  read: (it: Members, name: string, at: SettingsReader) => T,
): ReadonlyMap<string, T> {
  const all = Object.entries(at.record(root, name) ?? {})
  return new Map(all.map(([key, it]) => [key, read(at.object(it, `${name}.${key}`), `${name}.${key}`, at)]))
}

function profileIn(it: Members, name: string, at: SettingsReader): Profile {
  at.known(it, PROFILE_SETTINGS, `${name}.`, GUARDS)
  const baseUrl = at.filled(own(it, "baseUrl"), `${name}.baseUrl`)
  const [model, style, apiKeyEnv] = [at.text(it, "model"), at.style(it, "style"), at.variable(it, "apiKeyEnv")]
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

function agentIn(it: Members, name: string, at: SettingsReader): AgentSettings {
  at.known(it, AGENT_SETTINGS, `${name}.`, [`${name}.tools`, ...GUARDS])
  const system = at.filled(own(it, "system"), `${name}.system`)
  const [model, tools] = [at.text(it, "model"), at.texts(it, "tools")]
  return { system, ...(model === undefined ? {} : { model }), ...(tools === undefined ? {} : { tools }) }
}
