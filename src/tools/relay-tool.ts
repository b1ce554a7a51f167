import { pending } from "../tool/result.ts"
import type { JSONSchema, Tool } from "../tool/tool.ts"
import { toolOf } from "./define-tool.ts"

/**
 * Declares a call that only the host can carry out: it suspends with a request of kind `tool_call`, and the answer's
 * payload is its result.
 *
 * @param name what the model calls it; no built-in's name
 * @param description what the model reads
 * @param inputSchema without one the call takes no parameters
 * @throws ToolnexusError `usage`, naming the member that is wrong
 * @example relayTool("weather", "look up the weather")
 */
export function relayTool(name: string, description: string, inputSchema?: JSONSchema): Tool {
  return toolOf("relay", {
    name,
    description,
    ...(inputSchema === undefined ? {} : { inputSchema }),
    run: () => pending({ kind: "tool_call", prompt: `Carry out the call of ${name} and give its result` }),
  })
}
