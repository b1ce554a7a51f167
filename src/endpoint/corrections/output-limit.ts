import type { Body, Correction } from "./correction.ts"
import { refusedNames, statementsOf } from "./refused-names.ts"

const NAMES = ["max_tokens", "max_completion_tokens"] as const

/**
 * How a request's limit of output tokens has to be told, or how low it has to be, where an error says so.
 *
 * @param said the error's words
 * @returns `undefined` where it is not about that
 */
export function correctedLimit(said: string, body: Body): Correction | undefined {
  const name = NAMES.find((one) => typeof body[one] === "number")
  if (name === undefined) return undefined
  const allowed = allowedTokens(said, Number(body[name]))
  if (allowed) {
    const { holds, tokens } = allowed
    return { holds, leftOut: [], correct: (later) => ({ ...later, [name]: Math.min(tokens, Number(later[name])) }) }
  }
  const other = name === "max_tokens" ? "max_completion_tokens" : "max_tokens"
  const isNamed = statementsOf(said).some((statement) => new RegExp(`\\b${other}\\b`).test(statement))
  if (!isNamed && refusedNames(said, [name]).length === 0) return undefined
  return { holds: "always", leftOut: [], correct: (later) => renamed(later, name, other) }
}

interface Allowed {
  holds: Correction["holds"]
  tokens: number
}

/** What an endpoint would take, in the words of those that say so. */
function allowedTokens(said: string, asked: number): Allowed | undefined {
  const text = said.replace(/(?<=\d),(?=\d{3})/g, "")
  if (!IS_ABOUT_IT.test(text)) return undefined
  const about = statementsOf(text).filter((statement) => IS_ABOUT_IT.test(statement))
  const found = [comparison(text), ...about.map(mostIn)]
  return found.find((allowed) => allowed !== undefined && allowed.tokens > 0 && allowed.tokens < asked)
}

const IS_ABOUT_IT = /max_(completion_|new_)?tokens|(completion|output) tokens|in the completion/i

/** "190000 + 21333 > 200000", "8192 > 4096 - 25": the input takes its share; "8192 > 4096": it is the model's own limit. */
function comparison(text: string): Allowed | undefined {
  const sum = /(\d+) *\+ *\d+ *> *(\d+)/.exec(text)
  if (sum) return { holds: "this time", tokens: Number(sum[2]) - Number(sum[1]) }
  const shares = /context length is (\d+)\D.*\((\d+) in the messages, \d+ in the completion\)/s.exec(text)
  if (shares) return { holds: "this time", tokens: Number(shares[1]) - Number(shares[2]) }
  const most = /\d+ *> *(\d+)(?: *- *(\d+))?/.exec(text)
  if (!most) return undefined
  return { holds: most[2] ? "this time" : "always", tokens: Number(most[1]) - Number(most[2] ?? 0) }
}

function mostIn(statement: string): Allowed | undefined {
  const range = /range\D{0,40}\d+\D{1,5}(\d+)/.exec(statement) // "the valid range of max_tokens is [1, 8192]"
  const most = /(?:at most|up to|less than or equal to|<=?|maximum|max(?!_)|limit)\b\D{0,40}(\d+)/i.exec(statement)
  const digits = range?.[1] ?? most?.[1]
  return digits === undefined ? undefined : { holds: "always", tokens: Number(digits) }
}

// In its place: what an endpoint caches is a prefix.
function renamed(body: Body, from: string, to: string): Body {
  return Object.fromEntries(Object.entries(body).map(([key, value]) => [key === from ? to : key, value]))
}
