import type { AgentPath, Because } from "../event/event.ts"
import type { ToolSpec } from "../tool/tool.ts"

/** The call that the gate looks at: arguments parsed, checked, and as they would run. */
export interface GatedCall {
  name: string
  input: Record<string, unknown>
  tool: ToolSpec
  agent?: AgentPath
}

/** What the gate says. `ask` puts a request of kind `approval` to a person. */
export type Decision =
  | ({ decision: "allow" } & Because)
  | ({ decision: "refuse" } & Because)
  | ({ decision: "ask" } & Because & { prompt?: string })

/** What stands in front of every call. A throw means no. */
export interface Gate {
  decide(call: GatedCall): Decision | Promise<Decision>
  /** The `deny` rule that matches, for a call that was decided before: a denial of the machine that resumes still counts. */
  denies?(call: GatedCall): Because | undefined | Promise<Because | undefined>
  /** Whether a call that it let pass without asking passes still, now that it is carried out. Without this it does. */
  stillPasses?(call: GatedCall): boolean | Promise<boolean>
  /** Where the tools work: a grant for the rest of a run holds there only. */
  readonly folder?: string
}
