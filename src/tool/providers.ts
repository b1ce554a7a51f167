import type { StyleName } from "../event/event.ts"

/** A provider of models: where it is, and the variable that by custom holds its key. */
export interface Provider {
  name: string
  baseUrl: string
  style: StyleName
  /** The variable's name: its key is sent to these hosts and nowhere else, and no tool's process is given it. */
  apiKeyEnv: string
  /** Of its endpoints; `*.` in front is any part. */
  hosts: readonly string[]
}

/** Those that are known by name. Everything about a provider stands here: whoever is added is sent no other's key, and leaks none. */
export const PROVIDERS: readonly Provider[] = [
  {
    name: "OpenAI",
    baseUrl: "https://api.openai.com/v1",
    style: "openai",
    apiKeyEnv: "OPENAI_API_KEY",
    hosts: ["api.openai.com", "*.api.openai.com"],
  },
  {
    name: "Anthropic",
    baseUrl: "https://api.anthropic.com",
    style: "anthropic",
    apiKeyEnv: "ANTHROPIC_API_KEY",
    hosts: ["api.anthropic.com"],
  },
  {
    name: "OpenRouter",
    baseUrl: "https://openrouter.ai/api/v1",
    style: "openai",
    apiKeyEnv: "OPENROUTER_API_KEY",
    hosts: ["openrouter.ai"],
  },
]

/** The variables that hold keys: no command needs them, and every command could print them. */
export const KEY_VARIABLES: readonly string[] = ["TOOLNEXUS_API_KEY", ...PROVIDERS.map(({ apiKeyEnv }) => apiKeyEnv)]

/**
 * Whose an address is; nobody's where it is not encrypted.
 *
 * @example providerAt(new URL("https://api.openai.com/v1"))?.apiKeyEnv // "OPENAI_API_KEY"
 */
export function providerAt({ protocol, hostname }: URL): Provider | undefined {
  if (protocol !== "https:") return undefined
  return PROVIDERS.find(({ hosts }) =>
    hosts.some((host) => (host.startsWith("*.") ? hostname.endsWith(host.slice(1)) : hostname === host)),
  )
}
