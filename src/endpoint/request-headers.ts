import type { StyleName } from "../event/event.ts"
import { ToolnexusError } from "../tool/error.ts"

interface Credentials {
  style: StyleName
  url: URL
  apiKey: string | undefined
  headers: Readonly<Record<string, string>>
}

const AUTH_HEADERS: readonly string[] = ["authorization", "x-api-key", "api-key"]

/**
 * The headers of every request, names in lower case. Without a key there is no auth header; headers of the caller win.
 *
 * @throws ToolnexusError `configuration` for a value that no header can hold
 */
export function requestHeaders(credentials: Credentials): Record<string, string> {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "user-agent": "toolnexus", // some gateways refuse a request without one
    ...(credentials.style === "anthropic" ? { "anthropic-version": "2023-06-01" } : {}),
    ...authHeader(credentials),
  }
  for (const [name, value] of Object.entries(credentials.headers)) headers[name.toLowerCase()] = value
  for (const [name, value] of Object.entries(headers)) checkHeader(name, value)
  return headers
}

/** The values that must appear in no error text. */
export function secretsOf(headers: Readonly<Record<string, string>>): string[] {
  const values = AUTH_HEADERS.flatMap((name) => headers[name] ?? [])
  return values.flatMap((value) => [value, value.replace(/^(Bearer|Basic) /, "")])
}

function authHeader({ style, url, apiKey, headers }: Credentials): Record<string, string> {
  const given = Object.keys(headers).map((name) => name.toLowerCase())
  if (given.some((name) => AUTH_HEADERS.includes(name))) return {}
  const key = apiKey?.trim()
  if (key) return { [authName(style, url, key)]: authName(style, url, key) === "authorization" ? `Bearer ${key}` : key }
  if (url.username === "") return {}
  const account = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  return { authorization: `Basic ${Buffer.from(account).toString("base64")}` }
}

function authName(style: StyleName, url: URL, key: string): string {
  // Tokens of a signed-in account are bearer tokens, also where keys are not.
  if (style === "anthropic") return key.startsWith("sk-ant-oat") ? "authorization" : "x-api-key"
  return /\.(openai|cognitiveservices)\.azure\.(com|us|cn)$/.test(url.hostname) ? "api-key" : "authorization"
}

function checkHeader(name: string, value: unknown): void {
  // RFC 9110: a name is a token, a value is visible Latin-1 text on one line.
  const isSound =
    typeof value === "string" && /^[\t\x20-\x7e\x80-\xff]*$/.test(value) && /^[\w!#$%&'*+.^`|~-]+$/.test(name)
  if (isSound) return
  const what = AUTH_HEADERS.includes(name) ? "The API key" : `The header ${JSON.stringify(name)}`
  throw new ToolnexusError(
    "configuration",
    `${what} holds characters that a header cannot carry: copy it again, as one line`,
  )
}
