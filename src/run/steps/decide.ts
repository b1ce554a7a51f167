import type { Because } from "../../event/event.ts"
import type { Decision, GatedCall } from "../../permission/gate.ts"
import { makeRequestId, typeName } from "../../suspension/request.ts"
import { messageOf, ToolnexusError } from "../../tool/error.ts"
import { errorResult, unknownTool } from "../../tool/result.ts"
import type { Tool, ToolResult } from "../../tool/tool.ts"
import { parseArguments } from "../../tools/parse-arguments.ts"
import type { Engine } from "../engine.ts"
import { agentOf, type CallState, isRelay, refOf, specOf } from "../fold/state.ts"
import { findMark } from "../masks/marks.ts"
import { callDigest, inputOf } from "../stamp.ts"
import { doneBefore, holdsMark, refused } from "../wording.ts"
import { STRICTNESS } from "./hooks.ts"
import { previewOf } from "./preview.ts"
import { settleCall } from "./run-call.ts"

/** What stands in front of every call: it is well-formed, and the gate lets it pass, refuses it, or has a person asked. */
export async function decide(engine: Engine, call: CallState): Promise<void> {
  const malformed = await problemOf(engine, call)
  if (malformed) return settleCall(engine, call, malformed)
  const decision = await decisionOf(engine, call)
  if (engine.signal.aborted) return
  if (decision.decision !== "refuse" && isDeclinedForGood(call, decision)) {
    return engine.emit([{ type: "call.decided", ...refOf(call), decision: "refuse", ...DECLINED }], { flush: false })
  }
  const { by, rule } = decision
  const because = { by, ...(rule === undefined ? {} : { rule }) }
  switch (decision.decision) {
    case "allow":
      return engine.emit([{ type: "call.decided", ...refOf(call), decision: "allow", ...because }], { flush: false })
    case "refuse": // its result is the next step's
      return engine.emit([{ type: "call.decided", ...refOf(call), decision: "refuse", ...because }], { flush: false })
    case "ask":
      return ask(engine, call, decision)
  }
}

/** Why a call cannot run, as the model is told; nothing is asked about it either. */
async function problemOf(engine: Engine, call: CallState): Promise<ToolResult | undefined> {
  if (call.problem !== undefined) return errorResult(call.problem)
  const spec = specOf(call)
  if (!spec) return unknownTool(call.name)
  const { input, problem } = parseArguments(call.arguments)
  if (problem !== undefined) return errorResult(problem)
  const mark = findMark(engine.state, engine.parts.masks)(input)
  if (mark !== undefined) return holdsMark(mark, doneBefore(call))
  const misfit = await engine.parts.schemas.check(spec, input)
  if (misfit !== undefined) return errorResult(misfit)
  requireTool(engine, call)
  return undefined
}

/**
 * The tool of a due call; a relayed one needs none.
 *
 * @throws ToolnexusError `unknown_tool`: the run has the tool, this process has not
 */
export function requireTool(engine: Engine, call: CallState): Tool | undefined {
  const tool = engine.parts.seatOf(call.agent.path).tools?.get(call.name)
  if (tool || isRelay(call)) return tool
  throw new ToolnexusError(
    "unknown_tool",
    `The run has a call of the tool ${call.name} to run, and this process does not have that tool: add it to the toolkit and resume`,
    { details: { tool: call.name } },
  )
}

/** What the gate is shown of a call: the tool as this process has it, for what a file says of one may be forged. */
function gatedCall(engine: Engine, call: CallState): GatedCall {
  const tool = engine.parts.seatOf(call.agent.path).tools?.get(call.name) ?? specOf(call)
  if (!tool) throw new ToolnexusError("unknown_tool", `The run has no tool ${call.name}`)
  return { name: call.name, input: inputOf(call), tool, ...agentOf(call.agent) }
}

/** Rules and hook are one gate: the stricter counts. A grant for the rest of the run stands in for a question, never for a no. */
async function decisionOf(engine: Engine, call: CallState): Promise<Decision> {
  const { gate } = engine.parts.seatOf(call.agent.path)
  const rule = await byRule(gate.decide.bind(gate), gatedCall(engine, call))
  const hook = rule.decision === "refuse" ? undefined : await byHook(engine, call)
  const strict = hook && STRICTNESS[hook.decision] > STRICTNESS[rule.decision] ? hook : rule
  if (strict.decision === "ask" && isGranted(engine, call)) {
    return { decision: "allow", by: "grant", rule: "granted for the rest of this run" }
  }
  return strict
}

const DECLINED = { by: "person", rule: "the person, who declined exactly this call before" } as const

