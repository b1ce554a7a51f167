import type { LimitName } from "../event/event.ts"

/** Why a model stopped, in one vocabulary for both styles. */
export type StopKind = "end" | "pause" | "length" | "context" | "filter" | "refusal" | "error" | "unknown"

const KINDS: ReadonlyMap<string, StopKind> = new Map<string, StopKind>([
  ["stop", "end"],
  ["tool_calls", "end"],
  ["function_call", "end"],
  ["end_turn", "end"],
  ["tool_use", "end"],
  ["stop_sequence", "end"],
  ["pause_turn", "pause"],
  ["eos", "end"],
  ["eos_token", "end"],
  ["end", "end"],
  ["complete", "end"],
  ["completed", "end"],
  ["finished", "end"],
  ["done", "end"],
  ["length", "length"],
  ["max_tokens", "length"],
  ["max_output_tokens", "length"],
  ["model_length", "context"],
  ["model_context_window_exceeded", "context"],
  ["context_length_exceeded", "context"],
  ["content_filter", "filter"],
  ["safety", "filter"],
  ["recitation", "filter"],
  ["prohibited_content", "filter"],
  ["blocklist", "filter"],
  ["spii", "filter"],
  ["sensitive", "filter"],
  ["content_filtered", "filter"],
  ["guardrail_intervened", "filter"],
  ["refusal", "refusal"],
  ["error", "error"],
  ["abort", "error"],
  ["network_error", "error"],
  ["insufficient_system_resource", "error"],
])

/**
 * @param stop the endpoint's own word; without one a whole reply has simply ended
 * @example stopKind("max_tokens") // "length"
 */
export function stopKind(stop: string | undefined): StopKind {
  return stop === undefined ? "end" : (KINDS.get(stop.toLowerCase()) ?? "unknown")
}

/** The limit that cut a reply off, if one did. */
export function limitOfStop(stop: string | undefined): Extract<LimitName, "maxOutputTokens" | "context"> | undefined {
  const kind = stopKind(stop)
  return kind === "length" ? "maxOutputTokens" : kind === "context" ? "context" : undefined
}

/** Whether the model was not done: it may go on where it stopped, or say it again. */
export function isCutShort(stop: string | undefined): boolean {
  return stopKind(stop) === "pause" || limitOfStop(stop) !== undefined
}

/** The stop reason where it is one: `""` and `"null"` are none. */
export function realStop(stop: unknown): string | undefined {
  return typeof stop === "string" && stop !== "" && stop !== "null" ? stop : undefined
}
