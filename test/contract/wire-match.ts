/** What letters of `$as:x` stand for, found on the way. */
export type Names = ReadonlyMap<string, string>

/**
 * Whether a value holds what a pattern of a wire case says: objects hold at least those members, lists exactly those.
 *
 * @returns the letters' values, with what this match adds; `undefined` where it does not match
 */
export function match(pattern: unknown, value: unknown, names: Names): Names | undefined {
  if (typeof pattern === "string") return matchText(pattern, value, names)
  if (Array.isArray(pattern)) {
    if (!Array.isArray(value) || value.length !== pattern.length) return undefined
    return matchAll(
      pattern.map((part, at) => [part, value[at]]),
      names,
    )
  }
  if (!isObject(pattern)) return Object.is(pattern, value) ? names : undefined
  if (!isObject(value)) return undefined
  return matchAll(
    Object.entries(pattern).map(([key, part]) => [part, value[key]]),
    names,
  )
}

function matchAll(pairs: readonly (readonly [unknown, unknown])[], names: Names): Names | undefined {
  let found: Names | undefined = names
  for (const [part, value] of pairs) found = found && match(part, value, found)
  return found
}

function matchText(pattern: string, value: unknown, names: Names): Names | undefined {
  if (pattern.startsWith("$anyOf:")) {
    const inner: unknown = JSON.parse(pattern.slice("$anyOf:".length))
    const entries: unknown[] = Array.isArray(value) ? value : []
    return entries.map((entry) => match(inner, entry, names)).find((found) => found !== undefined)
  }
  if (!pattern.startsWith("$")) return pattern === value ? names : undefined
  if (typeof value !== "string") return undefined
  const [, kind, rest = ""] = /^\$(\w+):?([\s\S]*)$/.exec(pattern) ?? []
  switch (kind) {
    case "contains":
      return value.includes(rest) ? names : undefined
    case "re":
      return new RegExp(rest).test(value) ? names : undefined
    case "json":
      return isSameJson(JSON.parse(rest), jsonOf(value)) ? names : undefined
    case "validjson":
      return isObject(jsonOf(value)) ? names : undefined
    case "as":
      return named(rest, value, names)
    default:
      throw new Error(`the wire case holds an unknown pattern: ${pattern}`)
  }
}

/** A letter is one non-empty text everywhere, and two letters are two texts. */
function named(letter: string, value: string, names: Names): Names | undefined {
  const before = names.get(letter)
  if (before !== undefined) return before === value ? names : undefined
  return value === "" || [...names.values()].includes(value) ? undefined : new Map([...names, [letter, value]])
}

/** Whether patterns match messages in this order, others in between. */
export function matchSequence(
  patterns: readonly unknown[],
  messages: readonly unknown[],
  names: Names,
): Names | undefined {
  const [first, ...rest] = patterns
  if (patterns.length === 0) return names
  for (const [at, message] of messages.entries()) {
    const found = match(first, message, names)
    const whole = found && matchSequence(rest, messages.slice(at + 1), found)
    if (whole) return whole
  }
  return undefined
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function isSameJson(a: unknown, b: unknown): boolean {
  return match(a, b, new Map()) !== undefined && match(b, a, new Map()) !== undefined
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // no JSON matches nothing
  }
}
