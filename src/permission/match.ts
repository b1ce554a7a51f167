import { isAbsolute } from "node:path"
import { cleanName } from "../tool/name.ts"
import { absolutePath, withHome } from "../tool/place.ts"
import { matchesWildcard } from "../tool/wildcard.ts"
import { misfitOfCommand } from "./command-cover.ts"
import { mayContain } from "./contained-command.ts"
import type { GatedCall } from "./gate.ts"
import { type Misfit, shown } from "./misfit.ts"
import { realPlace } from "./real-place.ts"
import type { Effect, ParsedRule } from "./rules.ts"
import { type Spellings, spellings } from "./spellings.ts"
import { FILE_TOOLS, SEARCHING_TOOLS, stringsIn, subjectOf } from "./subject.ts"

/**
 * Whether a rule is about a call. In doubt an `allow` is not, and a `deny` or an `ask` is.
 */
export function matchesRule(effect: Effect, rule: ParsedRule, call: GatedCall, cwd: string): boolean {
  if (effect === "allow") return misfitOf(rule, call, cwd) === undefined
  return matchesTool(rule, call) && isCaught(rule.pattern, call, cwd)
}

/** Whether a rule is about a call's tool, whatever its pattern. */
export function matchesTool({ tool }: ParsedRule, call: GatedCall): boolean {
  if ("server" in tool) {
    const { origin } = call.tool
    return (
      origin !== undefined && matchesWildcard(tool.server, origin.server) && matchesWildcard(tool.name, origin.tool)
    )
  }
  return matchesWildcard(tool.name, call.name) || cleanName(tool.name) === call.name
}

/** Why an `allow` is not about a call, or `undefined`. */
export function misfitOf(rule: ParsedRule, call: GatedCall, cwd: string): Misfit | undefined {
  if (!matchesTool(rule, call)) return other(`it is not about the tool ${call.name}`)
  const { pattern } = rule
  const subject = subjectOf(call)
  // Also where the rule has no pattern: "a shell command matches an allow only if it is one simple command".
  if (subject.kind === "command") return misfitOfCommand(pattern ?? "*", subject.command, cwd)
  if (call.name === "bash") return other("the call has no command")
  if (pattern === undefined) return undefined
  switch (subject.kind) {
    case "places":
      return subject.places.map((place) => misfitOfPlace(pattern, call, place, cwd)).find((it) => it !== undefined)
    case "text":
      return matchesWildcard(pattern, subject.text) ? undefined : other(`${pattern} does not fit its text`)
    case "nothing":
      return other("there is nothing in this call that a pattern could fit")
  }
}

function other(why: string): Misfit {
  return { is: "other", why }
}

/** Where it leads must fit: neither `src/../../etc/passwd` is in src, nor `src/link` to it. */
function misfitOfPlace(pattern: string, call: GatedCall, place: string, cwd: string): Misfit | undefined {
  const { plain, real } = spellingsIn(call, place, cwd)
  const wanted = allowedPlaces(pattern, cwd)
  const fit = (places: readonly string[]) =>
    places.filter((each) => wanted.some((one) => isAbsolute(one) === isAbsolute(each) && matchesWildcard(one, each)))
  const fitting = fit(real)
  if (fitting.length === 0) {
    if (fit(plain).length > 0) return { is: "near", why: `${shown(place)} leads to ${shown(real.at(-1) ?? "")}` }
    return other(`${pattern} does not fit ${shown(place)}`)
  }
  const hidden =
    !SEARCHING_TOOLS.has(call.name) && !GIT_FOLDER.test(pattern) && fitting.every((each) => GIT_FOLDER.test(each))
  return hidden ? { is: "near", why: "a * does not stand for a .git folder, whose files say what git runs" } : undefined
}

const GIT_FOLDER = /(?:^|\/)\.git(?:\/|$)/i

/** A relative pattern is about the working folder, and about nothing outside of it that would fit too. */
function allowedPlaces(pattern: string, cwd: string): string[] {
  const wanted = placePattern(pattern)
  return wanted.startsWith("../") ? [absolutePath(cwd, wanted), absolutePath(realPlace(cwd), wanted)] : [wanted]
}

function spellingsIn(call: GatedCall, place: string, cwd: string): Spellings {
  return spellings(place, cwd, FILE_TOOLS.has(call.name) ? "path" : "path or address")
}

function isCaught(pattern: string | undefined, call: GatedCall, cwd: string): boolean {
  if (pattern === undefined) return true
  const subject = subjectOf(call)
  if (subject.kind === "command" && mayContain(subject.command, pattern)) return true
  const texts = subject.kind === "places" ? subject.places : stringsIn(call.input)
  const patterns = [pattern, placePattern(pattern), realPattern(pattern, cwd)].map(composed)
  return texts.some((text) => isCaughtText(patterns, spellingsIn(call, text, cwd)))
}

function isCaughtText(patterns: readonly string[], { given, plain, real }: Spellings): boolean {
  return [given, ...plain, ...real].some((text) => patterns.some((wanted) => matchesWildcard(wanted, composed(text))))
}

/** One spelling for letters that can be written in several ways: file systems differ in which of them are one name. */
function composed(text: string): string {
  return text.normalize("NFC")
}

/** The folder that a pattern names may be a link, or below one: what is kept out is where it leads, by whatever name. */
function realPattern(pattern: string, cwd: string): string {
  const wanted = placePattern(pattern)
  const [written = ""] = wanted.split("*")
  const folder = written === wanted ? wanted : written.slice(0, Math.max(written.lastIndexOf("/"), 0))
  if (folder === "" || folder.includes("://")) return wanted
  return realPlace(absolutePath(cwd, folder)) + wanted.slice(folder.length)
}

function placePattern(pattern: string): string {
  return withHome(pattern.replace(/^\.\//, ""))
}
