import { gitReach, programName, type Reach, reachOf, roleOf } from "./program-reach.ts"
import { runsText } from "./program-text.ts"

/** A word by which a command does more than its program's name says. */
export interface FurtherWord {
  word: string
  /** The option or name in it, as {@link Reach} has it. */
  name: string
  /** `text`: it has a text run that is no simple command for all we know. */
  does: "text" | "further"
}

/**
 * The words of a simple command that hand on to another command, have a text run, or have a program that only looks write.
 *
 * @example furtherWords(["find", ".", "-delete"]) // [{ word: "-delete", name: "-delete", does: "further" }]
 */
export function furtherWords(words: readonly string[]): FurtherWord[] {
  const [program = ""] = words
  const role = roleOf(program)
  const own = [...roleWord(program), ...reachingWords(words)]
  if (role !== "launcher") return own
  // What is behind may be what runs: where it begins depends on the launcher.
  return [...own, ...words.flatMap((word, at) => (at > 0 && !word.startsWith("-") ? behindLauncher(words, at) : []))]
}

/** Each word behind a launcher is looked at as a program, as long as there are not more than anybody writes. */
const MAX_BEHIND = 50

function behindLauncher(words: readonly string[], at: number): FurtherWord[] {
  const word = words[at] ?? ""
  if (at > MAX_BEHIND) return [{ word, name: word, does: "text" }]
  return [...roleWord(word), ...reachingWords(words.slice(at))]
}

function roleWord(word: string): FurtherWord[] {
  const role = roleOf(word)
  return role === undefined ? [] : [{ word, name: word, does: role === "evaluator" ? "text" : "further" }]
}

/** A program's own command is among so many words that are no options. */
const MAX_BARE = 3

function reachingWords(words: readonly string[]): FurtherWord[] {
  const reaches = programName(words[0] ?? "") === "git" ? gitReaches(words) : [reachOf(words[0] ?? "") ?? {}]
  const bare = words.slice(1).filter((word) => !word.startsWith("-"))
  const commands = new Set(bare.slice(0, MAX_BARE))
  return words.flatMap((word, at) => {
    if (at === 0) return []
    if (runsText(words, at)) return [{ word, name: word, does: "text" as const }]
    return reaches.flatMap((reach) =>
      word.startsWith("-") || word.startsWith("+") || commands.has(word) ? found(word, reach) : [],
    )
  })
}

function found(word: string, { text = "", further = "" }: Reach): FurtherWord[] {
  const nameIn = (names: string) => names.split(" ").find((name) => name !== "" && isOption(word, name))
  const [inText, inFurther] = [nameIn(text), nameIn(further)]
  if (inText !== undefined) return [{ word, name: inText, does: "text" }]
  return inFurther === undefined ? [] : [{ word, name: inFurther, does: "further" }]
}

function isOption(word: string, name: string): boolean {
  if (name === "+") return word.startsWith("+")
  if (/^-\w$/.test(name)) return /^-\w+/.exec(word)?.[0].includes(name.slice(1)) ?? false
  const [given = ""] = word.split("=", 1)
  if (given === name || given === `-${name}`) return true
  return name.startsWith("--") && given.length > 2 && name.startsWith(given)
}

/** Options of git's that have a value of their own, in front of its command. */
const GIT_VALUES = new Set(["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix"])

function gitReaches(words: readonly string[]): Reach[] {
  let at = 1
  while (words[at]?.startsWith("-")) at += GIT_VALUES.has(words[at] ?? "") ? 2 : 1
  const command = words[at]
  const isConfigured = words.slice(1, at).some((word) => /^-c|^--config-env|^--exec-path=/.test(word))
  return [...gitReach(command ?? ""), ...(isConfigured ? [{ text: "-c --config-env --exec-path" }] : [])]
}
