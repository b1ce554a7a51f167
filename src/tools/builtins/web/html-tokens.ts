/** What a page is made of, entities not yet decoded. */
export type HtmlToken =
  | { kind: "text"; text: string }
  | { kind: "open"; name: string; attribute: (name: string) => string | undefined }
  | { kind: "close"; name: string }

/** Elements whose content is no markup and no text of the page. */
const RAW = new Set(["script", "style", "noscript", "template", "svg", "iframe", "object", "canvas", "math", "title"])

/** Reads HTML as it comes, in one pass over it; what is no tag is text. */
export function* htmlTokens(html: string): Generator<HtmlToken> {
  const lower = html.toLowerCase()
  let at = 0
  while (at < html.length) {
    const start = html.indexOf("<", at)
    if (start < 0) break
    if (start > at) yield { kind: "text", text: html.slice(at, start) }
    if (html.startsWith("<!--", start)) {
      at = behind(html, "-->", start + 4)
      continue
    }
    const tag = readTag(html, start)
    if (!tag) {
      yield { kind: "text", text: "<" }
      at = start + 1
      continue
    }
    at = tag.end
    if (tag.name === "") continue // a declaration or an instruction
    if (tag.isClosing) yield { kind: "close", name: tag.name }
    else if (RAW.has(tag.name)) at = tag.isEmpty ? at : behindClose(html, lower, tag.name, at)
    else yield { kind: "open", name: tag.name, attribute: (name) => attributeIn(tag.inside, name) }
  }
  if (at < html.length) yield { kind: "text", text: html.slice(at) }
}

function behind(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from)
  return found < 0 ? html.length : found + mark.length
}

function behindClose(html: string, lower: string, name: string, from: number): number {
  const found = lower.indexOf(`</${name}`, from)
  return found < 0 ? html.length : behind(html, ">", found)
}

interface Tag {
  name: string
  isClosing: boolean
  isEmpty: boolean
  inside: string
  end: number
}

const TAG_START = /<(\/?)([a-zA-Z][a-zA-Z0-9:-]*)|<[!?]/y

function readTag(html: string, start: number): Tag | undefined {
  TAG_START.lastIndex = start
  const match = TAG_START.exec(html)
  if (!match) return undefined
  const from = TAG_START.lastIndex
  const end = endOfTag(html, from)
  const inside = html.slice(from, end)
  const name = (match[2] ?? "").toLowerCase()
  return { name, isClosing: match[1] === "/", isEmpty: inside.endsWith("/"), inside, end: end + 1 }
}

/** The `>` of a tag, which may stand in quotes before. */
function endOfTag(html: string, from: number): number {
  let quote = ""
  for (let at = from; at < html.length; at++) {
    const character = html[at] ?? ""
    if (quote !== "") quote = character === quote ? "" : quote
    else if (character === ">") return at
    else if ((character === '"' || character === "'") && html[at - 1] === "=") quote = character
  }
  return html.length
}

function attributeIn(inside: string, wanted: string): string | undefined {
  for (const [, name = "", double, single, plain] of inside.matchAll(
    /([^\s"'>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g,
  )) {
    if (name.toLowerCase() === wanted) return double ?? single ?? plain ?? ""
  }
  return undefined
}
