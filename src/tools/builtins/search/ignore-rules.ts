import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { globPattern, type MatchesPath } from "./glob-pattern.ts"

/** What a folder's `.gitignore` says. */
export interface IgnoreRules {
  /** Whether it says something of an entry, by its path from that folder; the last line that fits counts. */
  verdict(path: string, kind: "folder" | "file"): "ignored" | "kept" | undefined
}

/** A `.gitignore` of more than this is no such file. */
const MAX_CHARS = 1_000_000

/** @returns `undefined` where there is none that can be read */
export async function loadIgnoreRules(folder: string): Promise<IgnoreRules | undefined> {
  try {
    const text = await readFile(join(folder, ".gitignore"), "utf8")
    return text.length > MAX_CHARS ? undefined : parseIgnoreRules(text)
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
  if (text === "" || text.startsWith("#")) return []
  const isKept = text.startsWith("!")
  const body = isKept ? text.slice(1) : text
  const pattern = body.replace(/\/$/, "")
  // git knows no braces.
  const literal = pattern.replace(/[{}]/g, "\\$&")
  const matches = globPattern(literal, "name")
  if (!matches || pattern === "") return []
  return [{ says: isKept ? "kept" : "ignored", only: body.endsWith("/") ? "folder" : "any", matches }]
}
