import { isRecord } from "../../suspension/request.ts"

/** What an error is about, where the endpoint's own words tell. */
export type ErrorKind = "context" | "quota" | "filter" | "tools" | "other"

/** Whether an `error` member says that there is one: some servers always send the member. */
export function isError(error: unknown): boolean {
  return isRecord(error) ? Object.keys(error).length > 0 : typeof error === "string" ? error !== "" : error === true
}

const RETRYABLE: ReadonlySet<number> = new Set([408, 409, 429, 500, 502, 503, 504, 529])

/** Whether the same request may succeed a little later. */
export function isRetryableStatus(status: number): boolean {
  return RETRYABLE.has(status)
}

// An error inside a reply of status 200 has its status in words.
const STATUS_OF_WORD: ReadonlyMap<string, number> = new Map(
  Object.entries({
    invalid_request_error: 400,
    authentication_error: 401,
    permission_error: 403,
    not_found_error: 404,
    request_too_large: 413,
    rate_limit_error: 429,
    rate_limit_exceeded: 429,
    api_error: 500,
    server_error: 500,
    internal_server_error: 500,
    service_unavailable: 503,
    timeout_error: 504,
    overloaded_error: 529,
    overloaded: 529,
  }),
)

/** The status that an error inside a reply stands for; 200 where it does not say. */
export function statusOfError(error: unknown): number {
  const words = wordsOf(error)
  for (const word of words) {
    const status = typeof word === "number" || /^\d{3}$/.test(String(word)) ? Number(word) : 0
    if (status >= 400 && status <= 599) return status
  }
  for (const word of words) {
    const status = STATUS_OF_WORD.get(String(word).toLowerCase())
    if (status !== undefined) return status
  }
  return 200
}

/** The machine-readable words of an error, wherever in it they stand. */
function wordsOf(value: unknown, depth = 0): unknown[] {
  if (Array.isArray(value)) return depth > 3 ? [] : value.slice(0, 3).flatMap((entry) => wordsOf(entry, depth + 1))
  if (!isRecord(value)) return []
  const own = [value.code, value.status, value.type, value.raw_status_code]
  const inner = depth > 3 ? [] : [value.error, value.innererror].flatMap((member) => wordsOf(member, depth + 1))
  return [...own, ...inner].filter((word) => typeof word === "string" || typeof word === "number")
}

/**
 * @param status as the reply or the error itself gives it
 * @param cause the error's text
 * @param error the parsed error, for its codes
 * @param mayAskAgain whether the endpoint said when, or that it will do: then a quota in words is one that fills up again
 */
export function errorKind(status: number, cause: string, error: unknown, mayAskAgain: boolean): ErrorKind {
  const words = wordsOf(error).map((word) => String(word).toLowerCase())
  const isOneOf = (codes: ReadonlySet<string>) => words.some((word) => codes.has(word))
  if (isOneOf(QUOTA_CODES) || status === 402 || (!mayAskAgain && QUOTA_TEXT.test(cause))) return "quota"
  if (isOneOf(CONTEXT_CODES) || (CONTEXT_STATUS.has(status) && CONTEXT_TEXT.test(cause))) return "context"
  if (isOneOf(FILTER_CODES)) return "filter"
  return TOOLS_TEXT.test(cause) ? "tools" : "other"
}

const QUOTA_CODES: ReadonlySet<string> = new Set([
  "insufficient_quota",
  "billing_error",
  "billing_not_active",
  "billing_hard_limit_reached",
  "insufficient_balance",
  "insufficient_credits",
])
const QUOTA_TEXT =
  /exceeded your current quota|check your (plan|billing)|credit balance is too low|insufficient (account )?(balance|credits?|funds)|out of credits|all available credits|payment required|spending limit/i

const CONTEXT_CODES: ReadonlySet<string> = new Set([
  "context_length_exceeded",
  "exceed_context_size_error",
  "string_above_max_length",
])
// 429 speaks of tokens too, and means the rate; 413 is the size in bytes where a proxy says it.
const CONTEXT_STATUS: ReadonlySet<number> = new Set([200, 400, 413, 422, 500])
const CONTEXT_TEXT =
  /context[ _-]?(length|window|size)|maximum (context|prompt length|model length)|model token limit|`inputs`[^.]{0,40} tokens|(fit|exceeds?)( in)?( the)?( available| model'?s?)? context|prompt (is )?too long|input (is )?too long|(input|prompt)[\w ()]* tokens?[\w ()]* exceeds?|too many (input |prompt )?tokens|reduce the length of the (messages|prompt|input)|exceeds? the (model'?s? )?(maximum|max)[\w ]*(length|tokens)/i

const FILTER_CODES: ReadonlySet<string> = new Set([
  "content_filter",
  "content_policy_violation",
  "responsibleaipolicyviolation",
])
const TOOLS_TEXT =
  /does not support tools|tool[ _-]?(use|calling|choice)[^.]{0,60}(not supported|requires|support)|function calling is not/i
