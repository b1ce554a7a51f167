import { createGate, type Gate, type GatedCall, type Rule } from "../../index.ts"
import { changeConfiguration } from "../configuration/change-configuration.ts"
import type { Io } from "../io.ts"
import { isRecord } from "../is-record.ts"

/** The rules of a run behind one gate: what a person saves while it runs holds from then on. */
export interface LiveRules {
  readonly gate: Gate
  /** What a gate would say with one more rule. */
  gateWith(rule: string): Gate
  /** A rule that is in the user's configuration now. */
  add(rule: string): void
  /** The rule, as it is printed, that was saved during this run and lets a call pass; `undefined` where another one is stricter. */
  savedFor(call: GatedCall): Promise<string | undefined>
}

/** @throws ToolnexusError `usage` when a rule cannot be read */
export function createLiveRules(rules: readonly Rule[], cwd: string): LiveRules {
  const saved: Rule[] = []
  let gate = createGate({ rules, cwd })
  let ofSaved = createGate({ cwd })
  const all = () => [...rules, ...saved]
  return {
    gate: {
      folder: cwd,
      decide: (call) => gate.decide(call),
      denies: (call) => gate.denies?.(call),
      stillPasses: async (call) => (await gate.stillPasses?.(call)) ?? true,
    },
    gateWith: (rule) => createGate({ rules: [...all(), savedRule(rule)], cwd }),
    add(rule) {
      saved.push(savedRule(rule))
      gate = createGate({ rules: all(), cwd })
      ofSaved = createGate({ rules: saved, cwd })
    },
    async savedFor(call) {
      if (saved.length === 0) return undefined
      const { decision, by, rule } = await ofSaved.decide(call)
      const lets = decision === "allow" && by === "rule"
      return lets && (await gate.decide(call)).decision === "allow" ? rule : undefined
    },
  }
}

function savedRule(rule: string): Rule {
  return { effect: "allow", rule, source: "user" }
}

/**
 * Saves an `allow` rule in the user's configuration, beside what is there.
 *
 * @returns the file
 * @throws ToolnexusError `configuration`, naming the file; then it is as it was
 */
export function saveRule(rule: string, io: Io): Promise<string> {
  return changeConfiguration(io, (file) => {
    const permissions = permissionsIn(file.get("permissions"))
    const { allow = [] } = permissions
    if (!Array.isArray(allow)) throw new Error("permissions.allow in it is no list any more")
    if (!allow.includes(rule)) file.set("permissions", { ...permissions, allow: [...allow, rule] })
    return file.path
  })
}

function permissionsIn(value: unknown): Record<string, unknown> {
  if (value === undefined) return {}
  if (isRecord(value)) return value
  throw new Error("permissions in it is no object any more")
}
