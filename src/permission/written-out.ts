import { matchesWildcard } from "../tool/wildcard.ts"
import { furtherWords } from "./further-words.ts"
import { shown } from "./misfit.ts"
import { programName } from "./program-reach.ts"

/** What a pattern says by itself, beside what its stars stand for. */
export interface Writing {
  /** Whether a word of a command is there. */
  has(word: string): boolean
  /** Without quotes, as the words of a command are. */
  text: string
}

export function writingOf(pattern: string): Writing {
  const { words, text } = readWriting(pattern)
  return { has: (word) => words.has(word) || isQuotedIn(pattern, word), text }
}

/**
 * Why a pattern does not let the words of a command pass by which it does more than its program's name says, or `undefined`: each must be
 * written out, as often as it is there, and as a word of its own and not in one that is quoted.
 *
 * @param pattern with at least one star; it fits the command
 */
export function unwrittenWord(pattern: string, words: readonly string[]): string | undefined {
  const { words: written, text } = readWriting(pattern)
  const [program = ""] = words
  const isNamed = written.has(program) || written.has(programName(program))
  let relies = false
  for (const { word, name, does } of furtherWords(words)) {
    const wanted = [word, name].find((each) => (written.get(each) ?? 0) > 0)
    if (wanted !== undefined) {
      written.set(wanted, (written.get(wanted) ?? 0) - 1)
      relies = true
    } else if (!isQuotedIn(pattern, word) && (does === "text" || isNamed)) {
      const what = does === "text" ? "has a text or a file run" : "runs another command, writes or deletes"
      return `a * does not stand for ${shown(word)}, which ${what}: a rule must write it out`
    }
  }
  const bare = words.map((word) => (/\s/.test(word) ? "\0" : word)).join(" ")
  return relies && !matchesWildcard(text, bare) ? "what the rule writes out is part of a quoted text" : undefined
}

function readWriting(pattern: string): { words: Map<string, number>; text: string } {
  const text = pattern.replace(/['"]/g, "")
  const words = new Map<string, number>()
  for (const piece of text.split(/[\s*]+/)) {
    for (const word of new Set([piece, piece.replace(/=.*$/s, "")])) words.set(word, (words.get(word) ?? 0) + 1)
  }
  return { words, text }
}

/** A word with spaces in it is written in quotes. */
function isQuotedIn(pattern: string, word: string): boolean {
  return pattern.split("*").some((piece) => piece.includes(`'${word}'`) || piece.includes(`"${word}"`))
}
