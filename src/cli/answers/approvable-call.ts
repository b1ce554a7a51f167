import { createGate, type GatedCall, parseRule, proposeRule, type Request, type Toolkit, tryRule } from "../../index.ts"
import { configurationFile } from "../configuration/place.ts"
import type { Io } from "../io.ts"
import { isRecord } from "../is-record.ts"
import { errorText } from "../output/error-text.ts"
import type { Output } from "../output/output.ts"
import type { Approvable, EditOutcome, RuleOutcome } from "../terminal/approvable.ts"
import { callOf } from "../terminal/request-data.ts"
import { homePath } from "../words/home-path.ts"
import { type LiveRules, saveRule } from "./saved-rules.ts"

/** What calls are judged with. */
export interface Judging {
  rules: LiveRules
  /** Of calls that these rules match nothing is remembered. */
  neverRemember: readonly string[]
  toolkit: Toolkit
  cwd: string
  io: Io
  output: Output
}

/** The call that the gate asks about, as the gate sees it; `undefined` for other requests, and where its tool is not here. */
export function gatedCallOf(request: Request, toolkit: Toolkit): GatedCall | undefined {
  const call = request.kind === "approval" ? callOf(request) : undefined
  const tool = call?.by === "gate" ? toolkit.get(call.name) : undefined
  return call && tool && isRecord(call.input) ? { name: call.name, input: call.input, tool } : undefined
}

/** What the approval of a call may offer. */
export async function approvableCall(call: GatedCall, request: Request, judging: Judging): Promise<Approvable> {
  const { output, io } = judging
  return {
    rule: asksByDefault(request) ? await ruleToSave(call, judging) : undefined,
    tryRule: (rule) => outcomeOf(rule.trim(), call, judging),
    async saveRule(rule) {
      try {
        const file = await saveRule(rule.trim(), io)
        judging.rules.add(rule.trim())
        output.notice(`saved in ${homePath(file, io)}: allow ${rule.trim()}`)
        return undefined
      } catch (error) {
        return errorText(error)
      }
    },
    edited: (input) => editOf({ ...call, input }, request, judging),
  }
}

/** A rule that asks, or a hook, is somebody's word: nothing is saved over it. */
function asksByDefault({ data }: Request): boolean {
  const rule = data?.rule
  return rule === undefined || (typeof rule === "string" && / \(default\)(?:; |$)/.test(rule))
}

async function ruleToSave(call: GatedCall, { rules, neverRemember, cwd }: Judging): Promise<string | undefined> {
  const { decision, by } = await rules.gate.decide(call)
  if (decision !== "ask" || by !== "default") return undefined
  const never = createGate({ rules: neverRemember.map((rule) => ({ effect: "ask", rule })), cwd })
  return (await never.decide(call)).by === "rule" ? undefined : proposeRule(call, cwd)
}

async function outcomeOf(rule: string, call: GatedCall, { rules, cwd, io }: Judging): Promise<RuleOutcome> {
  const trial = tryRule(rule, call, cwd)
  if (!trial.allows) return { saves: false, why: trial.why }
  const file = homePath(configurationFile(io), io)
  if (namesSeveralTools(rule)) {
    return {
      saves: false,
      why: `it is for other tools than ${call.name} too: such a rule is written into ${file} by hand`,
    }
  }
  const { decision, rule: stricter } = await rules.gateWith(rule).decide(call)
  if (decision === "allow") return { saves: true, lets: trial.lets, file }
  return { saves: false, why: `${stricter} is stricter: with it this call is ${OUTCOMES[decision]} all the same` }
}

const OUTCOMES = { ask: "asked about", refuse: "refused" }

function namesSeveralTools(rule: string): boolean {
  const { tool } = parseRule(rule)
  return tool.name.includes("*") || ("server" in tool && tool.server.includes("*"))
}

async function editOf(call: GatedCall, request: Request, judging: Judging): Promise<EditOutcome> {
  const { toolkit, rules } = judging
  const misfit = await toolkit.check(call.name, call.input)
  if (misfit !== undefined) return { fits: false, why: misfit }
  const denial = await rules.gate.denies?.(call)
  if (denial) return { fits: false, why: `refused by ${denial.rule ?? denial.by}` }
  if (toolkit.get(call.name)?.preview) return { fits: true, shown: "by the gate" }
  return { fits: true, shown: "here", call: await approvableCall(call, request, judging) }
}
