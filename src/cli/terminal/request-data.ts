import type { Request } from "../../index.ts"
import { isRecord } from "../is-record.ts"

/** The call that a request is about, as the engine stamped it; read with care, a request comes from elsewhere. */
export interface AskedCall {
  name: string
  input: unknown
  by: "tool" | "gate" | "engine"
  /** Of an MCP tool: whose it is. */
  server: string | undefined
  answers: readonly unknown[]
  notes: readonly unknown[]
}

export interface AskedRelay {
  id: string
  name: string
  input: unknown
}

export interface AskedQuestion {
  question: string
  options: readonly { label: string; description: string | undefined }[]
  take: "one" | "several"
}

export function callOf({ data }: Request): AskedCall | undefined {
  const call = data?.call
  if (!isRecord(call) || typeof call.name !== "string") return undefined
  const by = call.by === "gate" || call.by === "engine" ? call.by : "tool"
  const server = isRecord(call.origin) && typeof call.origin.server === "string" ? call.origin.server : undefined
  return { name: call.name, input: call.input, by, server, answers: listOf(call.answers), notes: listOf(call.notes) }
}

export function relaysOf({ data }: Request): AskedRelay[] {
  return listOf(data?.calls).flatMap((call) =>
    isRecord(call) && typeof call.id === "string" && typeof call.name === "string"
      ? [{ id: call.id, name: call.name, input: call.input }]
      : [],
  )
}

export function questionsOf({ data }: Request): AskedQuestion[] {
  return listOf(data?.questions).flatMap((entry) => {
    if (!isRecord(entry) || typeof entry.question !== "string") return []
    const options = listOf(entry.options).flatMap(optionOf)
    return [{ question: entry.question, options, take: entry.multiple === true ? "several" : "one" }]
  })
}

function optionOf(option: unknown): AskedQuestion["options"][number][] {
  if (!isRecord(option) || typeof option.label !== "string") return []
  return [{ label: option.label, description: typeof option.description === "string" ? option.description : undefined }]
}

export function agentOf({ data }: Request): string | undefined {
  const path = listOf(data?.agent).map(String)
  if (path.length > 0) return path.at(-1)?.includes("/") ? path.at(-1) : path.join("/")
  return typeof data?.agent === "string" ? data.agent : undefined
}

export function digestOf({ data }: Request): string | undefined {
  return typeof data?.digest === "string" ? data.digest : undefined
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
