/**
 * Why a text is no JSON, and where. On one line, and without a word of what the text says: it may be no business of a log.
 *
 * @param text what `JSON.parse` refused
 * @example jsonProblem("[\n1 2]") // "line 2, column 3: a comma or ] must stand here"
 */
export function jsonProblem(text: string): string {
  if (text.trim() === "") return "it is empty"
  const misplaced = walk(text, () => {})
  return misplaced ? `${placeIn(text, misplaced.at)}: ${misplaced.fact}` : "it cannot be read"
}

/**
 * What a text that a person wrote says as JSON. A name that is said twice in one object is a mistake: of two rules one would be lost.
 *
 * @param refuse makes the error of what is wrong: `is not JSON (...)`
 */
export function parsedJson(text: string, refuse: (fact: string) => Error): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw refuse(`is not JSON (${jsonProblem(text)})`)
  }
  const repeated = repeatedNameIn(text)
  if (repeated === undefined) return value
  throw refuse(`says a name twice in one object (${repeated}), and only one of them would count`)
}

/** Where an object says a name a second time; `JSON.parse` takes the last one without a word. */
function repeatedNameIn(text: string): string | undefined {
  let place: string | undefined
  walk(text, (name, at, names) => {
    if (names.has(name)) place ??= placeIn(text, at)
    names.add(name)
  })
  return place
}

function placeIn(text: string, at: number): string {
  const before = text.slice(0, at).split("\n")
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

interface Misplaced {
  at: number
  fact: string
}

type OnName = (name: string, at: number, names: Set<string>) => void

/** What is begun and not ended. */
type Open = { mark: "["; names?: never } | { mark: "{"; names: Set<string> }

/** The text's tokens, up to the first that cannot stand where it does. */
function walk(text: string, onName: OnName): Misplaced | undefined {
  const open: Open[] = []
  let expected: Expected = "value"
  for (let next = 0; ; ) {
    const at = matchEnd(/[ \t\r\n]*/y, text, next) ?? next
    if (at === text.length && expected === "comma" && open.length === 0) return undefined
    if (at === text.length) return { at, fact: "it ends here and is not complete" }
    const token = tokenAt(text, at)
    if ("fact" in token) return token
    const inside = open.at(-1)
    if (token.mark === "string" && /key$/.test(expected) && inside?.names)
      onName(JSON.parse(text.slice(at, token.end)), at, inside.names)
    const then = after(token.mark, expected, open)
    if (then === undefined) return { at, fact: mustStand(expected, inside) }
    expected = then
    next = token.end
  }
}

/** `other`: what begins no token. */
type Mark = "string" | "value" | "other" | "{" | "}" | "[" | "]" | "," | ":"

function tokenAt(text: string, at: number): { mark: Mark; end: number } | Misplaced {
  if (text[at] === '"') return stringAt(text, at)
  const value = matchEnd(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y, text, at)
  if (value !== undefined) return { mark: "value", end: value }
  return { mark: /[[\]{},:]/.test(text[at] ?? "") ? (text[at] as Mark) : "other", end: at + 1 }
}

function stringAt(text: string, start: number): { mark: "string"; end: number } | Misplaced {
  for (let at = start + 1; ; ) {
    const character = text[at]
    if (character === '"') return { mark: "string", end: at + 1 }
    if (character === undefined) return { at: start, fact: "a text begins here and is not ended" }
    if (character < " ") return { at, fact: "a line end or control character in a text must be written as an escape" }
    const next = character === "\\" ? matchEnd(/\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y, text, at) : at + 1
    if (next === undefined) return { at, fact: "this is no escape of JSON" }
    at = next
  }
}

function matchEnd(sticky: RegExp, text: string, at: number): number | undefined {
  sticky.lastIndex = at
  return sticky.test(text) ? sticky.lastIndex : undefined
}

type Expected = "value" | "first value" | "key" | "first key" | "colon" | "comma"

function mustStand(expected: Expected, inside: Open | undefined): string {
  const end = inside?.mark === "{" ? "}" : "]"
  const wanted: Record<Expected, string> = {
    value: "a value",
    "first value": "a value or ]",
    key: "a name in double quotes",
    "first key": "a name in double quotes or }",
    colon: "a colon",
    comma: `a comma or ${end}`,
  }
  return expected === "comma" && !inside ? "it should have ended before" : `${wanted[expected]} must stand here`
}

/** What may follow, or `undefined` where the token may not stand. */
function after(mark: Mark, expected: Expected, open: Open[]): Expected | undefined {
  const inside = open.at(-1)?.mark
  const closed = () => {
    open.pop()
    return "comma" as const
  }
  if (mark === "}" && inside === "{" && (expected === "comma" || expected === "first key")) return closed()
  if (mark === "]" && inside === "[" && (expected === "comma" || expected === "first value")) return closed()
  if (expected === "key" || expected === "first key") return mark === "string" ? "colon" : undefined
  if (expected === "colon") return mark === ":" ? "value" : undefined
  if (expected === "comma") return mark !== "," || !inside ? undefined : inside === "{" ? "key" : "value"
  if (mark === "string" || mark === "value") return "comma"
  if (mark === "{") open.push({ mark, names: new Set() })
  else if (mark === "[") open.push({ mark })
  return mark === "{" ? "first key" : mark === "[" ? "first value" : undefined
}
