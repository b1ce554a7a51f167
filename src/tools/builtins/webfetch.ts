import type { JSONSchema, Tool, ToolResult } from "../../tool/tool.ts"
import { wellFormed } from "../clipped-output.ts"
import { toolOf } from "../define-tool.ts"
import { refusable } from "../refusal.ts"
import type { Page } from "../web/page.ts"
import { pageText } from "../web/page-text.ts"
import type { BuiltinSettings } from "./builtins.ts"

const TIMEOUT_MS = 30_000
const MAX_BYTES = 5 * 1024 * 1024
const MAX_CHARS = 50_000

interface WebfetchArguments {
  url: string
  format?: "markdown" | "text"
  offset?: number
}

/** The built-in that gets a page of the web. */
export function webfetchTool({ privateHosts }: BuiltinSettings): Tool {
  return toolOf<WebfetchArguments>("builtin", {
    name: "webfetch",
    description:
      "Gets a page by its address and gives its text: HTML as markdown, or as plain text. It only reads (GET). Long pages come in parts: go on with " +
      "offset. Addresses of this machine and of networks behind it are refused; a redirect to another host is told and not followed.",
    inputSchema: SCHEMA,
    annotations: { readOnly: true },
    run: (args, { signal }) =>
      refusable(async () => {
        // What reaches the web is loaded by the first call: no run waits for it.
        const { fetchPage } = await import("./web/fetch-page.ts")
        const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES }
        return await render(args, await fetchPage(args.url, { ...limits, privateHosts, signal }))
      }),
  })
}

const SCHEMA: JSONSchema = {
  type: "object",
  properties: {
    url: { type: "string", minLength: 1, maxLength: 8000, description: "The whole address, with https:// or http://" },
    format: { enum: ["markdown", "text"], description: "How HTML is given. Default markdown" },
    offset: { type: "integer", minimum: 0, description: "How many characters are left out at the start. Default 0" },
  },
  required: ["url"],
  additionalProperties: false,
}

async function render({ format = "markdown", offset = 0 }: WebfetchArguments, page: Page): Promise<ToolResult> {
  const text = await textOf(page, format)
  const part = wellFormed(text.slice(offset, offset + MAX_CHARS))
  const rest = text.length - offset - MAX_CHARS
  const notices = [
    ...(rest > 0 ? [`[${rest} more characters: go on with offset ${offset + MAX_CHARS}]`] : []),
    ...(page.cut && rest <= 0
      ? [`[The page is longer than ${MAX_BYTES} bytes: what is behind cannot be fetched]`]
      : []),
    ...(offset > 0 && offset >= text.length
      ? [`[The page has ${text.length} characters, and offset is ${offset}]`]
      : []),
  ]
  const shown = [part.trim() === "" && notices.length === 0 ? "(no text)" : part, ...notices].filter((it) => it !== "")
  const isError = page.status < 200 || page.status > 299
  const head = isError ? [`${page.url.href} answered with status ${page.status}`] : []
  return { output: [...head, ...shown].join("\n"), isError, metadata: { status: page.status, url: page.url.href } }
}

async function textOf(page: Page, format: "markdown" | "text"): Promise<string> {
  const found = pageText(page)
  if ("note" in found) return found.note
  if (page.type !== "text/html" && page.type !== "application/xhtml+xml") return found.text
  const { htmlToMarkdown, htmlToText } = await import("./web/html.ts")
  return format === "markdown" ? htmlToMarkdown(found.text) : htmlToText(found.text)
}
