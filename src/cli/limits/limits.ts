import type { Limits, RunEvent } from "../../index.ts"

/** What counts where neither options nor configuration say otherwise: a model that loops is stopped, and somebody is asked. */
export const DEFAULT_LIMITS: Limits = { maxTurns: 100, maxToolCalls: 500, maxRepeats: 5 }

/** The limits of a run as its events say, and what it was given of each at first: by so much it is raised. */
export interface LimitsInForce {
  now: Limits
  first: Limits
  /** Milliseconds of work since the last prompt. */
  workMs: number
}

export function limitsInForce(events: readonly RunEvent[]): LimitsInForce {
  const now: Limits = {}
  const first: Limits = {}
  let workMs = 0
  let workMsBefore = 0
  for (const event of events) {
    if ("workMs" in event) workMs = Math.max(workMs, event.workMs)
    if ((event.agent?.length ?? 0) > 1) continue
    if (event.type === "user.said") workMsBefore = workMs
    const given = "limits" in event ? event.limits : undefined
    Object.assign(now, given)
    for (const [name, value] of Object.entries(given ?? {})) first[name as keyof Limits] ??= value
  }
  return { now, first, workMs: workMs - workMsBefore }
}
