/** A shorter value would turn up by chance. */
const MIN_LENGTH = 6

/**
 * What takes secrets out of a text, however a server writes them back.
 *
 * @param secrets as they were sent
 */
export function hiding(secrets: readonly string[]): (text: string) => string {
  const spellings = secrets
    .filter((secret) => secret.length >= MIN_LENGTH)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
  const longestFirst = [...new Set(spellings)].sort((a, b) => b.length - a.length)
  return (text) => longestFirst.reduce((clean, spelling) => clean.replaceAll(spelling, "[secret]"), text)
}
