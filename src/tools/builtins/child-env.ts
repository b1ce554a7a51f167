/** The variables that hold the providers' keys: no command needs them, and every command could print them. */
const KEY_VARIABLES = ["TOOLNEXUS_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY"]

/**
 * The environment of a command: this process's own, without keys.
 *
 * @param secretEnv further names that are left out
 */
export function childEnv(env: NodeJS.ProcessEnv, secretEnv: readonly string[]): NodeJS.ProcessEnv {
  const hidden = new Set([...KEY_VARIABLES, ...secretEnv])
  return Object.fromEntries(Object.entries(env).filter(([name]) => !hidden.has(name)))
}
