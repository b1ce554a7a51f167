import { ToolnexusError } from "../../tool/error.ts"
import { askedWaitMs } from "../retry.ts"
import { errorKind, isRetryableStatus, statusOfError } from "./error-kind.ts"
import { causeOf } from "./error-text.ts"
import { mask } from "./mask.ts"

interface Facts {
  /** 0 where there was no reply. */
  status: number
  body?: string
  retryable: boolean
  retryAfterMs?: number | undefined
  requestId?: string | undefined
  /** The endpoint's own limit was the reason. */
  limit?: "context"
  cause?: unknown
}

/** What the endpoint answered instead of a reply, or that it did not answer. `details.limit` is `"context"` for an overflow. */
export class ProviderError extends ToolnexusError {
  /** The HTTP status, or the one that an error inside a reply stands for; 0 where there was no answer. */
  readonly status: number
  /** What came back, keys and account identifiers masked; empty for 401 and 403. */
  readonly body: string
  /** Seconds until the endpoint wants to be asked again. */
  readonly retryAfter?: number
  /** The endpoint's own id of the request, for its support. */
  readonly requestId?: string
  /** Whether the same request may succeed a little later. */
  readonly retryable: boolean
  readonly retryAfterMs?: number

  constructor(message: string, facts: Facts) {
    const { status, requestId, limit, cause } = facts
    const details = { status, ...(requestId ? { requestId } : {}), ...(limit ? { limit } : {}) }
    super("provider", message, { details, ...(cause === undefined ? {} : { cause }) })
    this.name = "ProviderError"
    this.status = status
    this.body = facts.body ?? ""
    this.retryable = facts.retryable
    if (requestId !== undefined) this.requestId = requestId
    if (facts.retryAfterMs !== undefined) {
      this.retryAfterMs = facts.retryAfterMs
      this.retryAfter = facts.retryAfterMs / 1000
    }
  }
}

/** A reply whose status says that it is an error. */
export interface FailedReply {
  status: number
  headers: Readonly<Record<string, string>>
  text: string
  url: URL
  /** Milliseconds since 1970. */
  now: number
  /** Whether a key went with the request. */
  keySent: boolean
  /** Texts that must not appear: the key, the auth headers. */
  secrets: readonly string[]
}

/** The longest body that an error keeps, in characters. */
const MAX_BODY = 20_000

/** The error of a reply whose status is not 2xx. */
export function replyError(reply: FailedReply): ProviderError {
  const { status, headers, secrets } = reply
  const isRefusedKey = status === 401 || status === 403
  const cause = isRefusedKey ? "" : mask(causeOf(reply.text), secrets)
  const parsed = jsonOf(reply.text)
  const asked = askedWaitMs(headers, reply.now) ?? waitInBody(reply.text)
  const should = shouldRetry(headers)
  const kind = errorKind(status, cause, parsed, should === true || asked !== undefined)
  const fact = cause === "" ? `HTTP ${status}` : `HTTP ${status}: ${cause}`
  return new ProviderError(withHint(fact, hintFor(reply, kind)), {
    status,
    body: isRefusedKey ? "" : mask(reply.text.slice(0, MAX_BODY), secrets),
    retryable: kind !== "quota" && kind !== "context" && (should ?? isRetryableStatus(status)),
    retryAfterMs: asked,
    requestId: requestIdOf(headers, parsed),
    ...(kind === "context" ? { limit: "context" as const } : {}),
  })
}

/** An error that came inside a reply of status 200. */
export function errorInReply(error: unknown, requestId?: string): ProviderError {
  const status = statusOfError(error)
  const isRefusedKey = status === 401 || status === 403
  const said = isRefusedKey ? "check the API key and what it may use" : mask(causeOf(error))
  const cause = said || "it does not say why"
  const kind = errorKind(status, cause, error, false)
  return new ProviderError(`The endpoint reported an error (status ${status}): ${cause}`, {
    status,
    body: isRefusedKey ? "" : mask(textOf(error).slice(0, MAX_BODY)),
    retryable: isRetryableStatus(status) && kind !== "quota" && kind !== "context",
    requestId,
    ...(kind === "context" ? { limit: "context" as const } : {}),
  })
}

