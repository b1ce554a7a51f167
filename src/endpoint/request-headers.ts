import type { StyleName } from "../event/event.ts"
import { ToolnexusError } from "../tool/error.ts"
import { namesSecret } from "../tool/secret-name.ts"
import { accountOf } from "./transport/proxy.ts"

/** The header that a key is sent in; `none` sends none. */
export type AuthScheme = "bearer" | "x-api-key" | "api-key" | "none"

interface Credentials {
  style: StyleName
  url: URL
  apiKey: string | undefined
  /** Without one: what the style and the host want. */
  auth?: AuthScheme | undefined
  headers: Readonly<Record<string, string>>
}

const AUTH_HEADERS: readonly string[] = ["authorization", "x-api-key", "api-key"]
const SCHEMES: ReadonlySet<AuthScheme> = new Set(["bearer", "x-api-key", "api-key", "none"])

/**
 * The headers of every request, names in lower case. Without a key there is no auth header; headers of the caller win.
 *
 * @throws ToolnexusError `configuration` for an unknown scheme, or a value that no header can hold
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

/**
 * The values that must appear in no error text: auth headers, those of gateways that are named after a key, and what of
 * the address is secret.
 */
export function secretsOf(headers: Readonly<Record<string, string>>, url: URL): string[] {
  const inHeaders = Object.entries(headers).filter(([name]) => namesSecret(name))
  const inQuery = [...url.searchParams].filter(([name]) => namesSecret(name)).map(([, value]) => value)
  const [name, password] = accountOf(url)
  const values = inHeaders.flatMap(([, value]) => [value, value.replace(/^(Bearer|Basic) /i, "")])
  return [...values, ...inQuery, password || name].filter((secret) => secret !== "")
}

function authHeader({ style, url, apiKey, auth, headers }: Credentials): Record<string, string> {
  if (auth !== undefined && !SCHEMES.has(auth)) {
    const known = [...SCHEMES].join(", ")
    throw new ToolnexusError("configuration", `auth must be one of ${known}, got ${JSON.stringify(auth)}`)
  }
  const given = Object.keys(headers).map((name) => name.toLowerCase())
  if (auth === "none" || given.some((name) => AUTH_HEADERS.includes(name))) return {}
  const key = apiKey?.trim()
  if (key) return keyHeader(auth ?? usualScheme(style, url, key), key)
  if (url.username === "" && url.password === "") return {}
  return { authorization: `Basic ${Buffer.from(accountOf(url).join(":")).toString("base64")}` }
}

function keyHeader(auth: Exclude<AuthScheme, "none">, key: string): Record<string, string> {
  return auth === "bearer" ? { authorization: `Bearer ${key}` } : { [auth]: key }
}

function usualScheme(style: StyleName, url: URL, key: string): Exclude<AuthScheme, "none"> {
  // Tokens of a signed-in account are bearer tokens, also where keys are not.
  if (style === "anthropic") return key.startsWith("sk-ant-oat") ? "bearer" : "x-api-key"
  return /\.(openai|cognitiveservices)\.azure\.(com|us|cn)$/.test(url.hostname) ? "api-key" : "bearer"
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
