import { providerAt } from "../index.ts"
import { chooseEndpoint, type EndpointSources } from "./endpoint-settings.ts"
import type { Io } from "./io.ts"
import type { JudgedProject } from "./judged-projects.ts"
import type { Origin, SettingRow } from "./setting-rows.ts"
import type { Settings } from "./settings.ts"

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
  const ofProfile = profileOrigin(sources, judged)
  if (endpoint.kind === "demo") return [row("model", "demo", said("MODEL") ?? ofProfile)]
  const { baseUrl, model, style, apiKeyEnv } = endpoint
  const isKnown = style === (providerAt(new URL(baseUrl))?.style ?? "openai")
  const keyOrigin: Origin =
    apiKeyEnv === "TOOLNEXUS_API_KEY"
      ? { is: "environment", variable: apiKeyEnv }
      : said("BASE_URL")
        ? { is: "default" }
        : ofProfile
  return [
    row("baseUrl", baseUrl, said("BASE_URL") ?? ofProfile),
    row("model", model, said("MODEL") ?? ofProfile),
    row("style", style, said("STYLE") ?? (isKnown ? { is: "default" } : ofProfile)),
    ...(apiKeyEnv === undefined ? [] : [row("apiKeyEnv", apiKeyEnv, keyOrigin)]),
  ]
}

/** The file of the profile that names the endpoint. */
function profileOrigin({ env, user, projects = [] }: EndpointSources, judged: readonly JudgedProject[]): Origin {
  const places = [...projects, user]
  const name = env.TOOLNEXUS_PROFILE || places.find(({ profile }) => profile !== undefined)?.profile
  const at = places.findIndex(({ profiles }) => name !== undefined && profiles.has(name))
  const project = judged[at]
  if (!project) return { is: "user", file: user.file }
  return { is: "project", file: project.project.settings.file, trust: "trusted" }
}
