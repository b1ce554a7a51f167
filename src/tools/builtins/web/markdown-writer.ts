import { decodeEntities } from "./entities.ts"

const BLOCKS = new Set(
  (
    "address article aside blockquote body details dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html li main " +
    "nav ol p pre section summary table tbody thead tfoot tr ul caption"
  ).split(" "),
)

const MARKS: Readonly<Record<string, string>> = { strong: "**", b: "**", em: "*", i: "*", del: "~~", s: "~~" }
const MAX_DEPTH = 20
const MAX_LINE_CHARS = 5000

/** Writes markdown, or plain text, from the tags and texts of a page in the order in which they come. */
export class MarkdownWriter {
  readonly #format: "markdown" | "text"
  readonly #out: string[] = []
  /** The line that is being written, before what stands in front of each line of its block. */
  #line = ""
  #quotes = 0
  readonly #lists: { kind: "ul" | "ol"; count: number }[] = []
  /** The one that is open: links do not nest. */
  #link: { href: string; start: number } | undefined
  #preformatted = 0
  #cells = 0

  constructor(format: "markdown" | "text") {
    this.#format = format
  }

  text(text: string): void {
    if (this.#preformatted > 0) {
      const [first = "", ...others] = text.split("\n")
      this.#line += first
      for (const line of others) {
        this.#endLine("kept")
        this.#line = line
      }
      return
    }
    const joined = text.replace(/[\s\u00a0]+/g, " ")
    this.#line += this.#line === "" || this.#line.endsWith(" ") ? joined.trimStart() : joined
    // Bounds what looking at the line costs, on a page without blocks.
    if (this.#line.length > MAX_LINE_CHARS) this.#endLine("dropped")
  }

  open(name: string, attribute: (name: string) => string | undefined): void {
    if (name === "br" || BLOCKS.has(name)) this.#endLine("dropped")
    if (name === "ul" || name === "ol") this.#lists.push({ kind: name, count: 0 })
    else if (name === "td" || name === "th") this.#line += this.#cells++ > 0 ? " | " : ""
    else if (name === "tr") this.#cells = 0
    else if (name === "li") this.#line = this.#bullet()
    else if (this.#format === "markdown") this.#openMark(name, attribute)
    if (name === "pre") this.#preformatted++
  }

  close(name: string): void {
    if (name === "a") this.#closeLink()
    else if (name in MARKS && this.#format === "markdown" && this.#preformatted === 0) this.#line += MARKS[name]
    else if (name === "code" && this.#format === "markdown" && this.#preformatted === 0) this.#line += "`"
    if (!BLOCKS.has(name)) return
    this.#endLine("dropped")
    if (name === "ul" || name === "ol") this.#lists.pop()
    if (name === "blockquote") this.#quotes = Math.max(0, this.#quotes - 1)
    if (name === "pre") this.#closePre()
    if (name !== "li" && name !== "tr" && this.#lists.length === 0) this.#blankLine()
  }

  result(): string {
    this.#endLine("dropped")
    return this.#out
      .join("\n")
      .replace(/\n{3,}/g, "\n\n")
      .trim()
  }

  #openMark(name: string, attribute: (name: string) => string | undefined): void {
    const level = /^h([1-6])$/.exec(name)?.[1]
    if (level !== undefined) this.#line = `${"#".repeat(Number(level))} `
    else if (name === "blockquote") this.#quotes = Math.min(this.#quotes + 1, MAX_DEPTH)
    else if (name === "hr") this.#out.push("---")
    else if (name === "pre") this.#out.push("```")
    else if (this.#preformatted > 0) return
    else if (name === "code") this.#line += "`"
    else if (name === "a") this.#link = { href: decodeEntities(attribute("href") ?? ""), start: this.#line.length }
    else if (name === "img") this.#image(decodeEntities(attribute("alt") ?? ""))
    else if (Object.hasOwn(MARKS, name)) this.#line += MARKS[name]
  }

  #image(alternative: string): void {
    if (alternative !== "") this.#line += `[image: ${alternative}]`
  }

  #closeLink(): void {
    const link = this.#link
    this.#link = undefined
    if (!link || link.start > this.#line.length || /^(?:#|javascript:|$)/i.test(link.href)) return
    const text = this.#line.slice(link.start)
    if (text.trim() !== "") this.#line = `${this.#line.slice(0, link.start)}[${text.trim()}](${link.href})`
  }

  #closePre(): void {
    this.#preformatted = Math.max(0, this.#preformatted - 1)
    if (this.#format === "markdown") this.#out.push("```")
  }

  #bullet(): string {
    const list = this.#lists.at(-1)
    if (list) list.count++
    const indent = "  ".repeat(Math.min(Math.max(this.#lists.length - 1, 0), MAX_DEPTH))
    return `${indent}${list?.kind === "ol" ? `${list.count}.` : "-"} `
  }

  /** @param empty what becomes of a line in which nothing stands */
  #endLine(empty: "kept" | "dropped"): void {
    const line = this.#preformatted > 0 ? this.#line : this.#line.trimEnd()
    this.#line = ""
    this.#link = undefined
    if (empty === "dropped" && (line.trim() === "" || /^\s*(?:-|\d+\.|#+)$/.test(line))) return
    this.#out.push("> ".repeat(this.#quotes) + line)
  }

  #blankLine(): void {
    if (this.#out.at(-1) !== "") this.#out.push("")
  }
}
