import { transcriptOf } from "./ask-model.ts"
import type { RunResult, RunStatus, ToolCallRecord } from "./run-result.ts"
import { inputOf, stamped } from "./stamp.ts"
import { type AgentState, type CallState, openRequests, type RunState, resultOf } from "./state.ts"

/** What a run came to, computed from its events alone. */
export function resultFrom(state: RunState, agent: AgentState): RunResult {
  const suspended = openRequests(state).map(stamped)
  const [pending] = suspended
  const limit = state.closing?.type === "run.limited" ? { limit: state.closing.limit } : {}
  return structuredClone({
    runId: state.runId,
    text: agent.reply?.text ?? "",
    messages: transcriptOf(agent),
    toolCalls: agent.run.calls.map(toolCallRecord),
    toolCallCount: agent.run.calls.length,
    turns: agent.run.turns,
    usage: agent.run.usage,
    model: agent.setup.model,
    status: statusOf(state),
    ...(pending ? { pending, suspended } : {}),
    ...limit,
  })
}

/** As the closing line says; without one, the process that wrote the run is gone or still at it. */
export function statusOf(state: RunState): RunStatus {
  switch (state.closing?.type) {
    case "run.finished":
      return "done"
    case "run.halted":
      return "pending"
    case "run.limited":
      return "incomplete"
    default:
      return "interrupted"
  }
}

function toolCallRecord(call: CallState): ToolCallRecord {
  const { id, name, turn } = call
  const result = resultOf(call)
  const outcome = result ? { output: result.output, isError: result.isError } : {}
  return { id, name, input: inputOf(call), turn, ...outcome }
}
