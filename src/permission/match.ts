import { cleanName } from "../tool/name.ts"
import { mayContain } from "./contained-command.ts"
import type { GatedCall } from "./gate.ts"
import type { Effect, ParsedRule } from "./rules.ts"
import { isSimpleCommand } from "./simple-command.ts"
import { spellings, stringsIn, subjectOf, withHome } from "./subject.ts"
import { matchesWildcard } from "./wildcard.ts"

/**
 * Whether a rule is about a call. In doubt an `allow` is not, and a `deny` or an `ask` is.
 */
export function matchesRule(effect: Effect, rule: ParsedRule, call: GatedCall, cwd: string): boolean {
  if (!matchesTool(rule, call)) return false
  return effect === "allow" ? isAllowed(rule.pattern, call, cwd) : isCaught(rule.pattern, call, cwd)
}

function matchesTool({ tool }: ParsedRule, call: GatedCall): boolean {
  if ("server" in tool) {
    const { origin } = call.tool
    return (
      origin !== undefined && matchesWildcard(tool.server, origin.server) && matchesWildcard(tool.name, origin.tool)
    )
  }
  return matchesWildcard(tool.name, call.name) || cleanName(tool.name) === call.name
}

function isAllowed(pattern: string | undefined, call: GatedCall, cwd: string): boolean {
  const subject = subjectOf(call)
  // Also where the rule has no pattern: "a shell command matches an allow only if it is one simple command".
  if (call.name === "bash" && (subject.kind !== "command" || !isSimpleCommand(subject.command))) return false
  if (pattern === undefined) return true
  switch (subject.kind) {
    case "command":
      return isSimpleCommand(subject.command) && matchesWildcard(pattern, subject.command.trim())
    case "places":
      return subject.places.every((place) => isAllowedPlace(pattern, place, cwd))
    case "text":
      return matchesWildcard(pattern, subject.text)
    case "nothing":
      return false
  }
}

// What is left when the detours are gone must fit: src/../../etc/passwd is not in src.
function isAllowedPlace(pattern: string, place: string, cwd: string): boolean {
  return spellings(place, cwd).plain.some((plain) => matchesWildcard(placePattern(pattern), plain))
}

function isCaught(pattern: string | undefined, call: GatedCall, cwd: string): boolean {
  if (pattern === undefined) return true
  const subject = subjectOf(call)
  if (subject.kind === "command" && mayContain(subject.command, pattern)) return true
  const texts = subject.kind === "places" ? subject.places : stringsIn(call.input)
  return texts.some((text) => isCaughtText(pattern, text, cwd))
}

function isCaughtText(pattern: string, text: string, cwd: string): boolean {
  const { given, plain } = spellings(text, cwd)
  const patterns = [pattern, placePattern(pattern)]
  return [given, ...plain].some((spelling) => patterns.some((wanted) => matchesWildcard(wanted, spelling)))
}

function placePattern(pattern: string): string {
  return withHome(pattern.replace(/^\.\//, ""))
}
