import { isRecord } from "../../suspension/request.ts"
import type { ToolResult } from "../../tool/tool.ts"
import { clippedOutput } from "../clipped-output.ts"
import { oneLine } from "../one-line.ts"

const MAX_OUTPUT_CHARS = 30_000

/** What the model is told of a result: its texts, and a line for each part that is none. */
export function renderResult(result: Record<string, unknown>): ToolResult {
  const parts = Array.isArray(result.content) ? result.content.map(renderPart) : []
  const text = parts.length > 0 ? parts.join("\n") : jsonOf(result.structuredContent ?? result.toolResult)
  const output = clippedOutput(MAX_OUTPUT_CHARS)
  output.write(Buffer.from(text))
  return { output: output.text(), isError: result.isError === true }
}

function renderPart(part: unknown): string {
  if (!isRecord(part)) return `[a part that is none: ${shown(JSON.stringify(part))}]`
  switch (part.type) {
    case "text":
      return typeof part.text === "string" ? part.text : "[a text without its text]"
    case "image":
    case "audio":
      return `[${part.type}: ${shown(part.mimeType ?? "of no type")}, ${bytesOf(part.data)}]`
    case "resource":
      return renderResource(part.resource)
    case "resource_link":
      return `[resource link: ${facts(part.uri, part.name, part.mimeType, sizeOf(part.size))}]`
    default:
      return `[a part of the type ${shown(part.type)}]`
  }
}

/** A text in it is a text; what is none is named. */
function renderResource(resource: unknown): string {
  if (!isRecord(resource)) return "[a resource that is none]"
  const { uri, mimeType, text, blob } = resource
  if (typeof text !== "string") return `[resource: ${facts(uri, mimeType, bytesOf(blob))}]`
  return `[resource: ${facts(uri, mimeType, `${Buffer.byteLength(text)} bytes`)}]\n${text}`
}

function facts(...known: unknown[]): string {
  return known
    .filter((fact) => typeof fact === "string" && fact !== "")
    .map(shown)
    .join(", ")
}

function sizeOf(size: unknown): string | undefined {
  return typeof size === "number" ? `${size} bytes` : undefined
}

/** Of what is in base64. */
function bytesOf(data: unknown): string {
  return typeof data === "string" ? `${Buffer.byteLength(data, "base64")} bytes` : "without its data"
}

const MAX_FACT_CHARS = 300

function shown(value: unknown): string {
  const line = oneLine(String(value))
  return line.length > MAX_FACT_CHARS ? `${line.slice(0, MAX_FACT_CHARS)}...` : line
}

function jsonOf(value: unknown): string {
  if (value === undefined || value === null) return ""
  try {
    return JSON.stringify(value)
  } catch {
    return "[a value that is nested too deeply]" // it came as JSON, so nothing else can be wrong with it
  }
}
