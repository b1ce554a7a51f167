import type { Hooks } from "../run/options.ts"
import type { WaitFor } from "../suspension/wait-for.ts"
import type { Tool } from "../tool/tool.ts"

/** What a registry says about a kind of agent. */
export interface AgentDefinition {
  name: string
  /** What it is for, in a line. */
  does: string
  /** Without one the runtime's. */
  model?: string
  /** Its system prompt. */
  soul?: string
  tools?: readonly Tool[]
  budget?: Budget
  /** Who is asked on its behalf, and on behalf of those below it that name nobody. */
  waitFor?: WaitFor
  hooks?: Hooks
  onSpawn?: (handle: { id: string; name: string }) => void
  onClose?: (handle: { id: string; name: string }) => void
}

/** What an agent may use. */
export interface Budget {
  /** Replies of the model. */
  maxTurns?: number
  /** All tokens. */
  maxTokens?: number
  /** Handles directly below it that are not closed. */
  maxChildren?: number
  /** Levels below it. */
  maxDepth?: number
}
