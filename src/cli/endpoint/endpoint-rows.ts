import { providerAt } from "../../index.ts"
import type { Profile } from "../configuration/configuration.ts"
import type { Origin, SettingRow } from "../configuration/setting-rows.ts"
import type { Settings } from "../configuration/settings.ts"
import type { Io } from "../io.ts"
import type { JudgedProject } from "../projects/judged-projects.ts"
import { chooseEndpoint, type EndpointSources } from "./endpoint-settings.ts"

/**
 * The endpoint that a run would have without options; none where none is configured.
 *
 * @throws ToolnexusError `configuration` for what cannot be meant
 */
export function endpointRows({ user, judged }: Settings, io: Io): SettingRow[] {
  const projects = judged.map(({ configuration }) => configuration)
  const sources: EndpointSources = { flags: {}, env: io.env, user, projects }
  const choice = chooseEndpoint(sources)
  if (choice.kind === "missing") return []
  const { endpoint } = choice
  const row = (name: string, value: unknown, from: Origin) => ({ path: ["endpoint", name], value, from })
  const said = (name: "BASE_URL" | "MODEL" | "STYLE"): Origin | undefined =>
    io.env[`TOOLNEXUS_${name}`] ? { is: "environment", variable: `TOOLNEXUS_${name}` } : undefined
  const named = profileInForce(sources, judged)
  const ofProfile = named.from
  if (endpoint.kind === "demo") return [row("model", "demo", said("MODEL") ?? ofProfile)]
  const { baseUrl, model, style, apiKeyEnv } = endpoint
  const isKnown = style === (providerAt(new URL(baseUrl))?.style ?? "openai")
  return [
    row("baseUrl", baseUrl, said("BASE_URL") ?? ofProfile),
    row("model", model, said("MODEL") ?? ofProfile),
    row("style", style, said("STYLE") ?? (isKnown ? { is: "default" } : ofProfile)),
    ...(apiKeyEnv === undefined ? [] : [row("apiKeyEnv", apiKeyEnv, keyOrigin(apiKeyEnv, named))]),
  ]
}

/** A profile that may name the endpoint, and the file that has it. */
interface NamedProfile {
  from: Origin
  profile: Profile | undefined
}

function profileInForce({ env, user, projects = [] }: EndpointSources, judged: readonly JudgedProject[]): NamedProfile {
  const places = [...projects, user]
  const name = env.TOOLNEXUS_PROFILE || places.find(({ profile }) => profile !== undefined)?.profile
  const at = places.findIndex(({ profiles }) => name !== undefined && profiles.has(name))
  const profile = name === undefined ? undefined : places[at]?.profiles.get(name)
  const file = judged[at]?.project.settings.file
  const from: Origin = file === undefined ? { is: "user", file: user.file } : { is: "project", file, trust: "trusted" }
  return { from, profile }
}

/** A variable that no profile names is a provider's own, or the one for any address of the person's. */
function keyOrigin(apiKeyEnv: string, { from, profile }: NamedProfile): Origin {
  if (apiKeyEnv === "TOOLNEXUS_API_KEY" && profile?.apiKeyEnv !== apiKeyEnv) {
    return { is: "environment", variable: apiKeyEnv }
  }
  return profile?.apiKeyEnv === apiKeyEnv ? from : { is: "default" }
}
