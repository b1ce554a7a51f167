import { resolve } from "node:path"
import { isRecord, typeName } from "../../suspension/request.ts"
import { ToolnexusError } from "../../tool/error.ts"
import { withHome } from "../../tool/place.ts"
import { mentionsSecret } from "../../tool/secret-name.ts"
import { expandEnv, notSetFact } from "../expand-env.ts"
import { type Hide, hideValues, type Secret } from "../hide-values.ts"
import { oneLine } from "../one-line.ts"
import { type Conflict, conflictIn, misspeltIn } from "./entry-conflict.ts"

/** How a server is reached, environment variables put in. */
export type Reach =
  | { via: "stdio"; command: string; args: readonly string[]; env: Readonly<Record<string, string>>; cwd: string }
  | { via: "http" | "sse"; url: URL; headers: Readonly<Record<string, string>> }

/** A server that can be started. */
export interface ServerSettings {
  readonly name: string
  readonly reach: Reach
  readonly includeTools: readonly string[]
  readonly excludeTools: readonly string[]
  readonly readOnly: readonly string[]
  readonly idempotent: readonly string[]
  readonly trustHints: boolean
  readonly startTimeoutMs: number
  readonly callTimeoutMs: number
  /** Takes the secrets of its configuration out of what it says. */
  readonly hide: Hide
}

/** An entry of the configuration. `fact` and `next`: what is wrong with it, and what to do. */
export type ReadServer =
  | { is: "usable"; name: string; settings: ServerSettings; ignored: readonly string[] }
  | { is: "disabled"; name: string }
  | { is: "unusable"; name: string; fact: string; next: string }

export interface Surroundings {
  cwd: string
  env: NodeJS.ProcessEnv
}

/**
 * Reads what a configuration says of its servers; what is wrong with one is said of that one.
 *
 * @throws ToolnexusError `usage` when it is no configuration at all
 */
export function readServers(config: unknown, around: Surroundings): ReadServer[] {
  const servers = isRecord(config) ? config.mcpServers : undefined
  if (!isRecord(servers)) {
    const got = isRecord(config) ? `mcpServers is ${typeName(servers)}` : `got ${typeName(config)}`
    throw new ToolnexusError("usage", `mcpConfig must be { mcpServers: { NAME: { command or url } } }, ${got}`)
  }
  return Object.entries(servers).map(([name, entry]) => readServer(name, entry, around))
}

function readServer(name: string, entry: unknown, around: Surroundings): ReadServer {
  try {
    if (name === "") throw new Unusable("its name is empty", "give it one")
    if (name !== oneLine(name))
      throw new Unusable("its name holds characters that cannot be shown", "give it a plain one")
    if (!isRecord(entry)) throw new Unusable(`it must be an object, got ${typeName(entry)}`, "give a command or a url")
    const members = inOurWords(entry)
    if (flagIn(members, "disabled")) return { is: "disabled", name }
    requireNone(misspeltIn(Object.keys(members), [...KNOWN, ...Object.keys(ALSO_CALLED), "enabled"]))
    const ignored = Object.keys(members).filter((member) => !KNOWN.has(member))
    return { is: "usable", name, settings: settingsFrom(name, members, around), ignored }
  } catch (error) {
    if (!(error instanceof Unusable)) throw error
    return { is: "unusable", name, fact: error.message, next: error.next }
  }
}

class Unusable extends Error {
  readonly next: string
  constructor(fact: string, next: string) {
    super(fact)
    this.next = next
  }
}

function requireNone(conflict: Conflict | undefined): void {
  if (conflict) throw new Unusable(conflict.fact, conflict.next)
}

const KNOWN: ReadonlySet<string> = new Set(
  (
    "type command args env cwd url headers disabled includeTools excludeTools readOnly idempotent trustHints " +
    "startTimeoutMs callTimeoutMs"
  ).split(" "),
)

/** What other tools call the members that restrict: left unread, a server would offer more than its user meant. */
const ALSO_CALLED: Readonly<Record<string, string>> = {
  tools: "includeTools",
  enabledTools: "includeTools",
  allowedTools: "includeTools",
  disabledTools: "excludeTools",
}

function inOurWords(entry: Record<string, unknown>): Record<string, unknown> {
  const members: Record<string, unknown> = {}
  for (const [member, value] of Object.entries(entry)) {
    const ours = ALSO_CALLED[member] ?? member
    if (ours !== member && entry[ours] !== undefined)
      throw new Unusable(`it has both ${ours} and ${member}, which mean the same`, `keep ${ours}`)
    members[ours] = value
  }
  if (entry.enabled === false) members.disabled = true
  delete members.enabled
  return members
}

