import type { Decision, Gate, GatedCall } from "./gate.ts"
import { judge, type ReadRule, readRules, strictest } from "./judge.ts"
import { misfitOf } from "./match.ts"
import { type Rule, renderRule } from "./rules.ts"

/** What {@link createGate} takes. */
export interface GateOptions {
  rules?: readonly Rule[]
  /** What relative paths in rules and calls are relative to. Default: the process's working directory. */
  cwd?: string
}

/**
 * The gate that permission rules make. Deny beats ask beats allow. Where no rule matches the built-in defaults count: `bash`, `write`,
 * `edit`, `apply_patch`, `webfetch` and tools of MCP and HTTP that are not marked `readOnly` are asked about, `read`, `grep` and `glob`
 * where they leave the working folder; the rest is allowed.
 *
 * @param options the rules, in any order
 * @throws ToolnexusError `usage` when a rule cannot be read
 * @example createGate({ rules: [{ effect: "allow", rule: "bash(git status*)", source: "flag" }] })
 */
export function createGate(options: GateOptions = {}): Gate {
  const cwd = options.cwd ?? process.cwd()
  const rules = readRules(options.rules ?? [])
  const denials = rules.filter(({ rule }) => rule.effect === "deny")
  const decide = (call: GatedCall) => decided(rules, call, cwd)
  return {
    folder: cwd,
    decide,
    denies: async (call) => (await strictest(denials, call, cwd))?.decision,
    stillPasses: async (call) => (await decide(call)).decision === "allow",
  }
}

/** A default is said with what kept an `allow` from counting, where whoever wrote it will wonder. */
async function decided(rules: readonly ReadRule[], call: GatedCall, cwd: string): Promise<Decision> {
  const { decision, rule } = await judge(rules, call, cwd)
  if (rule || decision.decision === "allow") return decision
  for (const { rule: passedOver, parsed } of rules) {
    const misfit = passedOver.effect === "allow" ? misfitOf(parsed, call, cwd) : undefined
    if (misfit?.is !== "near") continue
    return { ...decision, rule: `${decision.rule}; ${renderRule(passedOver)} does not count: ${misfit.why}` }
  }
  return decision
}
