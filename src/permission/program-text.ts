import { programName } from "./program-reach.ts"

/** Whether a word that a program is given is a text by which it runs, or writes, something. */
export function runsText(words: readonly string[], at: number): boolean {
  const word = words[at] ?? ""
  switch (programName(words[0] ?? "")) {
    case "awk":
    case "gawk":
    case "mawk":
    case "nawk":
      return AWK_RUNS.test(word)
    case "sed":
      return isSedScript(words, at) && !SED_ONLY_PRINTS.test(word)
    case "make":
      return /^[\w.-]+\s*[:+?!]*=/.test(word)
    case "git":
      return word.includes("ext::")
    default:
      return BUILTINS.has(words[0] ?? "") && /\$\(|`/.test(word)
  }
}

/** What in an awk program runs or writes something, or may: `system()`, a pipe, a redirection, another file of it. */
const AWK_RUNS = /system|getline|[|>@]/

/** One command of sed that runs and writes nothing, behind what says for which lines: `5p`, `1,$d`, `/a/!p`, `s/a/b/g`. */
const SED_ONLY_PRINTS =
  /^(?:[\d$,+~!\s]|\/(?:\\.|[^/\\])*\/I?)*(?:[pdDqQ=nNgGhHxlPz]|s([^\w\s\\])(?:\\.|(?!\1)[^\\])*\1(?:\\.|(?!\1)[^\\])*\1[gpIi\d]*)?$/s

/** The first word that is no option, or what follows `-e`. */
function isSedScript(words: readonly string[], at: number): boolean {
  const isExpression = (word = "") => /^-[a-zA-Z]*e$|^--e[a-z]*$/.test(word)
  if (words.some(isExpression)) return isExpression(words[at - 1])
  if (/^-[a-zA-Z]*e.|^--e[a-z]*=/.test(words[at] ?? "")) return true
  return words.findIndex((word, index) => index > 0 && !word.startsWith("-")) === at
}

/** Builtins of bash that look for `$(...)` in the index of a variable that is named to them: `test -v 'x[$(rm y)]'`. */
const BUILTINS = new Set(
  "test [ printf read unset declare typeset local readonly export mapfile readarray compgen wait getopts".split(" "),
)
