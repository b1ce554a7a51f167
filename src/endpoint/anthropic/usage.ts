import type { Usage } from "../../event/event.ts"
import { isRecord } from "../../suspension/request.ts"

/** The tokens of a reply; this wire counts what came from and went to the cache apart. */
export function parseUsage(usage: unknown): Usage | undefined {
  if (!isRecord(usage)) return undefined
  const fresh = count(usage.input_tokens)
  const completion = count(usage.output_tokens)
  if (fresh === undefined && completion === undefined) return undefined
  const read = count(usage.cache_read_input_tokens)
  const promptTokens = (fresh ?? 0) + (read ?? 0) + (count(usage.cache_creation_input_tokens) ?? 0)
  const completionTokens = completion ?? 0
  return {
    promptTokens,
    completionTokens,
    totalTokens: promptTokens + completionTokens,
    ...(read === undefined ? {} : { cachedTokens: read }),
  }
}

/** Counts of the end of a stream over those of its beginning: what is absent, or was counted before and is 0 now, stays. */
export function laterUsage(before: unknown, later: unknown): unknown {
  if (!isRecord(later)) return before
  if (!isRecord(before)) return later
  const told = Object.entries(later).filter(([key, value]) => value !== null && !(value === 0 && count(before[key])))
  return { ...before, ...Object.fromEntries(told) }
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined
}
