import { isAbsolute, normalize } from "node:path"
import { matchesWildcard } from "../tool/wildcard.ts"
import { furtherWords } from "./further-words.ts"
import { type Misfit, shown } from "./misfit.ts"
import { simpleWords } from "./simple-command.ts"
import { realPlaceOutside } from "./spellings.ts"
import { unwrittenWord, writingOf } from "./written-out.ts"

/** More are not looked at. */
const MAX_WORDS = 1000

/**
 * Why an `allow` is not about a shell command, or `undefined`. It is about one simple command that its pattern fits. A star stands for
 * any words but these, which a rule must write out: words by which the command hands on to another one, has a text run or, where the
 * rule names its program, writes; and ways out of what is written in front of the star (`src/*` is not for `src/../x`, nor for a link).
 *
 * @param pattern `*` for a rule without one
 * @example misfitOfCommand("find*", "find . -delete", "/srv") // { is: "near", why: 'a * does not stand for "-delete", ...' }
 */
export function misfitOfCommand(pattern: string, command: string, cwd: string): Misfit | undefined {
  if (!matchesWildcard(pattern, command.trim())) return { is: "other", why: `${pattern} does not fit this command` }
  const words = simpleWords(command)
  if (words === undefined) return near(NOT_SIMPLE)
  if (words.length > MAX_WORDS) return near("it has more words than are looked at")
  if (!pattern.includes("*")) return undefined
  const unwritten = unwrittenWord(pattern, words)
  if (unwritten !== undefined) return near(unwritten)
  const { has, text } = writingOf(pattern)
  const led = words.map((word) => (has(word) ? word : placeOf(word, cwd)))
  const astray = words.findIndex((word, at) => word !== led[at])
  if (astray < 0 || matchesWildcard(text, led.join(" "))) return undefined
  return near(`${shown(words[astray] ?? "")} leads to ${shown(led[astray] ?? "")}`)
}

/** Whether a command is simple and has no other text run: what is written in it is what runs. */
export function isPlainCommand(command: string): boolean {
  const words = simpleWords(command)
  return words !== undefined && words.length <= MAX_WORDS && furtherWords(words).every(({ does }) => does !== "text")
}

const NOT_SIMPLE =
  "it is not one simple command (it has an operator, a redirection, a substitution, an expansion, an assignment or several lines)"

function near(why: string): Misfit {
  return { is: "near", why }
}

const DETOUR = /(?:^|\/)\.\.(?:\/|$)/

/** A word as the place that it leads to: without `..`, through links where they lead out of the working folder. */
function placeOf(word: string, cwd: string): string {
  const [, option = "", place = ""] = /^(-[^=]*=)?(.*)$/s.exec(word) ?? []
  if (place === "" || (option === "" && place.startsWith("-"))) return word
  if (place.includes("://"))
    return option + (/\.\.|%2e|\\/i.test(place) && URL.canParse(place) ? new URL(place).href : place)
  const plain = DETOUR.test(place) ? normalize(place) : place
  if (isAbsolute(plain)) return option + plain
  return option + (realPlaceOutside(plain, cwd) ?? plain)
}
