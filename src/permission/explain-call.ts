import type { ToolSpec } from "../tool/tool.ts"
import { defaultDecision } from "./default-decision.ts"
import type { Decision, GatedCall } from "./gate.ts"
import { judge, readRules } from "./judge.ts"
import { matchesRule, matchesTool, misfitOf } from "./match.ts"
import { parseRule, type Rule, renderRule } from "./rules.ts"

/** What a gate would say of a call, and why. */
export interface CallExplanation {
  decision: Decision
  /** The rule that decided; the very object that was given. Absent: a built-in default did. */
  rule?: Rule
  /** Rules that one may have expected to decide, the very objects too, each with why they did not. */
  passedOver: { rule: Rule; why: string }[]
}

/** What {@link explainCall} and {@link outlookOf} look at. */
export interface ExplainOptions {
  rules: readonly Rule[]
  /** What relative paths are relative to. */
  cwd: string
}

/**
 * Says what the gate of these rules decides about a call, and what kept others from deciding. Nothing is asked or run.
 *
 * @throws ToolnexusError `usage` when a rule cannot be read
 * @example (await explainCall({ name: "bash", input: { command: "ls" }, tool }, { rules, cwd })).decision // { decision: "ask", ... }
 */
export async function explainCall(call: GatedCall, { rules, cwd }: ExplainOptions): Promise<CallExplanation> {
  const { decision, rule } = await judge(readRules(rules), call, cwd)
  const passedOver = rules.flatMap((other) => {
    const why = other.effect === rule?.effect ? undefined : whyPassedOver(other, call, cwd, decision)
    return why === undefined ? [] : [{ rule: other, why }]
  })
  return { decision, ...(rule ? { rule } : {}), passedOver }
}

function whyPassedOver(rule: Rule, call: GatedCall, cwd: string, { decision }: Decision): string | undefined {
  const parsed = parseRule(rule.rule)
  if (matchesRule(rule.effect, parsed, call, cwd)) {
    const beaten = `${decision === "refuse" ? "deny" : decision} comes before ${rule.effect}`
    return rule.when === undefined ? beaten : `its condition does not hold, or ${beaten}`
  }
  const misfit = rule.effect === "allow" ? misfitOf(parsed, call, cwd) : undefined
  return misfit?.is === "near" ? misfit.why : undefined
}

/** What rules say of a tool before there is a call: `depends` where its arguments decide. */
export interface ToolOutlook {
  outlook: "allow" | "ask" | "deny" | "depends"
  /** The rules about the tool, strictest first; or the default. */
  because: string[]
}

/**
 * Says what the gate of these rules would decide about a tool's calls.
 *
 * @throws ToolnexusError `usage` when a rule cannot be read
 * @example outlookOf(tool, { rules: [{ effect: "deny", rule: "bash" }], cwd }) // { outlook: "deny", because: ["deny bash"] }
 */
export function outlookOf(tool: ToolSpec, { rules, cwd }: ExplainOptions): ToolOutlook {
  const call = { name: tool.name, input: {}, tool }
  const about = rules
    .map((rule) => ({ rule, parsed: parseRule(rule.rule) }))
    .filter((it) => matchesTool(it.parsed, call))
  const because: string[] = []
  for (const effect of ["deny", "ask", "allow"] as const) {
    const found = about.filter(({ rule }) => rule.effect === effect)
    const stricter = because.length
    because.push(...found.map(({ rule }) => renderRule(rule)))
    const isWhole = found.some(({ rule, parsed }) => parsed.pattern === undefined && rule.when === undefined)
    // Of shell commands an `allow` is about one that is simple.
    if (isWhole && (effect !== "allow" || tool.name !== "bash")) {
      return { outlook: stricter > 0 ? "depends" : effect, because }
    }
  }
  const usual = usualOutlook(call, cwd)
  return { outlook: because.length > 0 ? "depends" : usual.outlook, because: [...because, ...usual.because] }
}

/** The default inside of the working folder, and outside where it is another one. */
function usualOutlook(call: GatedCall, cwd: string): ToolOutlook {
  const at = (path: string) => defaultDecision({ ...call, input: { path } }, cwd)
  const [inside, outside] = [at("."), at("/")]
  const outlook = inside.decision === "refuse" ? "deny" : inside.decision
  const said = inside.rule ?? `${outlook} ${call.name}`
  if (inside.decision === outside.decision) return { outlook, because: [inside.rule ?? `${said} (default)`] }
  return { outlook: "depends", because: [`${said} in the working folder, ${outside.rule ?? outside.decision}`] }
}
