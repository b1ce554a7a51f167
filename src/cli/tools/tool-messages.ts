import type { ToolContext, ToolSpec } from "../../index.ts"
import type { SealedFiles } from "../projects/sealed-modules.ts"

/** What that process knows by, in any of its threads, that the command line is there: this stays open. */
export const LIFELINE_FD = 4

/** What the command line tells the process that its tools run in. All of it is JSON. */
export type ToToolHost =
  | { type: "load"; cwd: string; modules: readonly string[]; seals: SealedFiles }
  | { type: "call"; call: number; does: Doing; tool: string; args: Record<string, unknown>; ctx: HostedContext }
  | { type: "abort"; call: number; why: string }
  /** The last one: what is left open may end by itself for a moment. */
  | { type: "leave" }

/** What that process tells the command line. */
export type FromToolHost =
  /** One for each module, in their order. */
  | { type: "loaded"; tools: HostedTool[] }
  | { type: "unusable"; message: string; stack: string }
  | { type: "settled"; call: number; value: unknown }
  /** The machinery around the tool failed. */
  | { type: "failed"; call: number; message: string }
  /** The last word of a process: how it ends, in words, with the tool that does it where that is known. */
  | { type: "ending"; how: string }

export type Doing = "execute" | "preview"

/** What a call is told; its signal stays here. */
export type HostedContext = Omit<ToolContext, "signal" | "stillPasses">

/** A tool without its functions. */
export interface HostedTool extends ToolSpec {
  /** Whether it has a preview. */
  previews: boolean
}
