/** A text with the environment put in. */
export interface Expanded {
  text: string
  /** The variables that it names, with what stands for each now. */
  used: readonly { name: string; value: string }[]
  /** Those that are not set, or empty, and have no default: the text is of no use. */
  missing: readonly string[]
}

const VARIABLE = /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

/**
 * Puts environment variables into a text from a configuration: `${NAME}`, `${NAME:-default}` and `${env:NAME}`. Whatever
 * else looks like it stays as it is. The values are for where they are used, never for a message or a log.
 *
 * @example expandEnv("Bearer ${TOKEN}", { TOKEN: "t" }).text // "Bearer t"
 */
export function expandEnv(text: string, env: NodeJS.ProcessEnv): Expanded {
  const used: { name: string; value: string }[] = []
  const missing: string[] = []
  const expanded = text.replace(VARIABLE, (_all, name: string, fallback: string | undefined) => {
    const set = env[name]
    if (set) {
      used.push({ name, value: set })
      return set
    }
    if (fallback === undefined) missing.push(name)
    return fallback ?? ""
  })
  return { text: expanded, used, missing }
}
