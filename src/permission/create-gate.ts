import { messageOf, ToolnexusError } from "../tool/error.ts"
import { isPlainCommand } from "./command-cover.ts"
import { defaultDecision } from "./default-decision.ts"
import type { Decision, Gate, GatedCall } from "./gate.ts"
import { matchesRule, matchesTool, misfitOf } from "./match.ts"
import { type Effect, type ParsedRule, parseRule, type Rule, renderRule } from "./rules.ts"
import { subjectOf } from "./subject.ts"

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
 * In doubt an `allow` does not match, and a `deny` or an `ask` does:
 * - Of shell commands an `allow` matches one simple command. Its `*` does not stand for words by which a well-known program hands on to
 *   another one or has a text run (`find -exec`, `git -c`, `env`, `sh -c`), nor, where the rule names the program, by which it writes
 *   (`find -delete`, `sort -o`): a rule that means them writes them out, as in `bash(find * -exec grep *)`.
 * - A `deny` or `ask` matches a command anywhere in the text: behind operators, in quotes, by its path, with options in between. A
 *   command that is not simple, and that it is not found in, is asked about: an expansion can put anything together.
 * - A path must fit where it leads, `..` and symbolic links resolved. A relative pattern is about the working folder only, and `*` does not
 *   stand for a `.git` folder that a call would change.
 *
 * Rules are about the calls of tools, not about what a command does once it runs: `deny read(.env)` does not keep `bash` from reading it.
 *
 * @param options the rules, in any order
 * @throws ToolnexusError `usage` when a rule cannot be read
 * @example createGate({ rules: [{ effect: "allow", rule: "bash(git status*)", source: "flag" }] })
 */
export function createGate(options: GateOptions = {}): Gate {
  const cwd = options.cwd ?? process.cwd()
  const rules = (options.rules ?? []).map(readRule)
  const denials = rules.filter(({ rule }) => rule.effect === "deny")
  const decide = async (call: GatedCall) => (await strictest(rules, call, cwd)) ?? withoutRule(rules, call, cwd)
  return {
    folder: cwd,
    decide,
    denies: (call) => strictest(denials, call, cwd),
    stillPasses: async (call) => (await decide(call)).decision === "allow",
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

/** The default, with what kept a rule from matching where whoever wrote it will wonder; stricter where a rule cannot be told to be out. */
function withoutRule(rules: readonly ReadRule[], call: GatedCall, cwd: string): Decision {
  const decided = defaultDecision(call, cwd)
  if (decided.decision === "allow") return doubtful(rules, call) ?? decided
  for (const { rule, parsed } of rules) {
    const misfit = rule.effect === "allow" ? misfitOf(parsed, call, cwd) : undefined
    if (misfit?.is === "near")
      return { ...decided, rule: `${decided.rule}; ${renderRule(rule)} does not count: ${misfit.why}` }
  }
  return decided
}

/** A command that may be put together from anything may be what a rule with a pattern is against. */
function doubtful(rules: readonly ReadRule[], call: GatedCall): Decision | undefined {
  const subject = subjectOf(call)
  if (subject.kind !== "command" || isPlainCommand(subject.command)) return undefined
  const strict = rules.find(
    ({ rule, parsed }) => rule.effect !== "allow" && parsed.pattern !== undefined && matchesTool(parsed, call),
  )
  return (
    strict && {
      decision: "ask",
      by: "rule",
      rule: `${renderRule(strict.rule)}, which cannot be told of a command that is not simple`,
    }
  )
}
