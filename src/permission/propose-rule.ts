import type { GatedCall } from "./gate.ts"
import { spellings } from "./spellings.ts"
import { FILE_TOOLS, subjectOf } from "./subject.ts"

/**
 * The narrowest `allow` rule about a call, for a person to look at: its tool, with the very command, place or text of the call.
 * Nothing in it is guessed wider, but a `*` that the call itself has stands for any characters. It need not match: {@link tryRule} says what
 * it would do.
 *
 * @param call the call that it would allow
 * @param cwd what relative paths of the call are relative to; the rule has the absolute one, and means the same from anywhere
 * @example proposeRule({ name: "bash", input: { command: "git status" }, tool }, "/srv/app") // "bash(git status)"
 */
export function proposeRule(call: GatedCall, cwd: string): string {
  const pattern = patternOf(call, cwd).trim()
  return pattern === "" ? toolOf(call) : `${toolOf(call)}(${pattern})`
}

/** What a rule can write between its colon and its bracket. */
const PLAIN = /^[\w.-]+$/

function toolOf({ name, tool: { origin } }: GatedCall): string {
  const isPlain = origin !== undefined && PLAIN.test(origin.server) && PLAIN.test(origin.tool)
  return isPlain ? `mcp:${origin.server}/${origin.tool}` : name
}

function patternOf(call: GatedCall, cwd: string): string {
  const subject = subjectOf(call)
  switch (subject.kind) {
    case "command":
      return subject.command
    case "places": {
      // A rule has one pattern: of several places the first, and trying it says which one it leaves out.
      const [place = ""] = subject.places
      return spellings(place, cwd, FILE_TOOLS.has(call.name) ? "path" : "path or address").real.at(-1) ?? place
    }
    case "text":
      return subject.text
    case "nothing":
      return ""
  }
}
