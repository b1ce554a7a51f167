import type { EndpointOptions } from "../endpoint/endpoint-options.ts"
import type { Clock } from "../event/clock.ts"
import type { Gate } from "../permission/gate.ts"
import type { Mask } from "../run/masks/masks.ts"
import type { Hooks, MetricEvent, RunJournal } from "../run/options.ts"
import type { AgentDefinition } from "./agent-definition.ts"

/** The endpoint that all agents of a tree share. */
export type Llm = Partial<Omit<EndpointOptions, "fetch">>

export interface AgentRuntimeOptions {
  /** The kinds of agents, by name. */
  registry: Record<string, AgentDefinition>
  /** Without one: style `openai`, `http://localhost/v1`. */
  llm?: Llm
  /** Instead of `node:http`. */
  fetch?: typeof globalThis.fetch
  /** Where the whole tree is written; without one it lives in memory. */
  journal?: RunJournal
  gate?: Gate
  clock?: Clock
  hooks?: Hooks
  /** As a client's. */
  masks?: readonly Mask[]
  onMetric?: (event: MetricEvent) => void
  /** Told once of what is odd and stops nothing. Default: a warning of the process. */
  onWarning?: (message: string) => void
}
