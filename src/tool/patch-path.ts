import type { FilePatch } from "./patch.ts"

/** The names of a `---` and a `+++` line. Marks `a/` and `b/` are taken away where both have theirs, or the other is /dev/null. */
export function markedPath(before: string, after: string): Pick<FilePatch, "from" | "to"> {
  const from = nameIn(before)
  const to = nameIn(after)
  const marked =
    (from === undefined || from.startsWith("a/")) && (to === undefined || to.startsWith("b/") || to.startsWith("a/"))
  if (!marked || (from !== undefined && to?.startsWith("a/"))) return { from, to }
  return { from: from?.slice(2), to: to?.slice(2) }
}

function nameIn(text: string): string | undefined {
  const path = plainPath(text)
  return path === "/dev/null" ? undefined : path
}

/** A path as git writes it: quoted where it is odd; behind a tab there may be a time. */
export function plainPath(text: string): string {
  const trimmed = text.replace(/\r$/, "")
  const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(trimmed)
  if (quoted) return unquoted(quoted[1] ?? "")
  return (trimmed.split("\t")[0] ?? "").trimEnd()
}

const ESCAPES: Readonly<Record<string, string>> = { a: "\x07", b: "\b", t: "\t", n: "\n", v: "\v", f: "\f", r: "\r" }

/** Octal escapes are bytes of UTF-8. */
function unquoted(text: string): string {
  const bytes: Buffer[] = []
  for (const [piece, octal, escaped] of text.matchAll(/\\([0-7]{1,3})|\\(.)|[^\\]+/gs)) {
    if (octal !== undefined) bytes.push(Buffer.from([Number.parseInt(octal, 8) & 0xff]))
    else bytes.push(Buffer.from(escaped === undefined ? piece : (ESCAPES[escaped] ?? escaped)))
  }
  return Buffer.concat(bytes).toString("utf8")
}
