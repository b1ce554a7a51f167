import { errorText } from "./error-text.ts"

/**
 * Why a text is no JSON, and where. On one line, and without what the text says: it may be no business of a log.
 *
 * @param error what `JSON.parse` threw
 * @example jsonProblem("[\n1 2]", error) // "line 2, column 3: Expected ',' or ']' after array element"
 */
export function jsonProblem(text: string, error: unknown): string {
  if (text.trim() === "") return "it is empty"
  const before = text.slice(0, misplacedAt(text)).split("\n")
  const fact = errorText(error).replace(
    /(?: in JSON)? at position \d+.*$|, (\.\.\.)?".*"(\.\.\.)? is not valid JSON$/,
    "",
  )
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${fact}`
}

const STRING = String.raw`"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"`
const NUMBER = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`

/** Where the first token stands that cannot stand there: `JSON.parse` says it of some mistakes only. */
function misplacedAt(text: string): number {
  const token = new RegExp(String.raw`([ \t\r\n]*)(?:(${STRING})|(${NUMBER}|true|false|null)|([[\]{},:]))`, "y")
  const open: string[] = []
  let expected = "value"
  for (let at = 0; ; at = token.lastIndex) {
    token.lastIndex = at
    const found = token.exec(text)
    if (!found) return at + (/^[ \t\r\n]*/.exec(text.slice(at))?.[0].length ?? 0)
    const [, space = "", string, , mark = string === undefined ? "value" : "string"] = found
    const next = after(mark, expected, open)
    if (next === undefined) return at + space.length
    expected = next
  }
}

/** What may follow, or `undefined` where the token may not stand. */
function after(mark: string, expected: string, open: string[]): string | undefined {
  const inside = open.at(-1)
  const isFirst = expected.startsWith("first ")
  const wanted = expected.replace("first ", "")
  const closed = () => {
    open.pop()
    return "comma"
  }
  if (mark === "}" && inside === "{" && (wanted === "comma" || (isFirst && wanted === "key"))) return closed()
  if (mark === "]" && inside === "[" && (wanted === "comma" || (isFirst && wanted === "value"))) return closed()
  if (wanted === "key") return mark === "string" ? "colon" : undefined
  if (wanted === "colon") return mark === ":" ? "value" : undefined
  if (wanted === "comma") return mark !== "," || !inside ? undefined : inside === "{" ? "key" : "value"
  if (mark === "string" || mark === "value") return "comma"
  if (mark !== "{" && mark !== "[") return undefined
  open.push(mark)
  return mark === "{" ? "first key" : "first value"
}