/**
 * Whether a person declined the same call earlier in this run: then it is not put to anybody again. What the gate asked about and now
 * lets pass, somebody has allowed since.
 */
function isDeclinedForGood(call: CallState, { decision }: Decision): boolean {
  const { declined } = call.agent.run
  const by = declined.size === 0 ? undefined : declined.get(callDigest(call))
  return by !== undefined && !(by === "gate" && decision === "allow")
}

async function byRule(decideIt: (call: GatedCall) => Decision | Promise<Decision>, call: GatedCall): Promise<Decision> {
  try {
    const said: Partial<Decision & { prompt: string }> | undefined | null = await decideIt(call)
    if (!isDecision(said?.decision))
      throw new Error(`the gate must give allow, ask or refuse, got ${told(said?.decision)}`)
    requireWords({ by: said.by, rule: said.rule, prompt: said.prompt })
    return said as Decision
  } catch (error) {
    return { decision: "refuse", by: "rule", rule: `a permission rule that failed: ${messageOf(error)}` }
  }
}

/** What is said beside a decision is shown to people and recorded. */
function requireWords(words: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(words)) {
    if (value !== undefined && typeof value !== "string")
      throw new Error(`${name} must be a string, got ${typeName(value)}`)
  }
}

function told(said: unknown): string {
  return typeof said === "string" ? said : typeName(said)
}

function isDecision(said: unknown): said is Decision["decision"] {
  return typeof said === "string" && Object.hasOwn(STRICTNESS, said)
}

/** Why a call that was decided before may not run all the same: a denial of this machine, or one that failed. */
export async function denialOf(engine: Engine, call: CallState): Promise<ToolResult | undefined> {
  const { gate } = engine.parts.seatOf(call.agent.path)
  try {
    const denial = await gate.denies?.(gatedCall(engine, call))
    return denial && refused(denial.rule ?? denial.by, doneBefore(call))
  } catch (error) {
    return refused(`a permission rule that failed: ${messageOf(error)}`, doneBefore(call))
  }
}

/** Whether a call that nobody was asked about passes still. A grant is for the arguments, wherever they lead. */
export async function stillPasses(engine: Engine, call: CallState): Promise<boolean> {
  const { gate } = engine.parts.seatOf(call.agent.path)
  return isGranted(engine, call) || ((await gate.stillPasses?.(gatedCall(engine, call))) ?? true)
}

async function byHook(engine: Engine, call: CallState): Promise<Decision | undefined> {
  const { hooks } = engine.parts.seatOf(call.agent.path)
  const { id, name, turn } = call
  try {
    const said = await hooks.beforeTool?.({
      runId: engine.state.runId,
      ...agentOf(call.agent),
      turn,
      id,
      name,
      input: inputOf(call),
    })
    if (!said) return undefined
    const { decision, reason, prompt } = said
    if (!isDecision(decision)) throw new Error(`it must give allow, ask or refuse, got ${told(decision)}`)
    requireWords({ reason, prompt })
    const because: Because = { by: "hook", rule: reason ?? "the host's beforeTool hook" }
    return decision === "ask"
      ? { decision, ...because, ...(prompt === undefined ? {} : { prompt }) }
      : { decision, ...because }
  } catch (error) {
    return { decision: "refuse", by: "hook", rule: `a beforeTool hook that failed: ${messageOf(error)}` }
  }
}

function isGranted(engine: Engine, call: CallState): boolean {
  const { gate, tools } = engine.parts.seatOf(call.agent.path)
  if (tools?.get(call.name)?.preview) return false // the same arguments may change something else
  const { folder } = gate
  const digest = callDigest(call)
  return engine.state.grants.some(
    (grant) => grant.tool === call.name && grant.digest === digest && grant.folder === folder,
  )
}

/** Puts it to a person, with what the call would change where its tool can tell. */
export async function ask(
  engine: Engine,
  call: CallState,
  { rule, prompt }: Pick<Asking, "rule" | "prompt">,
): Promise<void> {
  const preview = await previewOf(engine, call)
  const data = { ...(rule === undefined ? {} : { rule }), ...preview }
  const request = {
    id: makeRequestId(),
    kind: "approval",
    prompt: prompt ?? `Allow ${call.name}?`,
    ...(Object.keys(data).length === 0 ? {} : { data }),
  }
  const { turn, index } = call
  const because = rule === undefined ? {} : { rule }
  return engine.emit(
    [{ type: "call.suspended", ...agentOf(call.agent), turn, indexes: [index], by: "gate", ...because, request }],
    { flush: true },
  )
}

type Asking = Extract<Decision, { decision: "ask" }>
