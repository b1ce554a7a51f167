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
export function expandEnv(text: string, env: Readonly<Record<string, string | undefined>>): Expanded {
  const used: { name: string; value: string }[] = []
  const missing: string[] = []
  const expanded = text.replace(VARIABLE, (_all, name: string, fallback: string | undefined) => {
    const set = Object.hasOwn(env, name) ? env[name] : undefined
    if (set) {
      used.push({ name, value: set })
      return set
    }
    if (fallback === undefined) missing.push(name)
    return fallback ?? ""
  })
  return { text: expanded, used, missing }
}

/**
 * All that is missing for one thing, said at once.
 *
 * @param missing each variable with what names it
 * @example notSetFact([{ name: "A", where: "url" }, { name: "B", where: "args" }]) // "the environment variables A (url) and B (args) are not set"
 */
export function notSetFact(missing: readonly { name: string; where: string }[]): string {
  const names = [...new Set(missing.map(({ name }) => name))]
  const said = names.map((name) => {
    const wheres = missing.filter((it) => it.name === name).map(({ where }) => where)
    return `${name} (${[...new Set(wheres)].join(", ")})`
  })
  const [last = "", ...others] = said.reverse()
  if (others.length === 0) return `the environment variable ${last} is not set`
  return `the environment variables ${others.reverse().join(", ")} and ${last} are not set`
}
