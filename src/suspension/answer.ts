import { messageOf, ToolnexusError } from "../tool/error.ts"
import { canonicalJson } from "./canonical-json.ts"
import { isTooDeep } from "./depth.ts"
import { isRecord, typeName } from "./request.ts"

/** The reply to a request: plain data. */
export interface Answer {
  /** The id of the request that it answers. */
  id: string
  /** Satisfied, or not (declined, cancelled, expired). */
  ok: boolean
  /** `output`, `results`, `note`, `input`, `digest`, `by`. */
  data?: Record<string, unknown>
  /** Why not. Made here: `declined`, `cancelled`, `expired`; any other is kept and means declined. */
  reason?: string
}

/** The result of one relayed call, for {@link answerResults}. */
export interface RelayResult {
  id: string
  output: string
  isError?: boolean
}

/** Where an answer's `data` holds one text. */
export const OUTPUT_KEY = "output"
/** Where it holds one result for each of several relayed calls. */
export const RESULTS_KEY = "results"
/** The keys that hold a result, in order of precedence. */
export const RECOGNISED_KEYS: readonly ["results", "output"] = [RESULTS_KEY, OUTPUT_KEY]

/**
 * The answer that carries a person's typed string, or a tool's real output.
 *
 * @param id the request's id
 * @param output the text; a result is never guessed, so nothing but a string will do
 * @throws TypeError when `output` is no string, or `id` is empty or no string
 * @example answerOutput("req-1", "staging") // { id: "req-1", ok: true, data: { output: "staging" } }
 */
export function answerOutput(id: string, output: string): Answer {
  requireId(id)
  if (typeof output !== "string") throw new TypeError(`output must be a string, got ${typeName(output)}`)
  return { id, ok: true, data: { [OUTPUT_KEY]: output } }
}

/**
 * The answer that says no.
 *
 * @param id the request's id
 * @param reason `declined`, `cancelled`, `expired`, or words of your own
 * @throws TypeError when `id` is empty or no string
 * @example answerDeclined("req-1") // { id: "req-1", ok: false, reason: "declined" }
 */
export function answerDeclined(id: string, reason = "declined"): Answer {
  requireId(id)
  if (typeof reason !== "string") throw new TypeError(`reason must be a string, got ${typeName(reason)}`)
  return { id, ok: false, reason }
}

/**
 * The answer to several relayed calls that ride on one request.
 *
 * @param id the request's id
 * @param results one entry a call, by the call's id; a call that is left out gets an error result
 * @throws TypeError when `id` is empty, or `results` is no list of `{ id, output, isError? }`
 * @example answerResults("req-1", [{ id: "c1", output: "sunny" }])
 */
export function answerResults(id: string, results: RelayResult[]): Answer {
  requireId(id)
  const problem = problemOfResults(results)
  if (problem) throw new TypeError(problem)
  return { id, ok: true, data: { [RESULTS_KEY]: results } }
}

/**
 * The text under `output`, or `undefined`. Other keys are never guessed.
 *
 * @example outputOf(answerOutput("req-1", "staging")) // "staging"
 */
export function outputOf(answer: Answer): string | undefined {
  const output = own(answer.data, OUTPUT_KEY)
  return typeof output === "string" ? output : undefined
}

/** The list under `results`, or `undefined`. */
export function resultsOf(answer: Answer): RelayResult[] | undefined {
  const results = own(answer.data, RESULTS_KEY)
  return problemOfResults(results) ? undefined : (results as RelayResult[])
}

/** A person's words for the model, or `undefined`. */
export function noteOf(answer: Answer): string | undefined {
  const note = own(answer.data, "note")
  return typeof note === "string" && note !== "" ? note : undefined
}

/**
 * Whether the answer holds a result that can be read.
 *
 * @example hasRecognisedKey({ id: "req-1", ok: true, data: { value: "x" } }) // false
 */
export function hasRecognisedKey(answer: Answer): boolean {
  return RECOGNISED_KEYS.some((key) => own(answer.data, key) !== undefined)
}

/** Whether two answers say the same, key order aside. */
export function sameAnswer(a: Answer, b: Answer): boolean {
  const plain = ({ id, ok, reason, data }: Answer) => canonicalJson({ id, ok, reason, data })
  return plain(a) === plain(b)
}

