/**
 * Whether a text matches a pattern in which `*` stands for any characters, line ends and `/` included.
 * Linear: patterns meet what a model wrote.
 *
 * @example matchesWildcard("mcp:files/*", "mcp:files/read_file") // true
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  const parts = pattern.split("*")
  const first = parts[0] ?? ""
  const last = parts.at(-1) ?? ""
  if (parts.length === 1) return text === pattern
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false
  return endOfMiddle(parts.slice(1, -1), text.slice(0, text.length - last.length), first.length) !== undefined
}

/** Where the parts between two stars end when each is taken at its first place, or `undefined`. */
export function endOfMiddle(parts: readonly string[], text: string, from: number): number | undefined {
  let at = from
  for (const part of parts) {
    const found = text.indexOf(part, at)
    if (found < 0) return undefined
    at = found + part.length
  }
  return at
}
