import type { Model } from "../endpoint/style.ts"
import type { AgentPath } from "../event/event.ts"
import type { Gate } from "../permission/gate.ts"
import type { WaitFor } from "../suspension/wait-for.ts"
import type { Hooks, ToolSet } from "./options.ts"

/** What an agent works with in this process. Nothing of it is in the run file. */
export interface Seat {
  readonly model: Model
  readonly tools: ToolSet | undefined
  readonly gate: Gate
  readonly hooks: Hooks
  readonly waitFor: WaitFor | undefined
}

export type SeatOf = (path: AgentPath) => Seat
