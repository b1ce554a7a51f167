import { messageOf } from "../../tool/error.ts"
import { oneLine } from "../one-line.ts"
import { Late } from "./deadline.ts"
import type { Reach } from "./read-servers.ts"

/** What went wrong with a server, and what to do about it. */
export interface ServerFact {
  fact: string
  next: string
}

/** What is known of the other end. */
export interface OtherEnd {
  reach: Reach
  howEnded: string | undefined
  lastWords: string
}

/** Why a server cannot be used. */
export function startFact(error: unknown, end: OtherEnd): ServerFact {
  if (error instanceof Late) return { fact: `${error.message}${said(end)}`, next: LATE[end.reach.via] }
  if (end.reach.via !== "stdio") return addressFact(error, end.reach.url)
  const { command } = end.reach
  const message = clean(messageOf(error))
  if (end.howEnded !== undefined) {
    return {
      fact: `it ended (${end.howEnded}) before it was ready${said(end)}`,
      next: "look at its command and arguments",
    }
  }
  if (message === `there is no command ${command}`)
    return { fact: message, next: "install it, or write its whole path" }
  return { fact: `${message}${said(end)}`, next: "look at its command and arguments" }
}

const LATE: Readonly<Record<Reach["via"], string>> = {
  stdio: "look at its command and arguments, or give it longer",
  http: "look at its url, or give it longer",
  sse: "look at its url, or give it longer",
}

/** How it ended, when nobody asked it to. */
export function endFact(end: Pick<OtherEnd, "howEnded" | "lastWords">): string {
  return `it ended (${end.howEnded})${said(end)}`
}

/** Why there is no result of a call, for the model. */
export function callFact(error: unknown, end: OtherEnd): string {
  if (end.howEnded !== undefined) return `it ended (${end.howEnded}) during the call${said(end)}`
  return end.reach.via === "stdio" ? clean(messageOf(error)) : addressFact(error, end.reach.url).fact
}

function said({ lastWords }: Pick<OtherEnd, "lastWords">): string {
  return lastWords === "" ? "" : `; ${clean(lastWords)}`
}

function addressFact(error: unknown, url: URL): ServerFact {
  const where = `${url.origin}${url.pathname}` // what stands behind may be a key
  const status = statusOf(error)
  if (status === 401 || status === 403) {
    return { fact: `${where} wants to know who asks (HTTP ${status})`, next: "put its token into the server's headers" }
  }
  if (status === 404 || status === 405) {
    return { fact: `${where} is no MCP server (HTTP ${status})`, next: "look at its url and its type" }
  }
  if (status !== undefined) {
    const passes = status >= 500 || status === 408 || status === 429
    const next = passes ? "try again later" : "look at its url and its type"
    return { fact: `${where} answered with HTTP ${status}: ${clean(messageOf(error))}`, next }
  }
  const { code } = causeOf(error)
  if (typeof code === "string")
    return { fact: `${where} cannot be reached (${code})`, next: "look whether it runs, and at its url" }
  return { fact: `${where}: ${clean(messageOf(error))}`, next: "look at its url" }
}

/** Node gives one error for all addresses of a host, and the reason in them. */
function causeOf(error: unknown): { code?: unknown } {
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown[] }
  if (typeof code === "string") return { code }
  const inner = cause ?? errors?.[0]
  return inner === undefined || inner === null ? {} : causeOf(inner)
}

/** The HTTP status that the SDK's transports put into `code`. */
export function statusOf(error: unknown): number | undefined {
  const { code, name } = error as { code?: unknown; name?: unknown }
  return typeof code === "number" && code >= 100 && code < 600 && name !== "McpError" ? code : undefined
}

/** Whether the server itself answered with an error, and not the way to it. */
export function refusalIn(error: unknown): string | undefined {
  const { code, name, message } = error as { code?: unknown; name?: unknown; message?: unknown }
  if (name !== "McpError" || typeof message !== "string") return undefined
  return message.replace(`MCP error ${code}: `, "")
}

const MAX_CHARS = 800

function clean(text: string): string {
  const line = oneLine(text)
  return line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS)}...` : line
}
