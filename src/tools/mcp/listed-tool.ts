import { isTooDeep } from "../../suspension/depth.ts"
import { isRecord, typeName } from "../../suspension/request.ts"
import type { JSONSchema } from "../../tool/tool.ts"
import { noParameters } from "../define-tool.ts"

/** A tool as its server lists it. */
export interface ListedTool {
  name: string
  description: string
  inputSchema: JSONSchema
  /** What the server says of it; nobody has to believe that. */
  hints: { readOnly: boolean; idempotent: boolean }
  /** How it wants to be called. */
  as: "a request" | "a task"
}

/** Reads an entry of a server's list; a `problem` says why it cannot be offered. */
export function listedTool(entry: unknown): ListedTool | { problem: string } {
  if (!isRecord(entry)) return { problem: `an entry of its list is no tool but ${typeName(entry)}` }
  const { name, description, inputSchema = noParameters(), annotations, execution } = entry
  if (typeof name !== "string" || name === "") return { problem: "a tool of its list has no name" }
  if (!isRecord(inputSchema) || inputSchema.type !== "object") {
    return { problem: `the schema of its tool ${name} is not of the type object` }
  }
  if (isTooDeep(inputSchema)) return { problem: `the schema of its tool ${name} is nested too deeply` }
  const hints = isRecord(annotations) ? annotations : {}
  return {
    name,
    description: typeof description === "string" ? description : "",
    inputSchema,
    hints: { readOnly: hints.readOnlyHint === true, idempotent: hints.idempotentHint === true },
    as: isRecord(execution) && execution.taskSupport === "required" ? "a task" : "a request",
  }
}
