/**
 * Whether a shell command is one simple command whose text hides nothing: no operator, redirection, substitution, line end,
 * assignment, comment, escape or expansion. What cannot be told counts as not simple, so that it is asked about.
 *
 * @example isSimpleCommand("git log --grep 'a; b'") // true
 * @example isSimpleCommand("git status; rm -rf x") // false
 */
export function isSimpleCommand(command: string): boolean {
  return simpleWords(command) !== undefined
}

/**
 * The words of a simple command as its program gets them, quotes taken away; `undefined` where it is not simple.
 *
 * @example simpleWords("git log --grep 'a b'") // ["git", "log", "--grep", "a b"]
 */
export function simpleWords(command: string): string[] | undefined {
  const words = splitWords(command)
  const [first] = words ?? []
  return first === undefined || first.includes("=") || RESERVED.has(first) ? undefined : words
}

const RESERVED = new Set(
  "! [[ { } case coproc do done elif else esac fi for function if in select then time until while".split(" "),
)

// Control, format, private-use and unassigned characters, line ends, and spaces that look like U+0020 and are not.
const INVISIBLE = /[^\P{C}\t]|[^\P{Z} ]/u
const QUOTED = /'([^']*)'|"([^"$`\\!]*)"/y
// Without quotes nothing counts that a shell would read as more than a character of a word.
const PLAIN = /[^\s'"\\$`;&|<>(){}*?[\]!#~]+|(?<=[^\s])[#~!]/y
const SPACE = /[ \t]+/y

/** The words, quotes taken away, or `undefined` where anything but plain words and quoted ones is found. */
function splitWords(command: string): string[] | undefined {
  if (INVISIBLE.test(command)) return undefined
  const text = command.trim()
  const words: string[] = []
  let word: string | undefined
  for (let at = 0; at < text.length; ) {
    const space = take(SPACE, text, at)
    const piece = space ?? take(QUOTED, text, at) ?? take(PLAIN, text, at)
    if (piece === undefined) return undefined
    if (space === undefined) word = (word ?? "") + piece.value
    else if (word !== undefined) words.push(word)
    if (space !== undefined) word = undefined
    at = piece.end
  }
  if (word !== undefined) words.push(word)
  return words
}

function take(token: RegExp, text: string, at: number): { value: string; end: number } | undefined {
  token.lastIndex = at
  const match = token.exec(text)
  return match ? { value: match[1] ?? match[2] ?? match[0], end: token.lastIndex } : undefined
}
