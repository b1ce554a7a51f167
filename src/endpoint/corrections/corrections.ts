import { isRecord } from "../../suspension/request.ts"
import { wholeCauseOf } from "../errors/error-text.ts"
import type { ProviderError } from "../errors/provider-error.ts"
import type { Body, Correction } from "./correction.ts"
import { withoutForeignThinking } from "./foreign-thinking.ts"
import { correctedLimit } from "./output-limit.ts"
import { refusedNames } from "./refused-names.ts"
import { keywordsIn, withoutKeyword } from "./schema-keywords.ts"

/** What an endpoint has refused and gets no more. */
export interface Corrections {
  /** A request's body without what was refused. */
  apply(body: Body): Body
  /**
   * Looks for what the error names as refused: members of the request, keywords of its tools' schemas. From then on they
   * are left out, or said otherwise.
   *
   * @returns the request that may now succeed, and the names that are left out of it; `undefined` where there is none
   */
  learn(error: ProviderError, body: Body): { body: Body; leftOut: readonly string[] } | undefined
}

export function openCorrections(): Corrections {
  const learnt: Correction[] = []
  return {
    apply: (body) => learnt.reduce((corrected, { correct }) => correct(corrected), body),
    learn(error, body) {
      const correction = error.status === 400 || error.status === 422 ? correctionFor(error, body) : undefined
      if (!correction) return undefined
      if (correction.holds === "always") learnt.push(correction)
      return { body: correction.correct(body), leftOut: correction.leftOut }
    },
  }
}

function correctionFor(error: ProviderError, body: Body): Correction | undefined {
  const said = wholeCauseOf(error.body) || error.message
  const correction = correctedLimit(said, body) ?? withoutForeignThinking(said, body) ?? withoutRefused(said, body)
  return correction ?? (MODELS_FAULT.test(`${said}\n${error.body}`) ? ONCE_MORE : undefined)
}

/** The server could not read what its model wrote. */
const MODELS_FAULT = /tool_use_failed|failed to call a function/i
const ONCE_MORE: Correction = { holds: "this time", leftOut: [], correct: (body) => body }

function withoutRefused(said: string, body: Body): Correction | undefined {
  const leftOut = refusedNames(said, namesIn(body))
  const where = /\btop[- ]level\b/i.test(said) ? "top" : "all"
  const correct = (later: Body) => leftOut.reduce((left, name) => without(left, name, where) as Body, later)
  return leftOut.length === 0 ? undefined : { holds: "always", leftOut, correct }
}

/** Without these there is no request, message or tool: they are never left out. */
const NEEDED: ReadonlySet<string> = new Set([
  ...["model", "messages", "tools", "stream", "role", "content", "type", "text", "id", "name", "description"],
  ...["tool_calls", "tool_call_id", "tool_use_id", "function", "arguments", "input", "parameters", "input_schema"],
])
/** What a model said is not ours to change. */
const AS_IT_IS: ReadonlySet<string> = new Set(["input", "arguments"])
/** Schemas, which have words of their own. */
const SCHEMAS: ReadonlySet<string> = new Set(["parameters", "input_schema", "schema"])

/** Every name in a request that can be left out. */
function namesIn(value: unknown, found: Set<string> = new Set()): Set<string> {
  if (Array.isArray(value)) for (const entry of value) namesIn(entry, found)
  if (!isRecord(value)) return found
  for (const [key, member] of Object.entries(value)) {
    if (!NEEDED.has(key)) found.add(key)
    if (SCHEMAS.has(key)) for (const keyword of keywordsIn(member)) found.add(keyword)
    else if (!AS_IT_IS.has(key)) namesIn(member, found)
  }
  return found
}

function without(value: unknown, name: string, where: "all" | "top"): unknown {
  if (Array.isArray(value)) return value.map((entry) => without(entry, name, where))
  if (!isRecord(value)) return value
  const kept = Object.entries(value).flatMap(([key, member]) => {
    if (key === name && !NEEDED.has(key)) return []
    if (AS_IT_IS.has(key)) return [[key, member]]
    const left = SCHEMAS.has(key) ? withoutKeyword(member, name, where) : without(member, name, where)
    return isEmptied(member, left) ? [] : [[key, left]]
  })
  return Object.fromEntries(kept)
}

/** `stream_options: {}` is as odd to who refused what was in it. */
function isEmptied(before: unknown, after: unknown): boolean {
  return isRecord(before) && isRecord(after) && Object.keys(before).length > 0 && Object.keys(after).length === 0
}