function settingsFrom(name: string, members: Record<string, unknown>, around: Surroundings): ServerSettings {
  const secrets: Secret[] = []
  const missing: Missing[] = []
  const reach = reachFrom(members, { ...around, secrets, missing })
  requireSet(missing)
  return {
    name,
    reach,
    includeTools: listIn(members, "includeTools") ?? ["*"],
    excludeTools: listIn(members, "excludeTools") ?? [],
    readOnly: listIn(members, "readOnly") ?? [],
    idempotent: listIn(members, "idempotent") ?? [],
    trustHints: flagIn(members, "trustHints"),
    startTimeoutMs: millisecondsIn(members, "startTimeoutMs") ?? 30_000,
    callTimeoutMs: millisecondsIn(members, "callTimeoutMs") ?? 300_000,
    hide: hideValues(secrets),
  }
}

/** `secrets` gathers what must not be said, `missing` the variables that are not set. */
interface Place extends Surroundings {
  secrets: Secret[]
  missing: Missing[]
}

interface Missing {
  name: string
  where: string
}

/** @throws Unusable nothing is started with an empty key */
function requireSet(missing: readonly Missing[]): void {
  if (missing.length > 0) throw new Unusable(notSetFact(missing), "set what is missing, and start again")
}

const VIA = { stdio: "stdio", http: "http", "streamable-http": "http", sse: "sse" } as const

function reachFrom(members: Record<string, unknown>, place: Place): Reach {
  const { type = members.command === undefined ? "http" : "stdio" } = members
  const via = typeof type === "string" && Object.hasOwn(VIA, type) ? VIA[type as keyof typeof VIA] : undefined
  if (members.command === undefined && members.url === undefined)
    throw new Unusable("it has neither a command nor a url", "give one")
  if (via === undefined) throw new Unusable(`its type is ${shown(type)}`, "a type is stdio, http or sse")
  requireNone(conflictIn(members, members.type === undefined ? undefined : via))
  if (via === "stdio") return stdioFrom(members, place)
  const text = expanded(textIn(members, "url"), "url", place)
  const headers = textsIn(members, "headers", place)
  requireSet(place.missing)
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw new Unusable("its url is no address", "write it whole: https://HOST/PATH")
  return { via, url, headers }
}

function stdioFrom(members: Record<string, unknown>, place: Place): Reach {
  const cwd = members.cwd === undefined ? "." : expanded(textIn(members, "cwd"), "cwd", place)
  return {
    via: "stdio",
    command: withHome(expanded(textIn(members, "command"), "command", place)),
    args: (listIn(members, "args") ?? []).map((arg) => expanded(arg, "args", place)),
    env: textsIn(members, "env", place),
    cwd: resolve(place.cwd, withHome(cwd)),
  }
}

function expanded(text: string, member: string, { env, secrets, missing: all }: Place): string {
  const { text: whole, used, missing } = expandEnv(text, env)
  all.push(...missing.map((name) => ({ name, where: member })))
  for (const { name, value } of used)
    if (mentionsSecret(name) || member.startsWith("headers")) secrets.push({ name, value })
  return whole
}

function textsIn(members: Record<string, unknown>, member: string, place: Place): Record<string, string> {
  const value = members[member]
  if (value === undefined) return {}
  if (!isRecord(value))
    throw new Unusable(`its ${member} must be an object of texts, got ${typeName(value)}`, "correct it")
  const texts = Object.entries(value).map(([name, given]): [string, string] => {
    if (typeof given !== "string")
      throw new Unusable(`${member}.${oneLine(name)} must be a text, got ${typeName(given)}`, "put it in quotes")
    const text = expanded(given, `${member}.${oneLine(name)}`, place)
    if (mentionsSecret(name)) place.secrets.push(...secretsIn(name, text))
    return [name, text]
  })
  return Object.fromEntries(texts)
}

/** Behind a word such as `Bearer`, if there is one. */
function secretsIn(name: string, text: string): Secret[] {
  const words = text.trim().split(/\s+/)
  return (words.length > 1 ? words.slice(1) : words).map((value) => ({ name, value }))
}

function textIn(members: Record<string, unknown>, member: string): string {
  const value = members[member]
  if (typeof value === "string" && value.trim() !== "") return value
  throw new Unusable(`its ${member} must be a filled text, got ${shown(value)}`, "correct it")
}

function listIn(members: Record<string, unknown>, member: string): readonly string[] | undefined {
  const value = members[member]
  if (value === undefined) return undefined
  if (Array.isArray(value) && value.every((entry) => typeof entry === "string")) return value
  throw new Unusable(`its ${member} must be a list of texts, got ${typeName(value)}`, 'write ["...", "..."]')
}

function flagIn(members: Record<string, unknown>, member: string): boolean {
  const value = members[member]
  if (value === undefined || typeof value === "boolean") return value ?? false
  throw new Unusable(`its ${member} must be true or false, got ${shown(value)}`, "correct it")
}

function millisecondsIn(members: Record<string, unknown>, member: string): number | undefined {
  const value = members[member]
  if (value === undefined || (typeof value === "number" && value > 0)) return value
  throw new Unusable(`its ${member} must be a number of milliseconds above 0, got ${shown(value)}`, "correct it")
}

function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(oneLine(value).slice(0, 60)) : typeName(value)
}
