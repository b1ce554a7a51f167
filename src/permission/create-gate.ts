import { messageOf, ToolnexusError } from "../tool/error.ts"
import { defaultDecision } from "./default-decision.ts"
import type { Decision, Gate, GatedCall } from "./gate.ts"
import { matchesRule } from "./match.ts"
import { type Effect, type ParsedRule, parseRule, type Rule, renderRule } from "./rules.ts"

const STRICTEST_FIRST: readonly Effect[] = ["deny", "ask", "allow"]
const DECISIONS = { deny: "refuse", ask: "ask", allow: "allow" } as const

/** What {@link createGate} takes. */
export interface GateOptions {
  rules?: readonly Rule[]
  /** What relative paths in rules and calls are relative to. Default: the process's working directory. */
  cwd?: string
}

/**
 * The gate that permission rules make. Deny beats ask beats allow. Where no rule matches the built-in defaults count: `bash`, `write`,
 * `edit`, `apply_patch`, `webfetch` and HTTP tools that do not only read are asked about, `read`, `grep` and `glob` where they leave the
 * working folder; the rest is allowed.
 *
 * @param options the rules, in any order
 * @throws ToolnexusError `usage` when a rule cannot be read
 * @example createGate({ rules: [{ effect: "allow", rule: "bash(git status*)", source: "flag" }] })
 */
export function createGate(options: GateOptions = {}): Gate {
  const cwd = options.cwd ?? process.cwd()
  const rules = (options.rules ?? []).map(readRule)
  const denials = rules.filter(({ rule }) => rule.effect === "deny")
  return {
    folder: cwd,
    denies: (call) => strictest(denials, call, cwd),
    async decide(call) {
      return (await strictest(rules, call, cwd)) ?? defaultDecision(call, cwd)
    },
  }
}

interface ReadRule {
  rule: Rule
  parsed: ParsedRule
}

function readRule(rule: Rule): ReadRule {
  if (!STRICTEST_FIRST.includes(rule.effect)) {
    throw new ToolnexusError("usage", `a rule's effect is allow, ask or deny, got ${JSON.stringify(rule.effect)}`)
  }
  return { rule, parsed: parseRule(rule.rule) }
}

async function strictest(rules: readonly ReadRule[], call: GatedCall, cwd: string): Promise<Decision | undefined> {
  for (const effect of STRICTEST_FIRST) {
    for (const { rule, parsed } of rules) {
      if (rule.effect !== effect || !matchesRule(effect, parsed, call, cwd)) continue
      const held = await condition(rule, call)
      if (held === "no") continue
      if (held === "yes") return { decision: DECISIONS[effect], by: "rule", rule: renderRule(rule) }
      return { decision: "refuse", by: "rule", rule: `${renderRule(rule)}, ${held.failed}` }
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
