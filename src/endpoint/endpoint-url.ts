import type { StyleName } from "../event/event.ts"
import { ToolnexusError } from "../tool/error.ts"
import { mask } from "./errors/mask.ts"

/** Where a style is asked, and what the path may end in already. */
const PATHS: Record<StyleName, { full: string; version: string }> = {
  openai: { full: "/chat/completions", version: "" },
  anthropic: { full: "/messages", version: "/v1" },
}

/**
 * The address to ask, for any form of base URL: with and without trailing slash, `/v1`, the full path, a query.
 *
 * @throws ToolnexusError `configuration` where it is no http(s) address
 * @example endpointUrl("http://127.0.0.1:8080/v1/", "openai").href // "http://127.0.0.1:8080/v1/chat/completions"
 */
export function endpointUrl(baseUrl: string, style: StyleName): URL {
  const url = parseUrl(baseUrl)
  const { full, version } = PATHS[style]
  const path = url.pathname.replace(/\/+$/, "")
  if (path.endsWith(full)) url.pathname = path
  else if (path.endsWith(version)) url.pathname = path + full
  else url.pathname = path + version + full
  url.hash = ""
  return url
}

function parseUrl(baseUrl: string): URL {
  const url = typeof baseUrl === "string" && URL.canParse(baseUrl.trim()) ? new URL(baseUrl.trim()) : undefined
  if (url && (url.protocol === "http:" || url.protocol === "https:")) return url
  // Not what may be secret in it.
  const shown = JSON.stringify(typeof baseUrl === "string" ? mask(baseUrl) : baseUrl) ?? "nothing"
  throw new ToolnexusError("configuration", `The base URL must begin with http:// or https://, got ${shown}`)
}