/** A reply that is none: not what the style says, cut off, not JSON. */
export function brokenReply(
  fact: string,
  options: { body?: string; retryable?: boolean; cause?: unknown } = {},
): ProviderError {
  return new ProviderError(fact, {
    status: 200,
    body: mask((options.body ?? "").slice(0, MAX_BODY)),
    retryable: options.retryable ?? false,
    ...(options.cause === undefined ? {} : { cause: options.cause }),
  })
}

/** A reply of no words at all. */
export function emptyReply(): ProviderError {
  return brokenReply("The endpoint's reply is empty", { retryable: true })
}

/** The same error without the given texts, and with a further fact at its end. */
export function withMasked(error: ProviderError, secrets: readonly string[], because?: string): ProviderError {
  const message = because === undefined ? error.message : `${error.message}; ${because}`
  const masked = secrets.reduce((text, secret) => (secret.length < 4 ? text : text.replaceAll(secret, "***")), message)
  const body = secrets.reduce((text, secret) => (secret.length < 4 ? text : text.replaceAll(secret, "***")), error.body)
  if (masked === error.message && body === error.body) return error
  const { status, retryable, retryAfterMs, requestId, cause, details } = error
  const limit = details.limit === "context" ? { limit: "context" as const } : {}
  return new ProviderError(masked, { status, body, retryable, retryAfterMs, requestId, cause, ...limit })
}

/** What to do where a proxy wants to know who asks. */
export const PROXY_ACCOUNT = "put them into its address: http://NAME:PASSWORD@HOST:PORT"

function withHint(fact: string, hint: string | undefined): string {
  return hint === undefined ? fact : `${fact}; ${hint}`
}

function hintFor({ status, headers, url, keySent }: FailedReply, kind: string): string | undefined {
  if (kind === "tools") return "choose a model, or a server, that takes tools"
  if (status === 401 || status === 403) {
    if (keySent) return `${url.host} refused the key: check the API key and what it may use`
    const wants = status === 401 ? `${url.host} wants a key and none was sent` : `no key was sent to ${url.host}`
    const ifSo = status === 401 ? "" : "if it wants one, "
    return `${wants}: ${ifSo}name its variable with --api-key-env, or pass apiKey`
  }
  if (status === 407) return PROXY_ACCOUNT
  if (status === 404) return `check the base URL (asked ${mask(url.origin + url.pathname)}) and the model's name`
  if (status >= 300 && status < 400) {
    const to = headers.location ? mask(headers.location).slice(0, 200) : "elsewhere"
    return `it redirects to ${to}: use that address as base URL`
  }
  return undefined
}

function shouldRetry(headers: Readonly<Record<string, string>>): boolean | undefined {
  const said = headers["x-should-retry"]?.trim().toLowerCase()
  return said === "true" ? true : said === "false" ? false : undefined
}

// google.rpc.RetryInfo: `"retryDelay": "37s"`.
function waitInBody(text: string): number | undefined {
  const seconds = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(text.slice(0, MAX_BODY))?.[1]
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000)
}

function requestIdOf(headers: Readonly<Record<string, string>>, body: unknown): string | undefined {
  const inBody = typeof body === "object" && body !== null && "request_id" in body ? body.request_id : undefined
  const id = headers["request-id"] ?? headers["x-request-id"] ?? headers["apim-request-id"] ?? inBody
  return typeof id === "string" && id !== "" ? id.slice(0, 200) : undefined
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // an HTML page, or words
  }
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value
  try {
    return JSON.stringify(value) ?? ""
  } catch {
    return "" // nested too deeply to be written
  }
}
