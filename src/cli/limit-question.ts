import { type Limits, outputOf, type Request, type RunResult, readRun } from "../index.ts"
import { callLine } from "./call-line.ts"
import { counted } from "./counted.ts"
import { type LimitsInForce, limitsInForce } from "./limits.ts"
import type { Person } from "./person.ts"

/** A limit that is a person's to raise; a full context is nobody's. */
type Raisable = keyof Limits

const STOP = "Stop here"

/**
 * Asks whether a run that reached a limit goes on. It is a question of this command, not of the run: it is in no file, and whoever
 * resumes the run raises the limit just as well.
 *
 * @param file the run's
 * @returns all limits, the reached one raised; `undefined` where it stays as it is
 */
export async function askToGoOn(
  result: RunResult,
  { person, file }: { person: Pick<Person, "waitFor" | "signal">; file: string },
): Promise<Limits | undefined> {
  const { waitFor, signal } = person
  const { limit } = result
  if (!waitFor || signal.aborted || !isRaisable(limit)) return undefined
  const force = limitsInForce((await readRun(file)).events)
  const { used, step, raised } = RAISING[limit](result, force)
  const goOn = `Go on with ${step} more`
  const request: Request = {
    id: "limit",
    kind: "limit",
    prompt: `${used}. Go on?`,
    data: { schema: { enum: [goOn, STOP] } },
  }
  const answer = await waitFor(request, { signal, saveDraft() {} })
  return answer?.ok && outputOf(answer) === goOn ? { ...force.now, [limit]: raised } : undefined
}

function isRaisable(limit: RunResult["limit"]): limit is Raisable {
  return limit !== undefined && Object.hasOwn(RAISING, limit)
}

interface Raising {
  /** What was used, in words. */
  used: string
  step: string
  raised: number
}

const RAISING: Record<Raisable, (result: RunResult, force: LimitsInForce) => Raising> = {
  maxTurns({ turns }, force) {
    const step = stepOf("maxTurns", force)
    return { used: usedUp(turns, "turn"), step: String(step), raised: turns + step }
  },
  maxTokens({ usage: { totalTokens } }, force) {
    const step = stepOf("maxTokens", force)
    return { used: usedUp(totalTokens, "token"), step: String(step), raised: totalTokens + step }
  },
  timeoutMs(_result, force) {
    const step = stepOf("timeoutMs", force)
    return {
      used: `${timeText(force.workMs)} of work are used up`,
      step: timeText(step),
      raised: Math.max(force.workMs, force.now.timeoutMs ?? 0) + step,
    }
  },
  maxToolCalls(result, force) {
    const step = stepOf("maxToolCalls", force)
    const [limit, waiting] = [force.now.maxToolCalls ?? 0, heldCalls(result).length]
    return {
      used: `${usedUp(limit, "tool call")}, and the model asks for ${waiting} more`,
      step: String(step),
      raised: limit + step,
    }
  },
  maxRepeats(result, force) {
    const step = stepOf("maxRepeats", force)
    const limit = force.now.maxRepeats ?? 0
    const [call] = heldCalls(result)
    const which = call ? callLine(call.name, call.input) : "the same call"
    return {
      used: `The model makes the same call more than ${limit} times in a row: ${which}`,
      step: String(step),
      raised: limit + step,
    }
  },
}

function usedUp(count: number, word: string): string {
  return `${counted(count, word)} ${count === 1 ? "is" : "are"} used up`
}

/** By what was given at first: who said 50 turns thinks in steps of 50. */
function stepOf(limit: Raisable, { first, now }: LimitsInForce): number {
  return first[limit] ?? now[limit] ?? 1
}

function heldCalls({ toolCalls }: RunResult): RunResult["toolCalls"] {
  return toolCalls.filter(({ output, started }) => output === undefined && started === undefined)
}

function timeText(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (ms < 1000) return `${ms} ms`
  return seconds < 120 ? counted(seconds, "second") : counted(Math.round(seconds / 60), "minute")
}
