import type { Tool } from "../../tool/tool.ts"
import { bashTool } from "./bash.ts"
import { questionTool } from "./question.ts"

/** Every built-in's name, in the order in which a model is offered them. */
export const BUILTIN_NAMES: readonly ["question", "bash"] = ["question", "bash"]

export type BuiltinName = (typeof BUILTIN_NAMES)[number]

/** What built-ins work with. */
export interface BuiltinSettings {
  cwd: string
  /** Environment variables that commands do not get, beside those that hold the providers' keys. */
  secretEnv: readonly string[]
}

export function createBuiltins(settings: BuiltinSettings): Record<BuiltinName, Tool> {
  return { question: questionTool(), bash: bashTool(settings) }
}
