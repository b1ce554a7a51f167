import { type Clock, providerAt, proxyFor } from "../../index.ts"
import { proxyFrom } from "../configuration/proxy-settings.ts"
import {
  chooseEndpoint,
  type Endpoint,
  type EndpointOrigins,
  type EndpointSources,
  endpointOrigins,
  noEndpoint,
} from "../endpoint/endpoint-settings.ts"
import type { Io } from "../io.ts"
import { errorText } from "../output/error-text.ts"
import { waysOn } from "../output/ways-on.ts"
import { clientFor } from "../tools/equipment.ts"
import { counted } from "../words/counted.ts"
import { homePath } from "../words/home-path.ts"
import { type Check, note, ok, problem, problemFrom } from "./check.ts"
import { problemOfReaching } from "./reach.ts"
import { within } from "./within.ts"

/** An endpoint that is looked at, as far as one can be chosen. */
export interface FoundEndpoint {
  endpoint: Endpoint | undefined
  check: Check
}

/** The endpoint that would be used, and where each part of it is said. */
export function findEndpoint(sources: EndpointSources, io: Io): FoundEndpoint {
  try {
    const choice = chooseEndpoint(sources)
    if (choice.kind === "chosen") return { endpoint: choice.endpoint, check: said(choice.endpoint, sources, io) }
    const file = homePath(sources.user.file, io)
    const { fact = "no endpoint is configured", ways = [] } = waysOn(noEndpoint(choice.missing, file)) ?? {}
    return { endpoint: undefined, check: problem("endpoint", fact, ways.join(", or ")) }
  } catch (error) {
    return { endpoint: undefined, check: problemFrom("endpoint", error) }
  }
}

function said(endpoint: Endpoint, sources: EndpointSources, io: Io): Check {
  const origins = endpointOrigins(sources)
  const from = (part: keyof EndpointOrigins, otherwise: string) =>
    `(${(origins[part] ?? otherwise).replace(sources.user.file, homePath(sources.user.file, io))})`
  if (endpoint.kind === "demo") return ok("endpoint", `the demo model ${from("model", "")}: a script, offline`)
  const { baseUrl, model, style } = endpoint
  const byHost = providerAt(new URL(baseUrl)) ? "by its host" : "unless something else is said"
  const facts = [
    `${baseUrl} ${from("baseUrl", "")}`,
    `model ${model} ${from("model", "")}`,
    `style ${style} ${from("style", byHost)}`,
  ]
  return ok("endpoint", facts.join(", "))
}

/** Whether the key is there; nothing of it is shown. */
export function checkKey(endpoint: Endpoint, { env }: Pick<Io, "env">): Check {
  if (endpoint.kind === "demo") return ok("key", "none is needed")
  const { apiKeyEnv, baseUrl, auth } = endpoint
  if (apiKeyEnv === undefined) {
    const { hostname } = new URL(baseUrl)
    if (auth === "none") return ok("key", "none is sent, as the profile says")
    if (isLocal(hostname)) return ok("key", `none is sent to ${hostname}`)
    const own = providerAt(new URL(baseUrl))?.apiKeyEnv
    if (own !== undefined) return problem("key", `${hostname} wants a key, and there is none`, `set ${own}`)
    const next = "if it wants one, set TOOLNEXUS_API_KEY, or name the variable that holds it with --api-key-env"
    return note("key", `none is sent to ${hostname}`, next)
  }
  const key = env[apiKeyEnv]
  if (!key) {
    const fact = `it is read from the variable ${apiKeyEnv}, which is not set`
    return problem("key", fact, "set it, or name another with --api-key-env")
  }
  if (key !== key.trim()) {
    return note(
      "key",
      `${apiKeyEnv} is set, with white space around the key`,
      "set it without, if the endpoint refuses it",
    )
  }
  return ok("key", `it is read from the variable ${apiKeyEnv}, which is set`)
}

function isLocal(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127\..*|\[::1\])$/.test(hostname)
}

interface Looking {
  clock: Clock
  signal: AbortSignal
}

const REACHING_MS = 4_000

/** Whether a connection can be opened: to the proxy where there is one. No request is sent. */
export async function checkConnection(endpoint: Endpoint, io: Io, looking: Looking): Promise<Check> {
  if (endpoint.kind === "demo") return ok("connection", "none is needed")
  try {
    const url = new URL(endpoint.baseUrl)
    const proxy = proxyFor(url, proxyFrom(io.env))
    // The address of a proxy may hold a password; its origin does not.
    const where = proxy ? `the proxy ${proxy.origin}` : url.origin
    const late: [string, string] = [
      `it did not answer in ${REACHING_MS / 1000} s`,
      "check the address, and the network",
    ]
    const limit = { ...looking, ms: REACHING_MS }
    const failed = await within(
      limit,
      (signal) => problemOfReaching(proxy ?? url, signal),
      () => late,
    )
    if (failed) return problem("connection", `${where} cannot be reached: ${failed[0]}`, failed[1])
    return ok("connection", `${where} can be reached${proxy ? ` (what ${url.origin} says is not tried)` : ""}`)
  } catch (error) {
    return problemFrom("connection", error)
  }
}

const CALLING_MS = 30_000

/** One small call of the model. */
export async function checkCall(endpoint: Endpoint, io: Io, looking: Looking): Promise<Check> {
  const late = () => problem("model call", `no reply in ${CALLING_MS / 1000} s`, "look at the endpoint's own state")
  const startedMs = looking.clock.now()
  try {
    return await within({ ...looking, ms: CALLING_MS }, (signal) => call(endpoint, io, startedMs, signal), late)
  } catch (error) {
    return callFailed(error)
  }
}

async function call(endpoint: Endpoint, io: Io, startedMs: number, signal: AbortSignal): Promise<Check> {
  const options = { maxTurns: 1, maxOutputTokens: 64, retries: 0, clock: io.clock }
  const { usage, status } = await clientFor(endpoint, options, io).run("Reply with the one word: ready", { signal })
  if (status === "interrupted") return problem("model call", "it was stopped", "run toolnexus doctor again")
  const seconds = ((io.clock.now() - startedMs) / 1000).toFixed(1)
  return ok("model call", `one was made: it replied in ${seconds} s (${counted(usage.totalTokens, "token")})`)
}

function callFailed(error: unknown): Check {
  const text = errorText(error)
  const at = text.lastIndexOf("; ")
  const fact = at < 0 ? text : text.slice(0, at)
  return problem("model call", `one was made, and failed: ${fact}`, at < 0 ? "correct that" : text.slice(at + 2))
}
