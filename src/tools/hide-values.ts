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
