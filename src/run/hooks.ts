import { messageOf, ToolnexusError } from "../tool/error.ts"

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
