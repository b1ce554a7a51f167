import { randomUUID } from "node:crypto"
import { ToolnexusError } from "../tool/error.ts"
import { isTooDeep } from "./depth.ts"

/** What a person (or a host) is asked: plain data that crosses processes, languages and machines. */
export interface Request {
  /** Unique for the life of its run. */
  id: string
  /** `approval`, `input`, `question`, `authorization`, `tool_call`, `in_doubt`, `secret`, or any other word: free text. */
  kind: string
  prompt: string
  /** Where something has to be done, for `authorization`. */
  url?: string
  data?: Record<string, unknown>
  /** RFC 3339; after it the request takes no answer. */
  expiresAt?: string
}

/** One question of a request of kind `question`. */
export interface Question {
  question: string
  options?: { label: string; description?: string }[]
  multiple?: boolean
}

/** Who asked: the tool itself, the gate in front of it, or the engine about a call whose outcome is unknown. */
export type AskedBy = "tool" | "gate" | "engine"

/** What the engine stamps into `request.data.call`: the call that the answer decides about. */
export interface StampedCall {
  id: string
  name: string
  /** The arguments as they will run. */
  input: unknown
  by: AskedBy
  /** Of an MCP tool: the server that it is called at, and its name there. */
  origin?: { server: string; tool: string }
  /** The answers that this call already had, a secret's without its value. */
  answers?: unknown[]
  /** The answers among them that were secrets: what was asked, to be asked again. */
  withheld?: { id: string; prompt: string }[]
  /** Which of them this request asks for again. */
  renews?: string
  /** What people noted on those answers. */
  notes?: string[]
}

/** One entry of `request.data.calls`, for a relayed request. */
export interface RelayedCall {
  id: string
  name: string
  input: unknown
  /** The raw JSON text that the model sent. */
  arguments: string
}

/** An id that no other process makes. It fits `--answer ID=TEXT`. */
export function makeRequestId(): string {
  return `req_${randomUUID()}`
}

/**
 * Checks data that crossed a boundary and is said to be a request.
 *
 * @param value what came in, for instance from `JSON.parse`
 * @returns the request, unknown members dropped
 * @throws ToolnexusError `invalid_request`, naming the field that is wrong
 * @example parseRequest(JSON.parse('{"id":"r","kind":"input","prompt":"Which?"}')) // the same, checked
 */
export function parseRequest(value: unknown): Request {
  const it = fields(value)
  const request: Request = { id: text(it, "id"), kind: text(it, "kind"), prompt: text(it, "prompt", "may be empty") }
  if (it.url !== undefined) request.url = text(it, "url")
  if (it.data !== undefined) request.data = record(it.data)
  if (it.expiresAt !== undefined) request.expiresAt = rfc3339(it.expiresAt)
  return request
}

function fields(value: unknown): Record<string, unknown> {
  if (isRecord(value)) return value
  throw invalid(`a request must be an object, got ${typeName(value)}`)
}

function text(it: Record<string, unknown>, field: string, empty: "may be empty" | "not empty" = "not empty"): string {
  const value = it[field]
  if (typeof value !== "string") throw invalid(`request.${field} must be a string, got ${typeName(value)}`)
  if (value === "" && empty === "not empty") throw invalid(`request.${field} must not be empty`)
  return value
}

function record(value: unknown): Record<string, unknown> {
  if (isTooDeep(value)) throw invalid("request.data is nested too deeply")
  if (isRecord(value)) return value
  throw invalid(`request.data must be an object, got ${typeName(value)}`)
}

function rfc3339(value: unknown): string {
  if (typeof value === "string" && timeOf(value) !== undefined) return value
  throw invalid("request.expiresAt must be an RFC 3339 time such as 2026-01-31T12:00:00Z")
}

// RFC 3339 section 5.6; Date.parse alone takes much more, in the local time zone.
const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)([Tt]\d\d:\d\d):(\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/

/** Milliseconds since 1970 of an RFC 3339 time, or `undefined` where it is none. A leap second is the one before it. */
export function timeOf(text: string): number | undefined {
  const [, year, month, day, minutes, seconds, fraction = "", zone] = RFC_3339.exec(text) ?? []
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  if (zone === undefined || Number(day) > lastDay) return undefined
  const time = Date.parse(`${year}-${month}-${day}${minutes}:${seconds === "60" ? "59" : seconds}${fraction}${zone}`)
  return Number.isNaN(time) ? undefined : time
}

function invalid(message: string): ToolnexusError {
  return new ToolnexusError("invalid_request", message)
}

/** Whether a value is a JSON object (neither an array nor `null`). */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** The name of a value's type as messages say it: `null` is `null`, an array is `array`. */
export function typeName(value: unknown): string {
  if (value === null) return "null"
  return Array.isArray(value) ? "array" : typeof value
}
