import type { Decision } from "../../permission/gate.ts"
import { messageOf, ToolnexusError } from "../../tool/error.ts"
import type { HookDecision, Hooks } from "../options.ts"

/**
 * Calls one of the host's hooks, where it has it.
 *
 * @throws ToolnexusError `hook`, naming the hook, when it throws
 */
export async function callHook(name: string, call: () => void | Promise<void> | undefined): Promise<void> {
  try {
    await call()
  } catch (cause) {
    throw new ToolnexusError("hook", `The hook ${name} failed: ${messageOf(cause)}`, { cause })
  }
}

/** How strict a decision is: of several the strictest counts. */
export const STRICTNESS: Readonly<Record<Decision["decision"], number>> = { allow: 0, ask: 1, refuse: 2 }

/** Both are called, the outer first; of what they decide the stricter counts. */
export function joinHooks(outer: Hooks = {}, inner: Hooks = {}): Hooks {
  return {
    async beforeLLM(call) {
      await outer.beforeLLM?.(call)
      await inner.beforeLLM?.(call)
    },
    async afterLLM(call) {
      await outer.afterLLM?.(call)
      await inner.afterLLM?.(call)
    },
    beforeTool: async (call) => stricter(await outer.beforeTool?.(call), await inner.beforeTool?.(call)),
    async afterTool(call) {
      await outer.afterTool?.(call)
      await inner.afterTool?.(call)
    },
  }
}

function stricter(one: HookDecision | undefined, other: HookDecision | undefined): HookDecision | undefined {
  if (!one || !other) return one ?? other
  return STRICTNESS[other.decision] > STRICTNESS[one.decision] ? other : one
}
