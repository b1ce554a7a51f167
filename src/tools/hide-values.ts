/** A value that is for the server alone, and what it is called. */
export interface Secret {
  name: string
  value: string
}

/** Takes what must not be said out of a text. */
export type Hide = (text: string) => string

/** A shorter value would turn up by chance. */
const MIN_LENGTH = 6

/** Texts without these values: each says its name instead. */
export function hideValues(secrets: readonly Secret[]): Hide {
  const known = secrets
    .filter(({ value }) => value.length >= MIN_LENGTH)
    .sort((a, b) => b.value.length - a.value.length)
  return (text) => known.reduce((clean, { name, value }) => clean.replaceAll(value, () => `[${name}]`), text)
}

const SECRET_WORDS =
  /(?:^|[_-])(?:auth\w*|key|token|secret|pass\w*|credentials?|cookie|pat|pwd|bearer)(?:$|[_-])|api_?key/i

/** Whether a header or a variable of this name holds what nobody may read. */
export function looksSecret(name: string): boolean {
  return SECRET_WORDS.test(name)
}
