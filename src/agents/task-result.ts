import type { LimitName } from "../event/event.ts"
import { type AgentState, isLastWord, openRequests, type RunState, walk } from "../run/fold/state.ts"
import { stamped } from "../run/stamp.ts"
import { limitOf } from "../run/steps/next.ts"
import type { Request } from "../suspension/request.ts"

export type TaskStatus = "done" | "pending" | "incomplete" | "interrupted" | "closed" | "timeout" | "error"

/** What an agent's latest task came to. */
export interface TaskResult {
  text: string
  isError: boolean
  status: TaskStatus
  /** The first open request below it, in call order. */
  pending?: Request
  suspended?: Request[]
  limit?: LimitName
  turns: number
  /** Of the agent and all below it. */
  totalTokens: number
  ownTokens: number
}

/** The result that an agent's state says. */
export function taskResult(state: RunState, agent: AgentState): TaskResult {
  const below = new Set(walk(agent))
  const suspended = openRequests(state)
    .filter((request) => request.calls.some((call) => below.has(call.agent)))
    .map(stamped)
  const [pending] = suspended
  const limit = limitOf(agent)
  const { turns, usage } = agent.run
  const status = statusOf(agent, { pending, limit })
  return {
    text: agent.failure?.message ?? agent.reply?.text ?? "",
    isError: status !== "done" && status !== "pending",
    status,
    ...(pending ? { pending, suspended } : {}),
    ...(limit ? { limit } : {}),
    turns,
    totalTokens: [...below].reduce((sum, one) => sum + one.run.usage.totalTokens, 0),
    ownTokens: usage.totalTokens,
  }
}

function statusOf(agent: AgentState, open: { pending: Request | undefined; limit: LimitName | undefined }): TaskStatus {
  if (agent.failure) return "error"
  if (agent.reply && isLastWord(agent.reply)) return "done"
  if (agent.closed) return "closed"
  if (open.pending) return "pending"
  return open.limit ? "incomplete" : "interrupted"
}

/** The wait ended before the task did; the agent goes on. */
export function timedOut(state: RunState, agent: AgentState): TaskResult {
  const { pending: _pending, suspended: _suspended, limit: _limit, ...result } = taskResult(state, agent)
  return { ...result, status: "timeout", isError: true }
}
