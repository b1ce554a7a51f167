import { stopKind } from "../../endpoint/stop.ts"
import type { Ending } from "../closing.ts"
import {
  type AgentState,
  type CallState,
  callCount,
  openRequests,
  type ReplyState,
  type RunState,
  resultOf,
} from "../fold/state.ts"
import { inputOf, stamped } from "../stamp.ts"
import { transcriptOf } from "../steps/ask-model.ts"
import type { RunResult, RunStatus, ToolCallRecord } from "./run-result.ts"

/** What a run came to, computed from its events alone and how it ended. It shares what it holds with the state, which nothing uses any more. */
export function resultFrom(state: RunState, agent: AgentState, ending: Ending): RunResult {
  const suspended = openRequests(state).map(stamped)
  const [pending] = suspended
  const limit = ending.type === "run.limited" ? { limit: ending.limit } : {}
  return {
    runId: state.runId,
    text: agent.reply?.text ?? "",
    messages: transcriptOf(agent),
    toolCalls: agent.run.calls.map(toolCallRecord),
    toolCallCount: callCount(agent.run),
    turns: agent.run.turns,
    usage: agent.run.usage,
    model: agent.setup.model,
    status: STATUS[ending.type],
    ...(pending ? { pending, suspended } : {}),
    ...limit,
    ...stoppedIn(agent.reply),
  }
}

const STATUS: Record<Ending["type"], RunStatus> = {
  "run.finished": "done",
  "run.halted": "pending",
  "run.limited": "incomplete",
  "run.interrupted": "interrupted",
}

/** A filter, a refusal, a length or a word that nobody knows is no ordinary end. */
function stoppedIn(reply: ReplyState | undefined): Pick<RunResult, "stopped"> {
  const kind = stopKind(reply?.stop)
  return kind === "end" || reply?.stop === undefined ? {} : { stopped: { kind, reason: reply.stop } }
}

function toolCallRecord(call: CallState): ToolCallRecord {
  const { id, name, turn } = call
  const result = resultOf(call)
  const started = call.phase.is === "running" ? { started: true as const } : {}
  const outcome = result ? { output: result.output, isError: result.isError } : started
  return { id, name, input: inputOf(call), turn, ...outcome }
}
