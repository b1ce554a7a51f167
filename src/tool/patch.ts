import { isHeaderPair, parseHunks } from "./patch-hunks.ts"
import { markedPath, plainPath } from "./patch-path.ts"

/** A line of a hunk: kept, taken away or added, with its line end where the file has one. */
export interface HunkLine {
  kind: "kept" | "removed" | "added"
  text: string
}

export interface Hunk {
  /** The first line, from 1, as the header says it; `undefined` for a bare `@@`. */
  line: number | undefined
  lines: HunkLine[]
}

/** What a patch does to one file. Without `from` it is made, without `to` deleted, with two names renamed. */
export interface FilePatch {
  from: string | undefined
  to: string | undefined
  hunks: Hunk[]
  /** Whether the file is to be executable, where the patch says so. */
  executable: boolean | undefined
}

export type ParsedPatch = { files: FilePatch[] } | { problem: string }

/**
 * Reads a unified diff of one or more files, with or without git's headers. Gate and tool read it by this one function.
 *
 * @param text what a model sent; line ends may be CRLF
 * @returns the files, or why it cannot be read, with the line
 */
export function parsePatch(text: string): ParsedPatch {
  const lines = text.split("\n")
  const files: FilePatch[] = []
  let at = 0
  while (at < lines.length) {
    const header = readHeader(lines, at)
    if ("problem" in header) return header
    const hunks = parseHunks(lines, header.next)
    if ("problem" in hunks) return hunks
    at = hunks.next
    if (header.names) {
      const problem = problemOf(header, hunks.hunks)
      if (problem !== undefined) return { problem: `Line ${header.next}: ${problem}` }
      files.push({ ...header.names, hunks: hunks.hunks, executable: header.executable })
    } else if (hunks.hunks.length > 0) {
      return { problem: `Line ${header.next + 1}: a hunk stands before any file's name: begin with --- and +++ lines` }
    }
  }
  if (files.length > 0) return { files }
  return { problem: "No file is named in it: it must be a unified diff, with --- and +++ lines before the hunks" }
}

interface Header {
  names: Pick<FilePatch, "from" | "to"> | undefined
  kind: "content" | "git"
  executable: boolean | undefined
  /** The first line behind it. */
  next: number
}

const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/^(?:Binary files |GIT binary patch)/, "a binary patch cannot be applied"],
  [/^copy (?:from|to) /, "copies are not known here: give the new file whole, with /dev/null as its old name"],
  [/^(?:new|old|deleted) (?:file )?mode (?!100)/, "only regular files can be patched"],
]

/** Everything up to the first hunk, or to the end: names, modes and what is of no meaning. */
function readHeader(lines: readonly string[], start: number): Header | { problem: string } {
  const seen = new Map<string, string>()
  let at = start
  for (; at < lines.length; at++) {
    const line = bare(lines[at] ?? "")
    if (line.startsWith("@@")) break
    if (line.startsWith("diff --git ") && seen.size > 0) break
    if (line.startsWith("--- ") && seen.has("---") && isHeaderPair(lines, at)) break
    const refused = REFUSED.find(([pattern]) => pattern.test(line))
    if (refused) return { problem: `Line ${at + 1}: ${refused[1]}` }
    const [key, value] = headerOf(line) ?? []
    if (key !== undefined && value !== undefined) seen.set(key, value)
  }
  return { ...namesIn(seen), executable: executableIn(seen), next: at }
}

const KEYS = ["---", "+++", "rename from", "rename to", "new file mode", "deleted file mode", "new mode", "diff --git"]

function headerOf(line: string): [string, string] | undefined {
  const key = KEYS.find((each) => line.startsWith(`${each} `))
  return key === undefined ? undefined : [key, line.slice(key.length + 1)]
}

function namesIn(seen: ReadonlyMap<string, string>): Pick<Header, "names" | "kind"> {
  const from = seen.get("rename from")
  const to = seen.get("rename to")
  if (from !== undefined && to !== undefined) {
    return { names: { from: plainPath(from), to: plainPath(to) }, kind: "git" }
  }
  const before = seen.get("---")
  const after = seen.get("+++")
  if (before !== undefined && after !== undefined) return { names: markedPath(before, after), kind: "content" }
  const both = /^("?)a\/(.+)\1 \1b\/\2\1$/.exec(seen.get("diff --git") ?? "")
  if (!both) return { names: undefined, kind: "git" }
  const path = plainPath(`${both[1]}${both[2]}${both[1]}`)
  if (seen.has("new file mode")) return { names: { from: undefined, to: path }, kind: "git" }
  if (seen.has("deleted file mode")) return { names: { from: path, to: undefined }, kind: "git" }
  return { names: { from: path, to: path }, kind: "git" }
}

function executableIn(seen: ReadonlyMap<string, string>): boolean | undefined {
  const mode = seen.get("new file mode") ?? seen.get("new mode")
  return mode === undefined ? undefined : /[1357]/.test(mode.slice(-3))
}

function problemOf({ names, kind, executable }: Header, hunks: readonly Hunk[]): string | undefined {
  if (names?.from === undefined && names?.to === undefined) return "both names are /dev/null"
  if (names.from === "" || names.to === "") return "a file's name is empty"
  const whole = names.from === undefined || names.to === undefined
  const withoutHunks = whole || (kind === "git" && (names.from !== names.to || executable !== undefined))
  return hunks.length > 0 || withoutHunks ? undefined : "the file's names are followed by no hunk"
}

function bare(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line
}
