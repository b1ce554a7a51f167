import type { Command } from "commander"
import { escapeLine, UNSEEN } from "../terminal/escape.ts"
import { shortened } from "../words/shortened.ts"
import { type BashLine, bashReplies, parseBashLine } from "./bash-line.ts"
import { candidatesFor, type Find } from "./candidates.ts"
import type { Candidate, Candidates } from "./shell.ts"

/** More than this nobody reads. */
const MOST = 300

/**
 * What the scripts of the shells read: on the first line what else the shell does, then a word a line.
 *
 * @param args the shell, and the line: in bash as it is typed and its word breaks, else its words
 */
export async function answerShell(args: readonly string[], program: Command, find: Find): Promise<string> {
  const [shell, ...rest] = args
  const bash = shell === "bash" ? parseBashLine(rest[0] ?? "", rest[1] ?? "") : undefined
  const words = bash ? bash.words.slice(1) : rest
  const candidates = onOneLine(await candidatesFor(program, words.length > 0 ? words : [""], find))
  const whole = candidates.words.map(({ word, about }) => ({ word: candidates.behind + word, about }))
  return [saidFirst(candidates), ...linesFor(shell, { candidates, whole, bash })].map((line) => `${line}\n`).join("")
}

interface Offered {
  candidates: Candidates
  /** With what stands before them in their word. */
  whole: readonly Candidate[]
  bash: BashLine | undefined
}

function linesFor(shell: string | undefined, { candidates, whole, bash }: Offered): string[] {
  if (bash) return bashReplies(whole, bash)
  if (shell === "zsh") return besideEachOther(candidates.words)
  return whole.map(({ word, about }) => (about === "" ? word : `${word}\t${about}`))
}

function saidFirst({ paths, ending, behind }: Candidates): string {
  const says = [paths === "none" ? "" : paths, ending === "a space" ? "" : "nospace", behind === "" ? "" : "equals"]
  return says.filter((word) => word !== "").join(" ")
}

/** Names from files are anybody's: what could not be typed is not offered, and nothing of the rest ends a line. */
function onOneLine({ words, ...rest }: Candidates): Candidates {
  const typable = words.filter(({ word }) => word !== "" && word.length <= 200 && !hasUnseen(word)).slice(0, MOST)
  return { ...rest, words: typable.map(({ word, about }) => ({ word, about: escapeLine(shortened(about, 70)) })) }
}

function hasUnseen(word: string): boolean {
  return word.replaceAll(" ", "").search(UNSEEN) >= 0
}

/** The word, and the line that is shown for it. */
function besideEachOther(words: readonly Candidate[]): string[] {
  const width = Math.max(0, ...words.map(({ word }) => word.length))
  return words.map(({ word, about }) => `${word}\t${`${word.padEnd(width)}  ${about}`.trimEnd()}`)
}
