import { normalize } from "node:path"
import { endOfMiddle } from "../tool/wildcard.ts"

/**
 * Whether a pattern may match a command anywhere inside a shell command: behind an operator, in a substitution, in quotes, behind a
 * word such as `sudo` or `xargs`, by its path, with options in front of the pattern's next word. For `deny` and `ask`: generous, since
 * any word can be what runs. It finds what is written there, not what an expansion puts together. `rm *` is also about `rm` with nothing
 * behind it: that may come from elsewhere (`xargs rm`).
 *
 * @example mayContain("ls && /bin/rm -rf x", "rm *") // true
 * @example mayContain("git -C sub push", "git push*") // true
 */
export function mayContain(command: string, pattern: string): boolean {
  const wanted = spaced(pattern)
  const alone = wanted.replace(/ \*$/, "")
  const texts = readings(command)
  return containsAny(texts, wanted) || (alone !== wanted && containsAny(texts, alone))
}

function containsAny(texts: readonly string[], pattern: string): boolean {
  const [first = "", ...behind] = pattern.split("*")
  const last = behind.pop()
  return texts.some((text) => {
    const from = endOfFirst(text, first, last === undefined ? "whole" : "begun")
    if (from === undefined || from === "too much to look at") return from !== undefined
    const end = endOfMiddle(behind, text, from)
    return end !== undefined && (last === undefined || last === "" || endsBehind(text, last, end))
  })
}

/** The command as it is written, as a shell reads it without quotes, escapes and braces, and its words alone. */
function readings(command: string): string[] {
  const joined = command.replace(/\\\r?\n/g, "")
  const plain = joined.replace(/\$\{?IFS\}?/g, " ").replace(/\$?['"]|\\/g, "")
  const unbraced = plain.replace(/[{},]/g, " ")
  const words = unbraced.replace(/:[-=+?]|[;&|<>()`=![\]\n]/g, " ")
  return [...new Set([command, joined, plain, unbraced, words, withoutDetours(words)].map(spaced))]
}

function withoutDetours(text: string): string {
  return text
    .split(" ")
    .map((word) => (word.includes("/") ? normalize(word) : word))
    .join(" ")
}

// One space for any run of spaces; a line's end stays what it is.
function spaced(text: string): string {
  return text.replace(/[^\S\n]+/g, " ").trim()
}

const WORD = /[^\s;&|<>(){}'"`=]+/g
const STARTS_PATH = /^(?:[/~$]|\.\.?\/)/
const BEHIND_OPERATOR = /(?:^|[;&|(`\n]) ?$/

/** Where a command's name may begin: at each word, and behind the folders of one that is a path to a program. */
function* starts(text: string): Generator<number> {
  yield 0
  for (const { index, 0: word } of text.matchAll(WORD)) {
    yield index
    const isPath = STARTS_PATH.test(word) || BEHIND_OPERATOR.test(text.slice(Math.max(index - 2, 0), index))
    if (isPath) yield index + word.lastIndexOf("/") + 1
  }
}

const MAX_STEPS = 1_000_000
type End = number | "too much to look at" | undefined

/** Where the pattern's text before its first star ends, at the first place where it is. */
function endOfFirst(text: string, first: string, what: "whole" | "begun"): End {
  const [program = "", ...words] = first.split(" ")
  const steps = { left: MAX_STEPS }
  for (const start of starts(text)) {
    if (!text.startsWith(program, start)) continue
    const plain = text.startsWith(first, start) ? start + first.length : undefined
    if (plain !== undefined && (what === "begun" || endsAt(text, plain))) return plain
    if (words.length === 0 || text[start + program.length] !== " ") continue
    const end = endOfWords(text, start + program.length + 1, words, steps)
    if (steps.left < 0) return "too much to look at"
    if (end !== undefined && (what === "begun" || endsAt(text, end))) return end
  }
  return undefined
}

/** Where words end that follow each other, with options in front of any; the last one may be the begin of a longer word. */
function endOfWords(
  text: string,
  start: number,
  words: readonly string[],
  steps: { left: number },
): number | undefined {
  let at = start
  for (const [index, word] of words.entries()) {
    const wanted = index < words.length - 1 ? `${word} ` : word
    const found = behindOptions(text, at, wanted, steps)
    if (found === undefined) return undefined
    at = found + wanted.length
  }
  return at
}

/** Where a word stands, behind any number of options, each of which may have a value. */
function behindOptions(text: string, start: number, wanted: string, steps: { left: number }): number | undefined {
  let at = start
  let isBehindOption = false
  while (!text.startsWith(wanted, at)) {
    const isOption = text[at] === "-"
    if (!(isOption || isBehindOption) || --steps.left < 0) return undefined
    const end = text.indexOf(" ", at)
    if (end < 0) return undefined
    isBehindOption = isOption
    at = end + 1
  }
  return at
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
