/** A value in a JSON text, and where it stands. */
export interface JsonNode {
  start: number
  end: number
  /** Of an object or a list, in their order; of a list they are named by their place. */
  entries: readonly JsonEntry[] | undefined
}

export interface JsonEntry {
  name: string
  /** Where its name begins; in a list, its value. */
  start: number
  value: JsonNode
}

interface Token {
  word: string
  start: number
  end: number
}

/**
 * Where everything stands in a JSON text.
 *
 * @param text JSON, which is not checked again; it may begin with a byte order mark
 */
export function jsonNode(text: string): JsonNode {
  const next = tokensOf(text)
  return nodeFrom(next(), next)
}

function tokensOf(text: string): () => Token {
  const token = /[\uFEFF \t\r\n]*("[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^ \t\r\n{}[\],:"]+)/gy
  return () => {
    const word = token.exec(text)?.[1]
    if (word === undefined) throw new Error("the text is no JSON")
    return { word, start: token.lastIndex - word.length, end: token.lastIndex }
  }
}

function nodeFrom({ word, start, end }: Token, next: () => Token): JsonNode {
  if (word !== "{" && word !== "[") return { start, end, entries: undefined }
  const close = word === "{" ? "}" : "]"
  const entries: JsonEntry[] = []
  for (let token = next(); ; token = next()) {
    if (token.word === close) return { start, end: token.end, entries }
    if (token.word === ",") continue
    entries.push(word === "{" ? memberFrom(token, next) : elementFrom(token, next, entries.length))
  }
}

function memberFrom(name: Token, next: () => Token): JsonEntry {
  next() // the colon
  return { name: JSON.parse(name.word) as string, start: name.start, value: nodeFrom(next(), next) }
}

function elementFrom(first: Token, next: () => Token, at: number): JsonEntry {
  return { name: String(at), start: first.start, value: nodeFrom(first, next) }
}
