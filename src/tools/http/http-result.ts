import type { ToolResult } from "../../tool/tool.ts"
import { wellFormed } from "../clipped-output.ts"
import type { Hide } from "../hide-values.ts"
import type { Page } from "../web/page.ts"
import { pageText } from "../web/page-text.ts"

const MAX_CHARS = 50_000
const MAX_ERROR_CHARS = 2000

/**
 * What a server answered, for the model: text and JSON as they are, of anything else a line that names type and size. Any status but 2xx
 * is an error.
 *
 * @param hide takes out what must not be shown
 */
export function httpResult(page: Page, hide: Hide): ToolResult {
  const { status, url } = page
  const isError = status < 200 || status > 299
  const body = bodyOf(page, hide, isError ? MAX_ERROR_CHARS : MAX_CHARS)
  const head = isError ? [`${url.href} answered with status ${status}`] : []
  const shown = body === "" && !isError ? `(status ${status}, no text)` : body
  const output = [...head, shown].filter((it) => it !== "").join("\n")
  return { output: hide(output), isError, metadata: { status } }
}

function bodyOf(page: Page, hide: Hide, maxChars: number): string {
  const found = pageText(page)
  if ("note" in found) return page.bytes.length === 0 ? "" : found.note
  const text = hide(found.text) // before a cut goes through one
  const rest = text.length - maxChars
  const notice = page.cut
    ? `\n[The answer is longer than ${page.bytes.length} bytes: the rest is left out]`
    : rest > 0
      ? `\n[${rest} more characters are left out]`
      : ""
  return `${wellFormed(text.slice(0, maxChars))}${notice}`
}
