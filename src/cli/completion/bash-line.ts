import type { Candidate } from "./shell.ts"

/** A line as bash has it, up to the cursor. */
export interface BashLine {
  /** Without their quotes; the last is being typed. */
  words: string[]
  /** Which quote is open in the last one. */
  quote: "" | "'" | '"'
  /** How much of the last word is not replaced: bash begins anew behind each of its word breaks, and behind a quote. */
  kept: number
}

/**
 * Takes a line apart as bash does, without expanding anything.
 *
 * @param breaks `COMP_WORDBREAKS`
 */
export function parseBashLine(line: string, breaks: string): BashLine {
  const words: string[] = []
  let word: string | undefined
  let [quote, kept]: [BashLine["quote"], number] = ["", 0]
  const add = (char: string) => {
    word = (word ?? "") + char
  }
  const chars = [...line]
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at] as string
    const next = chars[at + 1] ?? ""
    if (char === "\\" && (quote === "" || (quote === '"' && '"\\$`'.includes(next)))) {
      add(next)
      at += 1
    } else if (char === quote || (quote === "" && (char === "'" || char === '"'))) {
      quote = char === quote ? "" : (char as "'" | '"')
      add("")
      kept = (word ?? "").length
    } else if (quote === "" && /\s/.test(char)) {
      if (word !== undefined) words.push(word)
      word = undefined
      kept = 0
    } else {
      add(char)
      if (quote === "" && breaks.includes(char)) kept = (word ?? "").length
    }
  }
  return { words: [...words, word ?? ""], quote, kept }
}

/** What bash puts in the place of what it replaces: quoted, as nothing else is done to it. */
export function bashReplies(candidates: readonly Candidate[], { words, quote, kept }: BashLine): string[] {
  const typed = words.at(-1) ?? ""
  return candidates
    .filter(({ word }) => word.startsWith(typed))
    .flatMap(({ word }) => quoted(word.slice(kept), quote) ?? [])
}

/** `undefined` for what cannot stand inside of the quote that is open. */
function quoted(text: string, quote: BashLine["quote"]): string | undefined {
  if (quote === "'") return text.includes("'") ? undefined : text
  if (quote === '"') return text.includes("!") ? undefined : text.replace(/["\\$`]/g, "\\$&")
  return text.replace(/[^\p{L}\p{N}_@%+=:,./-]/gu, "\\$&")
}
