import type { Limits } from "../../index.ts"
import type { Configuration, Profile } from "../configuration/configuration.ts"
import { limitOption } from "../configuration/limit-settings.ts"
import { isRecord } from "../is-record.ts"
import type { LookedOver, Project } from "./projects.ts"

/**
 * Everything that a project lets when it is trusted, one fact a line, nothing left out. The lines hold what the project says: they
 * are to be escaped.
 */
export function factsOf({ configuration: it, servers, seals, httpTools }: LookedOver, { folder }: Project): string[] {
  const list = (words: string, all: readonly string[]) => all.map((one) => `${words} ${one}`)
  const { profile, profiles, rules, limits } = it
  return [
    ...(profile === undefined ? [] : [`endpoint of every run, unless told otherwise: the profile ${profile}`]),
    ...[...profiles].map(([name, found]) => `endpoint ${name}: ${profileFacts(found)}`),
    ...list("runs without asking:", rules.allow),
    ...list("runs code of the module:", it.tools.filter((path) => !httpTools.has(path)).map(stateIn(seals))),
    ...[...httpTools].flatMap(([path, text]) => httpFacts(path, text)),
    ...Object.entries(servers).map(([name, server]) => `MCP server ${name}: ${serverFacts(server)}`),
    ...list("tools that are declared in:", it.relay.map(stateIn(seals))),
    ...list("skills, which tell the model what to do, in:", it.skills),
    ...[...it.agents].map(([name, agent]) => `agent ${name}: ${JSON.stringify(agent)}`),
    ...list("webfetch may reach the private host:", it.privateHosts),
    ...it.masks.map(({ name, pattern }) => `what tools say is masked as ${name} where it matches: ${pattern}`),
    ...Object.entries(limits).map(([name, limit]) => `limit: ${limitOption(name as keyof Limits, limit).join(" ")}`),
    ...restrictionFacts(it),
    ...list("holds for this file as it is now:", fileNames(seals, folder)),
  ]
}

function profileFacts({ baseUrl, model, style, apiKeyEnv, auth, headers }: Profile): string {
  const facts = [
    baseUrl,
    apiKeyEnv === undefined ? "no key of a variable" : `the key in the variable ${apiKeyEnv} is sent there`,
    ...(model === undefined ? [] : [`model ${model}`]),
    ...(style === undefined ? [] : [`style ${style}`]),
    ...(auth === undefined ? [] : [`auth ${auth}`]),
    ...(headers === undefined ? [] : [`headers ${JSON.stringify(headers)}`]),
  ]
  return facts.join(", ")
}

/** One line a tool: where it sends what. */
function httpFacts(path: string, text: string): string[] {
  let list: unknown
  try {
    list = JSON.parse(text.replace(/^\uFEFF/, ""))
  } catch {
    return [`tools that send requests, in: ${path} (it is not JSON)`]
  }
  const entries = Array.isArray(list) ? list : [list]
  return entries.map((entry) => `tool that sends requests, in ${path}: ${JSON.stringify(entry)}`)
}

/** Its command as it would be typed, then the rest of what is said of it. */
function serverFacts(server: unknown): string {
  if (!isRecord(server)) return JSON.stringify(server)
  const { command, args, url, ...rest } = server
  const words = [command, ...(Array.isArray(args) ? args : [])].map((word) =>
    typeof word === "string" && /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word),
  )
  const facts = [
    ...(command === undefined ? [] : [`runs the command ${words.join(" ")}`]),
    ...(url === undefined ? [] : [`at ${typeof url === "string" ? url : JSON.stringify(url)}`]),
    ...(args === undefined || (command !== undefined && Array.isArray(args)) ? [] : [JSON.stringify({ args })]),
    ...(Object.keys(rest).length === 0 ? [] : [JSON.stringify(rest)]),
  ]
  return facts.join(", ")
}

function restrictionFacts({ rules, neverRemember }: Configuration): string[] {
  return [
    ...rules.ask.map((rule) => `asks about (counts in any case): ${rule}`),
    ...rules.deny.map((rule) => `never runs (counts in any case): ${rule}`),
    ...neverRemember.map((rule) => `approvals of ${rule} are not offered as rules for later (counts in any case)`),
  ]
}

function stateIn(seals: LookedOver["seals"]): (path: string) => string {
  return (path) => {
    const seal = seals.get(path) ?? "absent"
    if (seal === "absent") return `${path} (it is not there)`
    return seal.startsWith("unusable: ") ? `${path} (${seal.slice("unusable: ".length)})` : path
  }
}

function fileNames(seals: LookedOver["seals"], folder: string): string[] {
  const there = [...seals].filter(([, seal]) => !/^(absent|unusable)/.test(seal)).map(([path]) => path)
  return there.map((path) => (path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path))
}
