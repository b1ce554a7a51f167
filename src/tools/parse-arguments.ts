import { isRecord, typeName } from "../suspension/request.ts"
import { messageOf } from "../tool/error.ts"

/** What a call's raw arguments are: an object, or a problem in words for the model. */
export type ParsedArguments = { input: Record<string, unknown>; problem?: never } | { problem: string; input?: never }

/** Deeper nesting breaks what walks over values recursively, `JSON.stringify` among it. */
const MAX_DEPTH = 200

/**
 * Reads the raw JSON text that a model sent as a call's arguments. Nothing is repaired or coerced.
 *
 * @param raw the text; `""` (and white space) is `{}`
 * @returns the object, or why the call cannot run: no JSON, no object, nested too deeply, or a number that would be changed
 * @example parseArguments('{"id": 9007199254740993}') // { problem: "..." }
 */
export function parseArguments(raw: string): ParsedArguments {
  if (raw.trim() === "") return { input: {} }
  let value: unknown
  try {
    value = JSON.parse(raw)
  } catch (error) {
    return { problem: `The arguments are not valid JSON (${messageOf(error)}). Send one JSON object.` }
  }
  if (!isRecord(value)) return { problem: `The arguments must be a JSON object, got ${typeName(value)}.` }
  const problem = problemOfText(raw)
  return problem === undefined ? { input: value } : { problem }
}

const TOKENS = /-?\d[\d.eE+-]*|[[{]|[\]}]/g

/** What parsing loses is only in the text. A short one without long numbers or exponents loses nothing. */
function problemOfText(json: string): string | undefined {
  if (json.length <= MAX_DEPTH && !/\d{16}|\d[eE]/.test(json)) return undefined
  let depth = 0
  for (const between of outsideStrings(json)) {
    for (const [token] of between.matchAll(TOKENS)) {
      if (token === "[" || token === "{") depth++
      else if (token === "]" || token === "}") depth--
      else if (!survives(token)) return unsafeNumber(token)
      if (depth > MAX_DEPTH) return `The arguments are nested more than ${MAX_DEPTH} levels deep.`
    }
  }
  return undefined
}

/** The pieces of a valid JSON text that are in no string. (One regular expression for all would run out of stack on long strings.) */
function* outsideStrings(json: string): Generator<string> {
  let at = 0
  for (let quote = json.indexOf('"'); quote >= 0; quote = json.indexOf('"', at)) {
    yield json.slice(at, quote)
    at = endOfString(json, quote) + 1
  }
  yield json.slice(at)
}

function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1)
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end
}

function isEscaped(json: string, at: number): boolean {
  let backslashes = 0
  while (json[at - 1 - backslashes] === "\\") backslashes++
  return backslashes % 2 === 1
}

function unsafeNumber(token: string): string {
  const shown = token.length > 60 ? `${token.slice(0, 60)}...` : token
  return `The arguments hold the number ${shown}, which cannot be held exactly and would be changed. Send it as a string if the tool takes one.`
}

// A number with an exponent is meant as a measure: it may be rounded, but not become infinite.
function survives(token: string): boolean {
  const value = Number(token)
  if (!Number.isFinite(value)) return false
  const whole = /^(-?\d+)(?:\.0+)?$/.exec(token)?.[1]
  if (whole === undefined || Number.isSafeInteger(value)) return true
  return BigInt(whole) === BigInt(value)
}
