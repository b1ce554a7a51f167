import { PROVIDERS, type Provider } from "../../index.ts"
import { changeConfiguration } from "../configuration/change-configuration.ts"
import type { Profile } from "../configuration/configuration.ts"
import type { Io } from "../io.ts"
import { type Context, withTerminal } from "../terminal/prompt-terminal.ts"
import { addressIn, secretIn } from "./base-url.ts"
import { keyVariableProblem } from "./key-variable.ts"

/** What a person is spared typing. */
type Suggestion = Pick<Provider, "name" | "apiKeyEnv"> & Partial<Pick<Provider, "baseUrl" | "style">>

const SUGGESTIONS: readonly Suggestion[] = [
  ...PROVIDERS,
  { name: "Ollama, on this machine", baseUrl: "http://127.0.0.1:11434/v1", style: "openai", apiKeyEnv: "" },
  { name: "another address", apiKeyEnv: "" },
]

const PROFILE_NAME = "default"

/** An endpoint that a person has set up, and the file that keeps it. */
export interface SetUp {
  /** The profile's in the user's configuration. */
  name: string
  profile: Profile
  file: string
}

/**
 * Asks for an endpoint, step by step, and saves it as the profile that is used from now on.
 *
 * @param signal aborted by a signal to the process: then it stops
 * @returns `undefined` where the person stopped, or the terminal ended; then nothing is saved
 */
export async function setUpEndpoint(io: Io, signal: AbortSignal): Promise<SetUp | undefined> {
  const profile = await askForEndpoint(io, signal)
  return profile && saveEndpoint(profile, io)
}

/**
 * Asks for an endpoint, step by step. No key is asked for: only the name of the variable that holds it.
 *
 * @param signal aborted by a signal to the process: then it stops
 * @returns `undefined` where the person stopped, or the terminal ended
 */
export async function askForEndpoint(io: Io, signal: AbortSignal): Promise<Profile | undefined> {
  const { input, select } = await import("@inquirer/prompts")
  const ask = <T>(prompt: (context: Context) => Promise<T>) => withTerminal(io, signal, prompt)
  const filled = (text: string) => text.trim() !== "" || "Type something, or press Ctrl-C to stop."

  const choices = SUGGESTIONS.map((provider) => ({ name: provider.name, value: provider }))
  const provider = await ask((context) => select({ message: "Where is your model?", choices }, context))
  if (!provider) return undefined
  const baseUrl =
    provider.baseUrl ??
    (await ask((context) => input({ message: "Its address, as in https://HOST/v1:", validate: isAddress }, context)))
  if (baseUrl === undefined) return undefined
  const styles = (["openai", "anthropic"] as const).map((value) => ({ value }))
  const style =
    provider.style ?? (await ask((context) => select({ message: "How does it speak?", choices: styles }, context)))
  if (style === undefined) return undefined
  const model = await ask((context) => input({ message: "The model's name:", validate: filled }, context))
  if (model === undefined) return undefined
  const key = await keyVariable(provider, ask, io)
  if (key === undefined) return undefined
  return { baseUrl: baseUrl.trim(), style, model: model.trim(), ...keySettings(key, provider) }
}

type Ask = <T>(prompt: (context: Context) => Promise<T>) => Promise<T | undefined>

const NO_KEY = "no key"
const OTHER = "another variable"

/** The name of the variable that holds the key; one that is not set is said before anything is saved. */
async function keyVariable(provider: Suggestion, ask: Ask, io: Io): Promise<string | undefined> {
  const { input, select } = await import("@inquirer/prompts")
  const isSet = (name: string) => (io.env[name] ? "it is set" : "it is not set here yet")
  const own = provider.apiKeyEnv
  const choices = [
    ...(own === "" ? [] : [{ name: `in the variable ${own} (${isSet(own)})`, value: own }]),
    ...(own === "" ? [{ name: "it needs no key", value: NO_KEY }] : []),
    { name: own === "" ? "in a variable" : "in another variable", value: OTHER },
    ...(own === "" ? [] : [{ name: "it needs no key", value: NO_KEY }]),
  ]
  while (true) {
    const chosen = await ask((context) => select({ message: "Where is its key?", choices }, context))
    if (chosen === undefined) return undefined
    const message = "The name of the variable that holds its key:"
    const validate = (text: string) => keyVariableProblem(text, io.env) ?? true
    const name = chosen === OTHER ? await ask((context) => input({ message, validate }, context)) : chosen
    if (name === undefined || name === NO_KEY || io.env[name]) return name
    const unset = `${name} is not set here: a run needs it. What now?`
    const wayOn = [
      { name: "Save it so; I set it before I run", value: "save" },
      { name: "Say again where the key is", value: "again" },
    ]
    const next = await ask((context) => select({ message: unset, choices: wayOn }, context))
    if (next !== "again") return next === "save" ? name : undefined
  }
}

/** Where a provider has a variable of its own, its key would be sent although none was wanted. */
function keySettings(key: string, { apiKeyEnv }: Suggestion): Pick<Profile, "apiKeyEnv" | "auth"> {
  if (key !== NO_KEY) return { apiKeyEnv: key }
  return apiKeyEnv === "" ? {} : { auth: "none" }
}

function isAddress(text: string): true | string {
  const url = addressIn(text)
  if (!url) return "It must begin with https:// or http://."
  const secret = secretIn(url)
  return secret === undefined || `It holds ${secret}: leave it out; where the key is, is asked in a moment.`
}

/** Saves an endpoint as the user's profile that is used from now on; one that was made meanwhile keeps its name. */
export function saveEndpoint(profile: Profile, io: Io): Promise<SetUp> {
  return changeConfiguration(io, (configuration) => {
    let name = PROFILE_NAME
    for (let n = 2; configuration.has(`profiles.${name}`); n++) name = `${PROFILE_NAME}-${n}`
    configuration.set(`profiles.${name}`, profile)
    configuration.set("profile", name)
    return { name, profile, file: configuration.path }
  })
}