/**
 * Checks data that crossed a boundary and is said to be an answer.
 *
 * @param value what came in, for instance from `JSON.parse`
 * @returns the answer
 * @throws ToolnexusError `invalid_answer`, naming the field that is wrong, or a member that answers do not have
 * @example parseAnswer(JSON.parse('{"id":"req-1","ok":true}')) // { id: "req-1", ok: true }
 */
export function parseAnswer(value: unknown): Answer {
  const answer = readAnswer(value)
  requireOnly("answer", value, ["id", "ok", "data", "reason"])
  for (const [at, result] of (resultsOf(answer) ?? []).entries())
    requireOnly(`answer.data.results[${at}]`, result, ["id", "output", "isError"])
  return answer
}

/** A member that is misspelt must not silently be none. */
function requireOnly(what: string, value: unknown, known: readonly string[]): void {
  const members = Object.entries(Object(value)).flatMap(([name, it]) => (it === undefined ? [] : [name]))
  const unknown = members.filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw invalid(`${what} has members that it cannot have (${unknown.join(", ")}): it holds ${known.join(", ")}`)
}

/**
 * An answer that was recorded, perhaps by a later version, which knows more members.
 *
 * @returns the answer, unknown members dropped
 */
export function readAnswer(value: unknown): Answer {
  if (!isRecord(value)) throw invalid(`an answer must be an object, got ${typeName(value)}`)
  const { id, ok, data, reason } = value
  if (typeof id !== "string") throw invalid(`answer.id must be a string, got ${typeName(id)}`)
  if (id === "") throw invalid("answer.id must not be empty: id is required")
  if (typeof ok !== "boolean") throw invalid(`answer.ok must be true or false, got ${shown(ok)}`)
  const answer: Answer = { id, ok }
  if (data !== undefined) answer.data = parseData(data)
  if (reason !== undefined) answer.reason = parseReason(reason)
  return answer
}

function parseData(data: unknown): Record<string, unknown> {
  if (isTooDeep(data)) throw invalid("answer.data is nested too deeply")
  if (!isRecord(data)) throw invalid(`answer.data must be an object, got ${typeName(data)}`)
  requireJson(data)
  const output = own(data, OUTPUT_KEY)
  if (output !== undefined && typeof output !== "string") {
    throw invalid(`answer.data.output must be a string, got ${typeName(output)}: build it with answerOutput(id, text)`)
  }
  const results = own(data, RESULTS_KEY)
  const problem = results === undefined ? undefined : problemOfResults(results)
  if (problem) throw invalid(`answer.data.${problem}`)
  for (const key of ["note", "digest", "by"] as const) {
    const value = own(data, key)
    if (value !== undefined && typeof value !== "string") {
      throw invalid(`answer.data.${key} must be a string, got ${typeName(value)}`)
    }
  }
  return data
}

// `"false"` and `0` are what people write.
function shown(value: unknown): string {
  const text = typeof value === "object" ? undefined : JSON.stringify(value)
  return text === undefined || text.length > 20 ? typeName(value) : text
}

/** An answer is recorded: what JSON cannot hold is found before anything is made of it. */
function requireJson(data: Record<string, unknown>): void {
  try {
    JSON.stringify(data)
  } catch (error) {
    throw invalid(`answer.data must be plain JSON data: ${messageOf(error)}`)
  }
}

function parseReason(reason: unknown): string {
  if (typeof reason === "string") return reason
  throw invalid(`answer.reason must be a string, got ${typeName(reason)}`)
}

function problemOfResults(results: unknown): string | undefined {
  if (!Array.isArray(results)) return `results must be a list, got ${typeName(results)}`
  for (const [at, entry] of results.entries()) {
    if (!isRecord(entry)) return `results[${at}] must be an object, got ${typeName(entry)}`
    if (typeof entry.id !== "string" || entry.id === "") return `results[${at}].id must be a non-empty string`
    if (typeof entry.output !== "string") return `results[${at}].output must be a string, got ${typeName(entry.output)}`
    if (entry.isError !== undefined && typeof entry.isError !== "boolean") {
      return `results[${at}].isError must be true or false`
    }
  }
  return undefined
}

function requireId(id: unknown): void {
  if (typeof id !== "string" || id === "") throw new TypeError("id is required: the id of the request that is answered")
}

function own(data: Record<string, unknown> | undefined, key: string): unknown {
  return data !== undefined && Object.hasOwn(data, key) ? data[key] : undefined
}

function invalid(message: string): ToolnexusError {
  return new ToolnexusError("invalid_answer", message)
}
