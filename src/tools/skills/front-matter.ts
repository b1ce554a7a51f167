import { messageOf } from "../../tool/error.ts"

/** What a SKILL.md says of itself, as it is written there. */
export interface FrontMatter {
  name: string | undefined
  description: string | undefined
  /** What comes behind. */
  body: string
}

const MAX_CHARS = 64 * 1024

/**
 * Reads the YAML between two lines `---` at the start of a text.
 *
 * @param text without a byte order mark
 * @returns or what is wrong with it: the fact and the next step
 */
export async function parseFrontMatter(text: string): Promise<FrontMatter | { problem: string }> {
  const opening = /^\s*---[ \t]*\r?\n/.exec(text)
  if (!opening) {
    return { problem: "it has no front matter: begin it with a line ---, then name: and description:, and a line ---" }
  }
  const rest = text.slice(opening[0].length)
  const closing = /^(?:---|\.\.\.)[ \t]*\r?(?:\n|$)/m.exec(rest)
  if (!closing) return { problem: "its front matter has no end: put a line --- behind it" }
  if (closing.index > MAX_CHARS)
    return { problem: `its front matter is longer than ${MAX_CHARS} characters: shorten it` }
  const firstLine = opening[0].split("\n").length
  const read = await parseYaml(rest.slice(0, closing.index), firstLine)
  return "problem" in read ? read : { ...read, body: rest.slice(closing.index + closing[0].length) }
}

async function parseYaml(
  yaml: string,
  firstLine: number,
): Promise<Pick<FrontMatter, "name" | "description"> | { problem: string }> {
  const { isAlias, isMap, isScalar, parseDocument } = await import("yaml") // a toolkit without skills loads none
  try {
    // With this schema every value is the text that was written: 007, yes and 1.10 too, whatever its tag.
    const document = parseDocument(yaml, { schema: "failsafe" })
    const [error] = document.errors
    if (error) {
      const line = firstLine + (error.linePos?.[0].line ?? 1) - 1
      const fact = (error.message.split("\n")[0] ?? "").replace(/ at line \d+.*$/, "")
      return {
        problem: `its front matter is no YAML (line ${line}: ${fact}): text with ": " or "#" in it needs quotes`,
      }
    }
    const { contents } = document
    if (!isMap(contents)) return { problem: "its front matter holds no settings: it needs name: and description:" }
    const textAt = (key: string): string | undefined => {
      const node: unknown = contents.get(key, true)
      const value = isAlias(node) ? node.resolve(document) : node
      if (value === undefined || value === null) return undefined
      if (isScalar(value) && (value.value === null || typeof value.value === "string")) return value.value ?? undefined
      throw new Error(`${key} must be a text`)
    }
    return { name: textAt("name"), description: textAt("description") }
  } catch (error) {
    return { problem: `its front matter cannot be used (${messageOf(error)}): correct it` }
  }
}
