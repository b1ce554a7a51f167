import { messageOf } from "../tool/error.ts"
import type { GatedCall } from "./gate.ts"
import { misfitOf } from "./match.ts"
import { shown } from "./misfit.ts"
import { type ParsedRule, parseRule } from "./rules.ts"
import { freeParameters, subjectOf } from "./subject.ts"

/** What an `allow` rule would do: `lets` says in words what it lets through, `why` why this call is not among it. */
export type RuleTrial = { allows: true; lets: string } | { allows: false; why: string }

/**
 * Tries an `allow` rule on a call, by itself: other rules may be stricter.
 *
 * @param rule `TOOL` or `TOOL(PATTERN)`, as a person typed it
 * @param call the call that it is meant for
 * @param cwd what relative paths in the rule and the call are relative to
 * @example tryRule("bash(git *)", { name: "bash", input: { command: "git status; ls" }, tool }, "/srv/app").allows // false
 */
export function tryRule(rule: string, call: GatedCall, cwd: string): RuleTrial {
  let parsed: ParsedRule
  try {
    parsed = parseRule(rule)
  } catch (error) {
    return { allows: false, why: messageOf(error) }
  }
  const misfit = misfitOf(parsed, call, cwd)
  return misfit ? { allows: false, why: misfit.why } : { allows: true, lets: letsThrough(parsed, call) }
}

/** In words, for the person who is about to say "always". */
function letsThrough({ tool, pattern }: ParsedRule, call: GatedCall): string {
  const { kind } = subjectOf(call)
  const name = "server" in tool ? `mcp:${tool.server}/${tool.name}` : tool.name
  const tools = name.includes("*") ? `every tool that fits ${name}` : name
  if (pattern === undefined) return kind === "command" ? `${tools} for every simple command` : `every call of ${tools}`
  const isWide = pattern.includes("*")
  const what = isWide
    ? `every ${WHAT[kind]} that fits ${pattern} (* is any characters)`
    : `the ${WHAT[kind]} ${pattern}`
  return `${tools} for ${what}${besides(freeParameters(call), isWide ? "" : " alone")}`
}

/** What no pattern is compared with may be anything. */
function besides(free: readonly string[] | undefined, alone: string): string {
  if (free === undefined) return ", whatever else it is given"
  if (free.length === 0) return alone
  const names = free.slice(0, MOST_NAMES).map((name) => (/^[\w.-]+$/.test(name) ? name : shown(name)))
  const more = free.length > MOST_NAMES ? [`${free.length - MOST_NAMES} more`] : []
  return `, with any ${[...names, ...more].join(", ")}`
}

const MOST_NAMES = 8
const WHAT = { command: "simple command", places: "place", text: "text", nothing: "call" }
