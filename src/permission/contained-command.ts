import { endOfMiddle } from "../tool/wildcard.ts"

/**
 * Whether a pattern may match a command anywhere inside a shell command: behind an operator, in a substitution, in quotes, behind a
 * word such as `sudo` or `xargs`, by its path. For `deny` and `ask`: generous, since any word can be what runs. It finds what is
 * written there, not what an expansion puts together.
 *
 * @example mayContain("ls && /bin/rm -rf x", "rm *") // true
 */
export function mayContain(command: string, pattern: string): boolean {
  const parts = spaced(pattern).split("*")
  return readings(command).some((text) => starts(text).some((start) => matchesAt(text, start, parts)))
}

/** The command as it is written, and as a shell reads it without quotes, escapes and braces. */
function readings(command: string): string[] {
  const joined = command.replace(/\\\r?\n/g, "")
  const plain = joined.replace(/\$\{?IFS\}?/g, " ").replace(/\$?['"]|\\/g, "")
  return [...new Set([command, joined, plain, plain.replace(/[{},]/g, " ")].map(spaced))]
}

// One space for any run of spaces; a line's end stays what it is.
function spaced(text: string): string {
  return text.replace(/[^\S\n]+/g, " ").trim()
}

const WORD = /[^\s;&|<>(){}'"`=]+/g
const STARTS_PATH = /^(?:[/~$]|\.\.?\/)/
const BEHIND_OPERATOR = /(?:^|[;&|(`\n]) ?$/

/** Where a command's name may begin: at each word, and behind the folders of one that is a path to a program. */
function starts(text: string): number[] {
  const found = new Set([0])
  for (const { index, 0: word } of text.matchAll(WORD)) {
    found.add(index)
    const isPath = STARTS_PATH.test(word) || BEHIND_OPERATOR.test(text.slice(Math.max(index - 2, 0), index))
    if (isPath) found.add(index + word.lastIndexOf("/") + 1)
  }
  return [...found]
}

function matchesAt(text: string, start: number, parts: readonly string[]): boolean {
  const first = parts[0] ?? ""
  const last = parts.at(-1) ?? ""
  if (!text.startsWith(first, start)) return false
  if (parts.length === 1) return endsAt(text, start + first.length)
  const from = endOfMiddle(parts.slice(1, -1), text, start + first.length)
  return from !== undefined && (last === "" || endsBehind(text, last, from))
}

function endsBehind(text: string, last: string, from: number): boolean {
  for (let at = text.indexOf(last, from); at >= 0; at = text.indexOf(last, at + 1)) {
    if (endsAt(text, at + last.length)) return true
  }
  return false
}

const END = / ?(?:$|[\n;&|<>(){}'"`#])/y

function endsAt(text: string, at: number): boolean {
  END.lastIndex = at
  return END.test(text)
}
