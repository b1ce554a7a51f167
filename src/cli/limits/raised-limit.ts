import type { Limits, RunEvent, RunResult } from "../../index.ts"
import { limitOption } from "../configuration/limit-settings.ts"
import { callLine } from "../words/call-line.ts"
import { counted } from "../words/counted.ts"
import { type LimitsInForce, limitsInForce } from "./limits.ts"

/** A limit that was reached, and what it takes to go on. */
export interface RaisedLimit {
  limit: keyof Limits
  /** What was used, in words. */
  used: string
  /** By how much it is raised, in words. */
  step: string
  /** All limits, this one raised. */
  limits: Limits
  /** The option that raises it. */
  option: readonly string[]
}

/**
 * The limit that a run stopped at, raised by what was given of it at first: who said 50 turns thinks in steps of 50.
 *
 * @returns `undefined` where the run stopped at none, or at one of the endpoint's, which is nobody's to raise
 */
export function raisedLimit(result: RunResult, events: readonly RunEvent[]): RaisedLimit | undefined {
  const { limit } = result
  if (!isRaisable(limit)) return undefined
  const force = limitsInForce(events)
  const step = force.first[limit] ?? force.now[limit] ?? 1
  const { used, base } = USED[limit](result, force)
  const raised = limit === "timeoutMs" ? wholeSeconds(base + step) : base + step
  return {
    limit,
    used,
    step: limit === "timeoutMs" ? timeText(step) : String(step),
    limits: { ...force.now, [limit]: raised },
    option: limitOption(limit, raised),
  }
}

/** What a resume of the run takes so that it does not stop at the same limit at once. */
export function raisingOption(result: RunResult, events: readonly RunEvent[]): readonly string[] {
  return raisedLimit(result, events)?.option ?? []
}

function isRaisable(limit: RunResult["limit"]): limit is keyof Limits {
  return limit !== undefined && Object.hasOwn(USED, limit)
}

interface Used {
  used: string
  /** What the step is added to. */
  base: number
}

const USED: Record<keyof Limits, (result: RunResult, force: LimitsInForce) => Used> = {
  maxTurns: ({ turns }) => ({ used: usedUp(turns, "turn"), base: turns }),
  maxTokens: ({ usage: { totalTokens } }) => ({ used: usedUp(totalTokens, "token"), base: totalTokens }),
  timeoutMs: (_result, { workMs, now }) => ({
    used: `${timeText(workMs)} of work are used up`,
    base: Math.max(workMs, now.timeoutMs ?? 0),
  }),
  maxToolCalls(result, { now }) {
    const waiting = heldCalls(result).length
    const base = Math.max(now.maxToolCalls ?? 0, result.toolCallCount - waiting)
    return { used: `${usedUp(base, "tool call")}, and the model asks for ${waiting} more`, base }
  },
  maxRepeats(result, { now }) {
    const base = now.maxRepeats ?? 0
    const [call] = heldCalls(result)
    const which = call ? callLine(call.name, call.input) : "the same call"
    return { used: `The model makes the same call more than ${base} times in a row: ${which}`, base }
  },
}

function usedUp(count: number, word: string): string {
  return `${counted(count, word)} ${count === 1 ? "is" : "are"} used up`
}

function heldCalls({ toolCalls }: RunResult): RunResult["toolCalls"] {
  return toolCalls.filter(({ output, started }) => output === undefined && started === undefined)
}

/** What is typed is read by people too. */
function wholeSeconds(ms: number): number {
  return ms < 1000 ? Math.ceil(ms) : Math.ceil(ms / 1000) * 1000
}

function timeText(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (ms < 1000) return `${Math.round(ms)} ms`
  return seconds < 120 ? counted(seconds, "second") : counted(Math.round(seconds / 60), "minute")
}
