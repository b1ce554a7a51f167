import { constants } from "node:fs"
import { open } from "node:fs/promises"
import { join } from "node:path"
import { globPattern, type MatchesPath } from "./glob-pattern.ts"

/** What a folder's `.gitignore` says. */
export interface IgnoreRules {
  /** Whether it says something of an entry, by its path from that folder; the last line that fits counts. */
  verdict(path: string, kind: "folder" | "file"): "ignored" | "kept" | undefined
}

/** A `.gitignore` of more than this is no such file, and a line of more no pattern: each entry is compared with all. */
const MAX_BYTES = 1_000_000
const MAX_LINE_CHARS = 1000

/** @returns `undefined` where there is none that can be read */
export async function loadIgnoreRules(folder: string): Promise<IgnoreRules | undefined> {
  try {
    // As for git, a link is none; neither is a pipe or a device, which may never end.
    const handle = await open(
      join(folder, ".gitignore"),
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    )
    try {
      const stats = await handle.stat()
      return stats.isFile() && stats.size <= MAX_BYTES ? parseIgnoreRules(await handle.readFile("utf8")) : undefined
    } finally {
      await handle.close()
    }
  } catch {
    return undefined // none, or none for us: nothing is left out
  }
}

export function parseIgnoreRules(text: string): IgnoreRules {
  const rules = text.split("\n").flatMap(parseLine)
  return {
    verdict: (path, kind) =>
      rules.findLast(({ matches, only }) => (only === "any" || kind === "folder") && matches(path))?.says,
  }
}

interface IgnoreRule {
  says: "ignored" | "kept"
  only: "folder" | "any"
  matches: MatchesPath
}

function parseLine(line: string): IgnoreRule[] {
  const text = line.replace(/\r$/, "").replace(/(?<!\\)\s+$/, "")
  if (text === "" || text.startsWith("#") || text.length > MAX_LINE_CHARS) return []
  const isKept = text.startsWith("!")
  const body = isKept ? text.slice(1) : text
  const pattern = body.replace(/\/$/, "")
  // git knows no braces.
  const literal = pattern.replace(/[{}]/g, "\\$&")
  const matches = globPattern(literal, "name")
  if (!matches || pattern === "") return []
  return [{ says: isKept ? "kept" : "ignored", only: body.endsWith("/") ? "folder" : "any", matches }]
}
