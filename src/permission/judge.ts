import { isRecord, typeName } from "../suspension/request.ts"
import { messageOf, ToolnexusError } from "../tool/error.ts"
import { isPlainCommand } from "./command-cover.ts"
import { defaultDecision } from "./default-decision.ts"
import type { Decision, GatedCall } from "./gate.ts"
import { matchesRule, matchesTool } from "./match.ts"
import { type Effect, type ParsedRule, parseRule, type Rule, renderRule } from "./rules.ts"
import { subjectOf } from "./subject.ts"

const STRICTEST_FIRST: readonly Effect[] = ["deny", "ask", "allow"]
const DECISIONS = { deny: "refuse", ask: "ask", allow: "allow" } as const

/** A rule with what its text says. */
export interface ReadRule {
  rule: Rule
  parsed: ParsedRule
}

/** @throws ToolnexusError `usage` when a rule cannot be read */
export function readRules(rules: readonly Rule[]): ReadRule[] {
  const shape = 'a rule is { effect: "allow" | "ask" | "deny", rule: "TOOL(PATTERN)" }'
  if (!Array.isArray(rules)) throw new ToolnexusError("usage", `rules must be a list, got ${typeName(rules)}: ${shape}`)
  return rules.map((rule: Rule) => {
    if (!isRecord(rule)) throw new ToolnexusError("usage", `${shape}, got ${typeName(rule)}`)
    if (STRICTEST_FIRST.includes(rule.effect)) return { rule, parsed: parseRule(rule.rule) }
    throw new ToolnexusError("usage", `${shape}, got the effect ${JSON.stringify(rule.effect)}`)
  })
}

/** What is decided, and the rule that says so; without one it is a built-in default. */
export interface Verdict {
  decision: Decision
  rule?: Rule
}

export async function judge(rules: readonly ReadRule[], call: GatedCall, cwd: string): Promise<Verdict> {
  const said = await strictest(rules, call, cwd)
  if (said) return said
  const decision = defaultDecision(call, cwd)
  return (decision.decision === "allow" ? doubtful(rules, call) : undefined) ?? { decision }
}

/** The strictest rule that is about a call. */
export async function strictest(
  rules: readonly ReadRule[],
  call: GatedCall,
  cwd: string,
): Promise<Required<Verdict> | undefined> {
  for (const effect of STRICTEST_FIRST) {
    for (const { rule, parsed } of rules) {
      if (rule.effect !== effect || !matchesRule(effect, parsed, call, cwd)) continue
      const held = await condition(rule, call)
      if (held === "no") continue
      if (held === "yes") return { decision: { decision: DECISIONS[effect], by: "rule", rule: renderRule(rule) }, rule }
      return { decision: { decision: "refuse", by: "rule", rule: `${renderRule(rule)}, ${held.failed}` }, rule }
    }
  }
  return undefined
}

async function condition({ when }: Rule, call: GatedCall): Promise<"yes" | "no" | { failed: string }> {
  if (when === undefined) return "yes"
  try {
    const held: unknown = await when(call)
    if (typeof held === "boolean") return held ? "yes" : "no"
    return { failed: `whose condition gave ${typeof held} instead of true or false` }
  } catch (error) {
    return { failed: `whose condition failed: ${messageOf(error)}` }
  }
}

/** A command that may be put together from anything may be what a rule with a pattern is against. */
function doubtful(rules: readonly ReadRule[], call: GatedCall): Verdict | undefined {
  const subject = subjectOf(call)
  if (subject.kind !== "command" || isPlainCommand(subject.command)) return undefined
  const strict = rules.find(
    ({ rule, parsed }) => rule.effect !== "allow" && parsed.pattern !== undefined && matchesTool(parsed, call),
  )
  if (!strict) return undefined
  const why = `${renderRule(strict.rule)}, which cannot be told of a command that is not simple`
  return { decision: { decision: "ask", by: "rule", rule: why }, rule: strict.rule }
}
