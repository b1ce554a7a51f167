import { type AuthScheme, type Generate, providerAt, type StyleName, ToolnexusError } from "../../index.ts"
import type { Configuration, Profile } from "../configuration/configuration.ts"
import { parseBaseUrl } from "./base-url.ts"

/** Where the model is. `apiKeyEnv` names the variable that holds the key. */
export type Endpoint =
  | { kind: "demo" }
  | {
      kind: "http"
      baseUrl: string
      style: StyleName
      model: string
      apiKeyEnv?: string
      auth?: AuthScheme
      headers?: Record<string, string>
      /** A project named the address: no key goes there but one that is named for it. */
      namedBy?: "project"
    }

/** No model: what one would say is said by this process. */
export interface ByHand {
  kind: "by hand"
  generate: Generate
}

/** The options that name an endpoint. */
export interface EndpointFlags {
  baseUrl?: string
  style?: StyleName
  model?: string
  apiKeyEnv?: string
  profile?: string
}

/** What an endpoint is chosen from. */
export interface EndpointSources {
  flags: EndpointFlags
  env: Readonly<Record<string, string | undefined>>
  /** The user's own. */
  user: ProfilesFile
  /** Those of projects, the nearest first. */
  projects?: readonly ProfilesFile[]
  /** What `--agent` names. */
  agentModel?: string | undefined
  /** Of a resume: what this machine remembers of the run. */
  remembered?: Endpoint
}

type ProfilesFile = Pick<Configuration, "file" | "profile" | "profiles">

/** The endpoint, or what is missing to have one. */
export type EndpointChoice =
  | { kind: "chosen"; endpoint: Endpoint }
  | { kind: "missing"; missing: ("base URL" | "model")[] }

/** One place that may name an endpoint; what a profile says only goes together. */
interface Layer {
  /** In words: a profile is named with its file. */
  place: string
  from: "flags" | "agent" | "environment" | "profile" | "remembered"
  rank: "flag" | "environment" | "configuration"
  baseUrl?: string | undefined
  style?: StyleName | undefined
  model?: string | undefined
  apiKeyEnv?: string | undefined
  auth?: AuthScheme
  headers?: Record<string, string>
  namedBy?: "project"
}

/**
 * Chooses the endpoint: flags, then what is remembered of the run, then environment, then projects, then the user's configuration.
 *
 * @throws ToolnexusError `usage` or `configuration` for what cannot be meant
 */
export function chooseEndpoint(sources: EndpointSources): EndpointChoice {
  const { base, modelOf, styleOf } = decidingLayers(sources)
  const model = modelOf?.model
  if (model === "demo") return demo(sources.flags)
  if (base?.baseUrl === undefined || model === undefined) return { kind: "missing", missing: missingOf(base, model) }
  const url = parseBaseUrl(base.baseUrl)
  const style = styleOf?.style ?? providerAt(url)?.style ?? "openai"
  const { baseUrl, auth, headers, namedBy } = base
  const apiKeyEnv = auth === "none" ? undefined : keyVariable(url, base, sources)
  return {
    kind: "chosen",
    endpoint: {
      kind: "http",
      baseUrl,
      style,
      model,
      ...(apiKeyEnv ? { apiKeyEnv } : {}),
      ...(auth ? { auth } : {}),
      ...(headers ? { headers } : {}),
      ...(namedBy ? { namedBy } : {}),
    },
  }
}

/** The places that decide of each part of the endpoint. */
function decidingLayers(sources: EndpointSources) {
  const layers = layersOf(sources)
  const base = layers.find((layer) => layer.baseUrl !== undefined)
  const usable = layers.filter((layer) => layer === base || layer.from !== "profile")
  const modelOf = usable.find((layer) => layer.model !== undefined)
  const styleOf = usable.find((layer) => layer.style !== undefined)
  return { base, modelOf, styleOf }
}

/** Where each part of the endpoint is said, in words; `undefined` for what nothing says. */
export interface EndpointOrigins {
  baseUrl: string | undefined
  model: string | undefined
  style: string | undefined
}

/**
 * Tells where the parts come from that {@link chooseEndpoint} chooses.
 *
 * @throws ToolnexusError as it does
 */
export function endpointOrigins(sources: EndpointSources): EndpointOrigins {
  const { base, modelOf, styleOf } = decidingLayers(sources)
  const origin = (layer: Layer | undefined, option: string, variable: string) =>
    layer?.from === "flags" ? option : layer?.from === "environment" ? variable : layer?.place
  return {
    baseUrl: origin(base, "--base-url", "TOOLNEXUS_BASE_URL"),
    model: origin(modelOf, "--model", "TOOLNEXUS_MODEL"),
    style: origin(styleOf, "--style", "TOOLNEXUS_STYLE"),
  }
}

/**
 * The key, read from its variable, or `undefined` where the endpoint gets none.
 *
 * @throws ToolnexusError `configuration` naming the variable when it is not set
 */
export function readKey(endpoint: Endpoint, env: EndpointSources["env"]): string | undefined {
  if (endpoint.kind === "demo" || endpoint.apiKeyEnv === undefined) return undefined
  const key = env[endpoint.apiKeyEnv]
  if (key) return key
  throw new ToolnexusError(
    "configuration",
    `the key is read from the variable ${endpoint.apiKeyEnv}, which is not set: set it, or name another with --api-key-env`,
  )
}

