import type { JSONSchema, Preview, Tool, ToolContext } from "../../../tool/tool.ts"
import { toolOf } from "../../define-tool.ts"
import { Refusal, refusable } from "../../refusal.ts"
import { basisOf, type Change } from "./change.ts"
import { commitChanges } from "./commit-changes.ts"
import { requireStillPassing } from "./open-file.ts"
import { renderDiff } from "./render-diff.ts"
import type { Turn } from "./take-turns.ts"

/** What a call comes to, worked out without changing anything. */
export interface Plan {
  changes: Change[]
  /** What the model is told when it is done. */
  done: string
}

/** A tool that changes files; {@link changingTool} makes the rest of it. */
export interface ChangingTool<Args> {
  name: string
  description: string
  inputSchema: JSONSchema
  /** @throws Refusal why the call cannot be carried out */
  plan(args: Args, signal: AbortSignal | undefined): Promise<Plan>
}

/**
 * A tool that changes files: what is shown before and what is done after come from the same plan, and nothing is done where the
 * files are not those that the shown one was made from.
 *
 * @param turn one call after the other: two edits of one file in one turn must not overwrite each other
 */
export function changingTool<Args extends object>(
  { plan, ...about }: ChangingTool<Args>,
  { cwd, turn }: { cwd: string; turn: Turn },
): Tool {
  const change = async (args: Args, ctx: ToolContext) => {
    const { signal, basis } = ctx
    signal?.throwIfAborted()
    const { changes, done } = await plan(args, signal)
    if (basis !== undefined && basis !== (await basisOf(changes, cwd))) {
      throw new Refusal(
        "What it changes is not what was shown and approved any more: nothing was changed. Read it again",
      )
    }
    await requireStillPassing(changes[0]?.path ?? "It", ctx)
    await commitChanges(changes, signal)
    return done
  }
  return toolOf<Args>("builtin", {
    ...about,
    run: (args, ctx) => refusable(() => turn(() => change(args, ctx))),
    preview: async (args, { signal }): Promise<Preview> => {
      const { changes } = await plan(args, signal)
      return { diff: renderDiff(changes), basis: await basisOf(changes, cwd) }
    },
  })
}
