import { messageOf } from "../../tool/error.ts"
import { errorResult } from "../../tool/result.ts"
import type { JSONSchema, Tool, ToolResult } from "../../tool/tool.ts"
import { childEnv } from "../child-env.ts"
import { toolOf } from "../define-tool.ts"
import type { BuiltinSettings } from "./builtins.ts"
import { type Ended, runShell } from "./run-shell.ts"

const DEFAULT_TIMEOUT_MS = 120_000
const MAX_TIMEOUT_MS = 3_600_000

/** The built-in that runs a shell command. It asks nobody: the gate does. */
export function bashTool({ cwd, secretEnv, onOutput, onWarning }: BuiltinSettings): Tool {
  return toolOf<{ command: string; timeoutMs?: number }>("builtin", {
    name: "bash",
    description:
      "Runs a shell command in the working folder and gives back what it printed (stdout and stderr together) and its exit code. " +
      "There is no terminal and nothing to read from: pass flags so that commands do not ask.",
    inputSchema: SCHEMA,
    run: async ({ command, timeoutMs = DEFAULT_TIMEOUT_MS }, { signal, call }) => {
      // A NUL would cut the command short after it was shown whole.
      if (command.includes("\0")) return errorResult("The command holds a NUL character, which no shell takes.")
      const env = childEnv(process.env, secretEnv)
      const onText = onOutput && listener((text) => onOutput({ text, ...(call ? { call } : {}) }), onWarning)
      const optional = { ...(signal ? { signal } : {}), ...(onText ? { onText } : {}) }
      return render(await runShell({ command, cwd, env, timeoutMs, ...optional }), timeoutMs)
    },
  })
}

const SCHEMA: JSONSchema = {
  type: "object",
  properties: {
    command: { type: "string", minLength: 1, description: "The command, as typed in bash" },
    timeoutMs: {
      type: "integer",
      minimum: 1,
      maximum: MAX_TIMEOUT_MS,
      description: `Milliseconds until it is stopped. Default ${DEFAULT_TIMEOUT_MS}`,
    },
  },
  required: ["command"],
  additionalProperties: false,
}

/** A host's listener that throws is told of once and not called again: the command goes on. */
function listener(tell: (text: string) => void, onWarning: (message: string) => void): (text: string) => void {
  let isDeaf = false
  return (text) => {
    if (isDeaf) return
    try {
      tell(text)
    } catch (error) {
      isDeaf = true
      onWarning(`onOutput failed, and is not told of the rest of this command: ${messageOf(error)}`)
    }
  }
}

function render({ output, how }: Ended, timeoutMs: number): ToolResult {
  const text = output.trimEnd() === "" ? "(no output)" : output.trimEnd()
  switch (how.end) {
    case "exit":
      return { output: `${text}\n[exit code ${how.code}]`, isError: how.code !== 0, metadata: { exitCode: how.code } }
    case "signal":
      return errorResult(`${text}\n[ended by ${how.signal}]`)
    case "timeout":
      return errorResult(`${text}\n[stopped: it did not end within ${timeoutMs} ms]`)
    case "abort":
      return errorResult(`${text}\n[stopped: ${how.why}]`)
    case "not started":
      return errorResult(`The command was not started: ${how.why}`)
  }
}
