import type { StopKind } from "../../endpoint/stop.ts"
import type { AgentSetup, LimitName, Message, RunEvent, Usage } from "../../event/event.ts"
import type { Answer } from "../../suspension/answer.ts"
import type { Request } from "../../suspension/request.ts"

export type RunStatus = "done" | "pending" | "incomplete" | "interrupted"

/** One tool call as a result lists it; without `output` it has no result yet. */
export interface ToolCallRecord {
  id: string
  name: string
  input: unknown
  turn: number
  /** It had started and has no result: whoever goes on from this result finds it in doubt. */
  started?: true
  output?: string
  isError?: boolean
}

/** What a run came to. Plain data: with `status: "pending"` it can be stored anywhere and resumed from there. */
export interface RunResult {
  runId: string
  /** The text of the last reply; empty while the run has none. */
  text: string
  /** The transcript in the endpoint's own shape, without the system prompt. */
  messages: Message[]
  toolCalls: ToolCallRecord[]
  toolCallCount: number
  turns: number
  usage: Usage
  model: string
  status: RunStatus
  /** The first open request in call order. */
  pending?: Request
  /** All open requests. */
  suspended?: Request[]
  /** Which limit was reached, with `status: "incomplete"`. */
  limit?: LimitName
  /** Why the last reply ended, where the model did not simply stop: `reason` is the endpoint's own word. */
  stopped?: { kind: Exclude<StopKind, "end">; reason: string }
}

/** What a run file says, read without taking its lock. */
export interface RunRecord {
  runId: string
  /**
   * Where the file does not end with a closing event, `at work` while a process writes it and `interrupted` else; `failed` after
   * `run.failed`.
   */
  status: RunStatus | "failed" | "at work"
  result: RunResult
  setup: AgentSetup
  /** The last prompt's text. */
  prompt: string
  /** RFC 3339. */
  startedAt: string
  updatedAt: string
  /** What was typed and not sent, by request id. */
  drafts: Record<string, string>
  /** Answers that were recorded and are not used yet, a secret's without its value. */
  recorded: Answer[]
  /** Answers of elsewhere that nobody here stands by yet: their requests are open. */
  held: Answer[]
  /** The tools that people granted for the rest of this run. */
  grants: { tool: string; digest: string }[]
  /** The process that writes it now, where there is one. */
  holder?: { pid: number; host: string; time: string }
  /** Of the last `run.failed`. */
  error?: { code: string; message: string }
  events: RunEvent[]
  /** For instance that a torn last line was dropped. */
  warnings: string[]
}
