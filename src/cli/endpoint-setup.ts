import type { StyleName } from "../index.ts"
import type { Profile } from "./configuration.ts"
import type { Io } from "./io.ts"
import { configurationFolder } from "./place.ts"
import type { TerminalDevice } from "./terminal/device.ts"

/** What a person is spared typing. */
interface Provider {
  name: string
  baseUrl?: string
  style?: StyleName
  apiKeyEnv: string
}

const PROVIDERS: readonly Provider[] = [
  { name: "OpenAI", baseUrl: "https://api.openai.com/v1", style: "openai", apiKeyEnv: "OPENAI_API_KEY" },
  { name: "Anthropic", baseUrl: "https://api.anthropic.com", style: "anthropic", apiKeyEnv: "ANTHROPIC_API_KEY" },
  { name: "OpenRouter", baseUrl: "https://openrouter.ai/api/v1", style: "openai", apiKeyEnv: "OPENROUTER_API_KEY" },
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
 * Asks for an endpoint, step by step, and saves it as the profile that is used from now on. No key is asked for: only the
 * name of the variable that holds it.
 *
 * @returns `undefined` where the person stopped, or the terminal ended; then nothing is saved
 */
export async function setUpEndpoint(io: Io): Promise<SetUp | undefined> {
  const { input, select } = await import("@inquirer/prompts")
  const ask = <T>(prompt: (context: Context) => Promise<T>) => withTerminal(io.terminal.open, prompt)
  const filled = (text: string) => text.trim() !== "" || "Type something, or press Ctrl-C to stop."

  const choices = PROVIDERS.map((provider) => ({ name: provider.name, value: provider }))
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
  const message = "The variable that holds its key (empty: none):"
  const named = { message, default: provider.apiKeyEnv, validate: isVariable }
  const apiKeyEnv = await ask((context) => input(named, context))
  if (apiKeyEnv === undefined) return undefined
  return save({ baseUrl: baseUrl.trim(), style, model: model.trim(), ...(apiKeyEnv ? { apiKeyEnv } : {}) }, io)
}

interface Context {
  input: TerminalDevice["input"]
  output: TerminalDevice["output"]
}

/**
 * One prompt on a terminal of its own: the library ends the streams it is given, and never settles at the end of input.
 */
async function withTerminal<T>(
  open: Io["terminal"]["open"],
  ask: (context: Context) => Promise<T>,
): Promise<T | undefined> {
  const device = open()
  if (!device) return undefined
  const { input, output } = device
  const ended = new Promise<undefined>((resolve) => {
    for (const event of ["end", "close", "error"]) input.once(event, () => resolve(undefined))
    output.once("error", () => resolve(undefined))
  })
  try {
    return await Promise.race([ask({ input, output }), ended])
  } catch (error) {
    if (error instanceof Error && error.name === "ExitPromptError") return undefined // Ctrl-C: the person stopped
    throw error
  } finally {
    input.setRawMode(false)
    input.destroy()
    output.destroy()
  }
}

function isAddress(text: string): true | string {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  return url?.protocol === "https:" || url?.protocol === "http:" || "It must begin with https:// or http://."
}

function isVariable(text: string): true | string {
  return /^([A-Za-z_][A-Za-z0-9_]*)?$/.test(text) || "That is no name of a variable (the key itself is not stored)."
}

async function save(profile: Profile, io: Io): Promise<SetUp> {
  const { default: Conf } = await import("conf")
  const conf = new Conf({ projectName: "toolnexus", cwd: configurationFolder(io), configFileMode: 0o600 })
  conf.set(`profiles.${PROFILE_NAME}`, profile)
  conf.set("profile", PROFILE_NAME)
  return { name: PROFILE_NAME, profile, file: conf.path }
}
