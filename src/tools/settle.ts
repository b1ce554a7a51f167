import { isTooDeep } from "../suspension/depth.ts"
import { isRecord, typeName } from "../suspension/request.ts"
import { isToolnexusError, messageOf } from "../tool/error.ts"
import { errorResult } from "../tool/result.ts"
import type { ToolResult } from "../tool/tool.ts"

/**
 * The one place where what a tool does becomes a result: a string is the output, a `ToolResult` passes through,
 * `undefined` is the empty text, bytes are a line that names type and size, anything else is JSON.
 * A throw (an abort too) and a value that JSON cannot hold become error results.
 *
 * @param work the tool at work
 * @throws ToolnexusError `tool`: the machinery around the tool failed, so that nobody knows what the tool did
 */
export async function settle(work: () => unknown): Promise<ToolResult> {
  let value: unknown
  try {
    value = await work()
  } catch (error) {
    if (isToolnexusError(error) && error.code === "tool") throw error
    return errorResult(messageOf(error))
  }
  return toResult(value)
}

function toResult(value: unknown): ToolResult {
  try {
    if (isToolResult(value)) return plainResult(value)
    return { output: toText(value), isError: false }
  } catch (error) {
    return errorResult(`The tool gave a value that cannot be passed on: ${messageOf(error)}`)
  }
}

function isToolResult(value: unknown): value is ToolResult {
  return isRecord(value) && typeof value.output === "string" && typeof value.isError === "boolean"
}

// Metadata goes into the run file: what JSON cannot hold must fail here, not there.
function plainResult({ output, isError, metadata }: ToolResult): ToolResult {
  if (metadata === undefined || metadata === null) return { output, isError }
  if (!isRecord(metadata)) throw new TypeError(`its metadata must be an object, got ${typeName(metadata)}`)
  const plain: Record<string, unknown> = JSON.parse(toJson(metadata))
  if (isTooDeep(plain)) throw new TypeError("its metadata is nested too deeply")
  return { output, isError, metadata: plain }
}

function toText(value: unknown): string {
  if (value === undefined) return ""
  if (typeof value === "string") return value
  return binaryNote(value) ?? toJson(value)
}

function binaryNote(value: unknown): string | undefined {
  if (value instanceof Blob) return `[${value.type || "binary data"}, ${value.size} bytes]`
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[binary data, ${value.byteLength} bytes]`
  return undefined
}

function toJson(value: unknown): string {
  const text = JSON.stringify(value)
  if (text === undefined) throw new TypeError(`JSON cannot hold a ${typeName(value)}`)
  return text
}
