import type { Tool, ToolContext } from "../../tool/tool.ts"
import { applyPatchTool } from "./apply-patch.ts"
import { bashTool } from "./bash.ts"
import type { BuiltinName } from "./builtin-names.ts"
import { editTool } from "./edit.ts"
import { takeTurns } from "./file/take-turns.ts"
import { globTool } from "./glob.ts"
import { grepTool } from "./grep.ts"
import { questionTool } from "./question.ts"
import { readTool } from "./read.ts"
import { todoTool } from "./todo.ts"
import { webfetchTool } from "./webfetch.ts"
import { writeTool } from "./write.ts"

/** What a command printed, as it was printed. */
export interface CommandOutput {
  text: string
  /** Of which call; absent where a toolkit was used by hand. */
  call?: NonNullable<ToolContext["call"]>
}

/** What built-ins work with. */
export interface BuiltinSettings {
  cwd: string
  /** Environment variables that commands do not get, beside those that hold the providers' keys. */
  secretEnv: readonly string[]
  /** Hosts that webfetch may reach though they are not public: `HOST` or `HOST:PORT`, `*` for all. */
  privateHosts: readonly string[]
  /** Told of each piece that a command prints, before the command has ended. */
  onOutput: ((output: CommandOutput) => void) | undefined
  /** Told of what is odd and stops nothing. */
  onWarning: (message: string) => void
}

export function createBuiltins(settings: BuiltinSettings): Record<BuiltinName, Tool> {
  const turn = takeTurns()
  return {
    question: questionTool(),
    read: readTool(settings),
    write: writeTool(settings, turn),
    edit: editTool(settings, turn),
    apply_patch: applyPatchTool(settings, turn),
    glob: globTool(settings),
    grep: grepTool(settings),
    bash: bashTool(settings),
    webfetch: webfetchTool(settings),
    todo: todoTool(),
  }
}
