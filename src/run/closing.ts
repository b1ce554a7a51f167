import { limitOfStop } from "../endpoint/stop.ts"
import type { Closing } from "../event/event.ts"
import { isToolnexusError, messageOf } from "../tool/error.ts"
import type { Stop } from "./engine.ts"
import { type AgentState, agentOf, callCount, isLastWord, openRequests, type RunState, walk } from "./fold/state.ts"
import type { NewEvent } from "./new-event.ts"
import { limitOf, timeIsUp } from "./steps/next.ts"
import { beginningOf, promptText } from "./views/prompt-text.ts"

/** The line that says how a run ended; it repeats what a listing shows. */
export function closingEvent(state: RunState, stop: Stop | undefined): NewEvent {
  const summary = summaryOf(state)
  if (stop?.why === "failure") return { type: "run.failed", ...failure(stop.error), ...summary }
  const ending = endingOf(state, stop)
  return { ...ending, ...summary }
}

/** The line that says that one agent of a tree ended because its endpoint failed. */
export function agentFailed(agent: AgentState, error: unknown): NewEvent {
  const { turns, usage } = agent.run
  const summary = { text: agent.reply?.text ?? "", turns, toolCallCount: callCount(agent.run), usage: { ...usage } }
  return { type: "run.failed", agent: agent.path, ...failure(error), ...summary }
}

/** How a run ended, or stands. */
export type Ending =
  | { type: "run.finished" }
  | { type: "run.halted" }
  | { type: "run.limited"; limit: NonNullable<ReturnType<typeof limitOf>> }
  | { type: "run.interrupted"; why: "signal" | "close" }

/** How a run ends that has nothing left to do now. */
export function endingOf(state: RunState, stop: Stop | undefined): Ending {
  const cutOff = limitOfStop(state.root?.reply?.stop)
  if (isFinished(state)) return cutOff ? { type: "run.limited", limit: cutOff } : { type: "run.finished" }
  if (stop?.why === "limit") return { type: "run.limited", limit: stop.limit }
  if (stop?.why === "signal" || stop?.why === "close") return { type: "run.interrupted", why: stop.why }
  if (openRequests(state).length > 0) return { type: "run.halted" }
  const limit = reachedLimit(state)
  return limit ? { type: "run.limited", limit } : { type: "run.halted" } // answered, and not resumed yet
}

/** Whether every agent that was given something to do has said its last word about it. */
export function isFinished(state: RunState): boolean {
  return [...walk(state.root)].every((agent) => {
    if (agent.closed || agent.failure || (!agent.reply && !agent.run.prompt)) return true
    return agent.reply !== undefined && isLastWord(agent.reply)
  })
}

function reachedLimit(state: RunState) {
  if (timeIsUp(state)) return "timeoutMs"
  for (const agent of walk(state.root)) {
    const limit = limitOf(agent)
    if (limit) return limit
  }
  return undefined
}

function summaryOf(state: RunState): Closing {
  const run = state.root?.run
  const open = openRequests(state).map(({ request, calls }) => {
    const [call] = calls
    return { id: request.id, kind: request.kind, prompt: request.prompt, ...(call ? agentOf(call.agent) : {}) }
  })
  return {
    prompt: beginningOf(promptText(run?.prompt)),
    text: state.root?.reply?.text ?? "",
    turns: run?.turns ?? 0,
    toolCallCount: run ? callCount(run) : 0,
    usage: { ...(run?.usage ?? { promptTokens: 0, completionTokens: 0, totalTokens: 0 }) },
    ...(open.length > 0 ? { open } : {}),
  }
}

function failure(error: unknown): { code: string; message: string } {
  return { code: isToolnexusError(error) ? error.code : "tool", message: messageOf(error) }
}
