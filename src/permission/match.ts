import { cleanName } from "../tool/name.ts"
import { withHome } from "../tool/place.ts"
import { matchesWildcard } from "../tool/wildcard.ts"
import { mayContain } from "./contained-command.ts"
import type { GatedCall } from "./gate.ts"
import type { Effect, ParsedRule } from "./rules.ts"
import { isSimpleCommand } from "./simple-command.ts"
import { type Spellings, spellings } from "./spellings.ts"
import { FILE_TOOLS, stringsIn, subjectOf } from "./subject.ts"

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
      return subject.places.every((place) => isAllowedPlace(pattern, spellingsIn(call, place, cwd)))
    case "text":
      return matchesWildcard(pattern, subject.text)
    case "nothing":
      return false
  }
}

// Where it leads must fit: neither src/../../etc/passwd is in src, nor src/link to it.
function isAllowedPlace(pattern: string, { real }: Spellings): boolean {
  return real.some((spelling) => matchesWildcard(placePattern(pattern), spelling))
}

function spellingsIn(call: GatedCall, place: string, cwd: string): Spellings {
  return spellings(place, cwd, FILE_TOOLS.has(call.name) ? "path" : "path or address")
}

function isCaught(pattern: string | undefined, call: GatedCall, cwd: string): boolean {
  if (pattern === undefined) return true
  const subject = subjectOf(call)
  if (subject.kind === "command" && mayContain(subject.command, pattern)) return true
  const texts = subject.kind === "places" ? subject.places : stringsIn(call.input)
  return texts.some((text) => isCaughtText(pattern, spellingsIn(call, text, cwd)))
}

function isCaughtText(pattern: string, { given, plain, real }: Spellings): boolean {
  const patterns = [pattern, placePattern(pattern)]
  return [given, ...plain, ...real].some((spelling) => patterns.some((wanted) => matchesWildcard(wanted, spelling)))
}

function placePattern(pattern: string): string {
  return withHome(pattern.replace(/^\.\//, ""))
}
