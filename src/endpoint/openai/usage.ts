import type { Usage } from "../../event/event.ts"
import { isRecord } from "../../suspension/request.ts"

/** The tokens of a reply; `undefined` where the endpoint counted none. */
export function parseUsage(usage: unknown): Usage | undefined {
  if (!isRecord(usage)) return undefined
  const prompt = count(usage.prompt_tokens) ?? count(usage.input_tokens)
  const completion = count(usage.completion_tokens) ?? count(usage.output_tokens)
  if (prompt === undefined && completion === undefined) return undefined
  const promptTokens = prompt ?? 0
  const completionTokens = completion ?? 0
  const cached = cachedTokens(usage)
  return {
    promptTokens,
    completionTokens,
    totalTokens: Math.max(count(usage.total_tokens) ?? 0, promptTokens + completionTokens),
    ...(cached === undefined ? {} : { cachedTokens: cached }),
  }
}

function cachedTokens(usage: Record<string, unknown>): number | undefined {
  const details = [usage.prompt_tokens_details, usage.input_tokens_details].find(isRecord)
  return count(details?.cached_tokens) ?? count(usage.prompt_cache_hit_tokens) ?? count(usage.cached_tokens)
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined
}
