import { isToolnexusError, ToolnexusError } from "../../index.ts"

/** An error of the library as the command line says it: what is a toolkit there is options here. */
export function inWordsOfOptions(error: unknown): unknown {
  if (!isToolnexusError(error) || error.code !== "unknown_tool") return error
  const { tool } = error.details
  const fact = `the run has a call of the tool ${tool} to run, and nothing here has that tool`
  return new ToolnexusError("unknown_tool", `${fact}: name the file that has it with --tools FILE and resume`, {
    details: error.details,
    cause: error,
  })
}