/** The error of a run that has no endpoint: the ways to name one, a line each where lines are printed. */
export function noEndpoint(missing: readonly string[], configurationFile: string): ToolnexusError {
  const ways = [
    "give --base-url URL and --model NAME",
    "set TOOLNEXUS_BASE_URL and TOOLNEXUS_MODEL (and TOOLNEXUS_API_KEY)",
    `put a profile into ${configurationFile}`,
    "try --model demo, which needs nothing",
  ]
  const fact = `no endpoint is configured (missing: ${missing.join(" and ")})`
  return new ToolnexusError("configuration", `${fact}: ${ways.join(", or ")}`, { details: { fact, ways } })
}

function layersOf(sources: EndpointSources): Layer[] {
  const { flags, env, agentModel, remembered, projects = [], user } = sources
  const places = [...projects.map((place) => ({ ...place, namedBy: "project" as const })), user]
  const profile = (name: string | undefined, rank: Layer["rank"], known: readonly Place[] = places): Layer[] =>
    name === undefined ? [] : [{ from: "profile", rank, ...profileNamed(name, known) }]
  return [
    { from: "flags", place: "options", rank: "flag", baseUrl: flags.baseUrl, style: flags.style, model: flags.model },
    { from: "agent", place: "--agent", rank: "flag", model: agentModel },
    ...profile(flags.profile, "flag"),
    ...rememberedLayer(remembered, flags),
    {
      from: "environment",
      place: "variables",
      rank: "environment",
      baseUrl: env.TOOLNEXUS_BASE_URL || undefined,
      style: styleIn(env),
      model: env.TOOLNEXUS_MODEL || undefined,
    },
    ...profile(env.TOOLNEXUS_PROFILE || undefined, "environment"),
    // The name that a file uses is its own, or one of a file that counts less.
    ...places.flatMap((place, at) => profile(place.profile, "configuration", places.slice(at))),
  ]
}

type Place = ProfilesFile & { namedBy?: "project" }

function styleIn({ TOOLNEXUS_STYLE: style }: EndpointSources["env"]): StyleName | undefined {
  if (style === undefined || style === "") return undefined
  if (style === "openai" || style === "anthropic") return style
  throw new ToolnexusError(
    "configuration",
    `TOOLNEXUS_STYLE is ${JSON.stringify(style)}: it must be openai or anthropic: set it to one of them, or give --style`,
  )
}

/** A run goes on where it was, unless flags name another address. */
function rememberedLayer(remembered: Endpoint | undefined, flags: EndpointFlags): Layer[] {
  if (remembered?.kind === "http") return [{ ...remembered, ...REMEMBERED }]
  const isElsewhere = flags.baseUrl !== undefined || flags.profile !== undefined
  return remembered && !isElsewhere ? [{ ...REMEMBERED, model: "demo" }] : []
}

const REMEMBERED = { from: "remembered", place: "what is remembered of the run", rank: "flag" } as const

function profileNamed(name: string, places: readonly Place[]): Profile & Pick<Layer, "namedBy" | "place"> {
  const place = places.find(({ profiles }) => profiles.has(name))
  const profile = place?.profiles.get(name)
  if (place && profile)
    return {
      ...profile,
      place: `the profile ${name} of ${place.file}`,
      ...(place.namedBy ? { namedBy: place.namedBy } : {}),
    }
  const known = [...new Set(places.flatMap(({ profiles }) => [...profiles.keys()]))]
  const there =
    known.length === 0 ? "there is none: add it, or give --base-url and --model" : `name one of ${known.join(", ")}`
  const files = places.map(({ file }) => file).join(", ")
  throw new ToolnexusError("configuration", `no profile ${JSON.stringify(name)} in ${files}: ${there}`)
}

function demo(flags: EndpointFlags): EndpointChoice {
  if (flags.baseUrl !== undefined) {
    throw new ToolnexusError("usage", "--model demo is the built-in model and has no address: leave --base-url out")
  }
  return { kind: "chosen", endpoint: { kind: "demo" } }
}

function missingOf(base: Layer | undefined, model: string | undefined): ("base URL" | "model")[] {
  return [...(base ? [] : (["base URL"] as const)), ...(model === undefined ? (["model"] as const) : [])]
}

/** The variable that holds the key of this host, or `undefined`: then it gets none. */
function keyVariable(url: URL, base: Layer, { flags, env }: EndpointSources): string | undefined {
  if (flags.apiKeyEnv !== undefined) return flags.apiKeyEnv
  if ((base.rank === "flag" || base.namedBy === "project") && base.apiKeyEnv !== undefined) return base.apiKeyEnv
  // That is the key of an address that the person chose themselves.
  if (env.TOOLNEXUS_API_KEY && base.namedBy !== "project") return "TOOLNEXUS_API_KEY"
  if (base.apiKeyEnv !== undefined) return base.apiKeyEnv
  const own = providerAt(url)?.apiKeyEnv // to its provider's own host, encrypted, and nowhere else
  return own !== undefined && env[own] ? own : undefined
}
