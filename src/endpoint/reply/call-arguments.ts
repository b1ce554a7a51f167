import { isRecord, typeName } from "../../suspension/request.ts"
import { messageOf } from "../../tool/error.ts"

/** Arguments that can run, or valid JSON in their place and why the call cannot. */
export interface RepairedArguments {
  /** JSON text of an object. */
  text: string
  /** In words for the model. */
  problem?: string
}

const NONE: RepairedArguments = { text: "{}" }

/**
 * Reads what an endpoint sent as a call's arguments. Blank and `null` are `{}`, an object is its JSON text, a JSON string
 * that holds an object is unwrapped once; nothing is completed or guessed.
 *
 * @example repairArguments('{"a":') // { text: "{}", problem: "The arguments are not valid JSON (...)..." }
 */
export function repairArguments(raw: unknown): RepairedArguments {
  if (raw === undefined || raw === null) return NONE
  if (isRecord(raw)) return { text: JSON.stringify(raw) }
  if (typeof raw !== "string") return noObject(raw)
  if (raw.trim() === "") return NONE
  const parsed = parse(raw)
  if ("problem" in parsed) return { text: "{}", problem: parsed.problem }
  if (isRecord(parsed.value)) return { text: raw }
  if (parsed.value === null) return NONE
  return typeof parsed.value === "string" ? unwrap(parsed.value) : noObject(parsed.value)
}

/** Whether a text is the JSON of an object, or of a string that holds one. */
export function holdsObject(text: string): boolean {
  return repairArguments(text).problem === undefined
}

/**
 * The arguments from their pieces: fragments, unless only another reading gives an object: each piece repeats all so far
 * (a buffer sent again, a growing prefix), or an empty object stood for those to come. No two of them can both be JSON.
 */
export function joinArguments(pieces: readonly string[]): string {
  const joined = pieces.join("")
  if (pieces.length < 2 || holdsObject(joined)) return joined
  if (pieces[0]?.trim() === "{}") return joinArguments(pieces.slice(1))
  let grown = ""
  for (const piece of pieces) grown = piece.length >= grown.length && piece.startsWith(grown) ? piece : grown + piece
  return holdsObject(grown) ? grown : joined
}

function unwrap(inner: string): RepairedArguments {
  if (inner.trim() === "") return NONE
  const parsed = parse(inner)
  return "value" in parsed && isRecord(parsed.value) ? { text: inner } : noObject(inner)
}

function parse(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    const problem = `The arguments are not valid JSON (${messageOf(error)}), so the call was not run. Send one JSON object.`
    return { problem }
  }
}

function noObject(value: unknown): RepairedArguments {
  return { text: "{}", problem: `The arguments must be a JSON object, got ${typeName(value)}. The call was not run.` }
}
