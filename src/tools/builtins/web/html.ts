import { decodeEntities } from "./entities.ts"
import { htmlTokens } from "./html-tokens.ts"
import { MarkdownWriter } from "./markdown-writer.ts"

/** A page as markdown: headings, lists, links, code, quotes and tables. Scripts, styles and forms' parts are left out. */
export function htmlToMarkdown(html: string): string {
  return written(html, "markdown")
}

/** The words of a page, a line for each block. */
export function htmlToText(html: string): string {
  return written(html, "text")
}

function written(html: string, format: "markdown" | "text"): string {
  const writer = new MarkdownWriter(format)
  for (const token of htmlTokens(html)) {
    if (token.kind === "text") writer.text(decodeEntities(token.text))
    else if (token.kind === "open") writer.open(token.name, token.attribute)
    else writer.close(token.name)
  }
  return writer.result()
}
