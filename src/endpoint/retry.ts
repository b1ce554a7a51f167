import type { ProviderError } from "./errors/provider-error.ts"

export interface RetryEvent {
  /** The attempt that failed, from 1. */
  attempt: number
  /** Milliseconds until the next. */
  waitMs: number
  /** Why: at most 200 characters. */
  reason: string
}

/** How often, and how long in between. */
export interface RetryPolicy {
  /** Attempts after the first. */
  retries: number
  /** Milliseconds before the first retry; doubled for each. */
  retryBaseMs: number
  /** From 0 to below 1, so that many clients do not come back at the same moment. */
  random: () => number
}

/** What to do about an attempt that failed: wait and try again, or give up (perhaps for a clearer reason). */
export type AfterFailure = { do: "wait"; waitMs: number } | { do: "fail"; because?: string }

/** The longest wait that an endpoint may ask for, and the longest that we make up. */
const MAX_ASKED_WAIT_MS = 60_000
const MAX_BACKOFF_MS = 30_000

/**
 * @param error why the attempt failed
 * @param attempt which it was, from 1
 */
export function afterFailure(error: ProviderError, attempt: number, policy: RetryPolicy): AfterFailure {
  if (!error.retryable || attempt > policy.retries) return { do: "fail" }
  const asked = error.retryAfterMs
  if (asked === undefined) return { do: "wait", waitMs: backoff(attempt, policy) }
  if (asked <= MAX_ASKED_WAIT_MS) return { do: "wait", waitMs: asked }
  return { do: "fail", because: `it asks to wait ${Math.ceil(asked / 1000)} s: try again then` }
}

function backoff(attempt: number, { retryBaseMs, random }: RetryPolicy): number {
  const full = Math.min(retryBaseMs * 2 ** (attempt - 1), MAX_BACKOFF_MS)
  return Math.round(full * (0.5 + random() / 2))
}

/**
 * The wait that a reply's headers ask for: `retry-after-ms`, else `retry-after` (seconds, or an HTTP date).
 *
 * @returns milliseconds, 0 for a moment that has passed; `undefined` where nothing readable is asked
 */
export function askedWaitMs(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const ms = headers["retry-after-ms"]?.trim()
  if (ms && /^\d+(\.\d+)?$/.test(ms)) return Math.ceil(Number(ms))
  const after = headers["retry-after"]?.trim()
  if (!after) return undefined
  if (/^\d+(\.\d+)?$/.test(after)) return Math.ceil(Number(after) * 1000)
  const date = Date.parse(after)
  // Only a date with a name of a day is an HTTP date; Date.parse takes nearly everything, "-5" among it.
  return Number.isNaN(date) || !/^[A-Za-z]{3}/.test(after) ? undefined : Math.max(0, date - now)
}
