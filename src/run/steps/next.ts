import { limitOfStop } from "../../endpoint/stop.ts"
import type { AgentPath, LimitName } from "../../event/event.ts"
import { timeOf } from "../../suspension/request.ts"
import type { ToolResult } from "../../tool/tool.ts"
import {
  type AgentState,
  type CallState,
  dueCalls,
  isLastWord,
  isOpen,
  isRelay,
  openRequests,
  type RequestState,
  type RunState,
  renewals,
  specOf,
  walk,
} from "../fold/state.ts"
import { digestOf } from "../stamp.ts"
import { actedBefore, declined, declinedBefore, doneBefore, outcomeUnknown, refused } from "../wording.ts"
import { repeatsOf } from "./repeats.ts"

/** What no event says, all of it of this process. */
export interface Now {
  /** Milliseconds since 1970. */
  time: number
  /** Whether somebody could be asked on behalf of this agent. */
  mayAsk(agent: AgentPath): boolean
  /** The requests that `waitFor` left open. */
  left: ReadonlySet<string>
  /** The keys of the steps that are being done. */
  underWay: { has(key: string): boolean }
  /** Whether a person has a question in front of them. */
  asking: boolean
  /** The requests whose withheld answers this process holds. */
  secrets: { has(id: string): boolean }
  /** Whether what the call's tool left open waits for the answer, in this process: then it hears a refusal too. */
  isWaiting(call: CallState): boolean
}

/** Something to do. Steps of different keys can be done at the same time. */
export type Step = { key: string } & (
  | { do: "ask the model"; agent: AgentState }
  | { do: "decide"; call: CallState }
  | { do: "run"; call: CallState }
  | { do: "settle"; call: CallState; result: ToolResult | "from the answer" }
  | { do: "bundle"; agent: AgentState; calls: CallState[] }
  | { do: "ask again for a secret"; call: CallState; request: RequestState }
  | { do: "reopen"; request: RequestState; why: string }
  | { do: "expire"; request: RequestState }
  | { do: "ask a person"; request: RequestState }
)

/**
 * What can be done now. Pure. With no step and nothing under way, open requests mean that the run halts; else it is over.
 */
export function next(state: RunState, now: Now): Step[] {
  if (timeIsUp(state)) return []
  const steps: Step[] = []
  for (const agent of walk(state.root)) if (!agent.closed) steps.push(...agentSteps(agent, now))
  const open = openRequests(state)
  steps.push(...expired(open, now))
  const question = nextQuestion(open, now)
  if (question) steps.push(question)
  return steps.filter((step) => !now.underWay.has(step.key))
}

function agentSteps(agent: AgentState, now: Now): Step[] {
  const calls = dueCalls(agent)
  if (wantsModel(agent))
    return limitOf(agent) ? [] : [{ key: `${agent.key}#${agent.turn + 1}/model`, do: "ask the model", agent }]
  const steps = calls.flatMap((call) => callStep(call, now) ?? [])
  const free = freeRelays(calls)
  const [first] = free
  if (first && everyCallDecided(calls)) steps.push({ key: keyFor(first, "bundle"), do: "bundle", agent, calls: free })
  return steps
}

/** A prompt without a reply, calls that all have their results, or a reply that the endpoint paused. */
export function wantsModel(agent: AgentState): boolean {
  if (agent.failure) return false
  if (!agent.reply) return agent.run.prompt !== undefined
  return !isLastWord(agent.reply) && agent.reply.calls.every((call) => call.phase.is === "done")
}

/** The limit that stands in an agent's way: to another model call, or to calls of its latest reply. */
export function limitOf(agent: AgentState): LimitName | undefined {
  if (!wantsModel(agent)) return limitOfCalls(dueCalls(agent))
  const { maxTurns, maxTokens } = agent.limits
  if (maxTurns !== undefined && agent.run.turns >= maxTurns) return "maxTurns"
  if (maxTokens !== undefined && agent.run.usage.totalTokens >= maxTokens) return "maxTokens"
  return limitOfReplies(agent)
}

/** How often in a row a model is told that its calls were cut off: it may say less the next time, but not in a full context. */
const CUT_OFF_AT_MOST = { maxOutputTokens: 3, context: 1 }

/** The endpoint's own limit, where the model does not get its calls said. */
function limitOfReplies({ reply, run }: AgentState): LimitName | undefined {
  const limit = limitOfStop(reply?.stop)
  return limit !== undefined && run.cutShort >= CUT_OFF_AT_MOST[limit] ? limit : undefined
}

/** Where nothing else is left to do for them. */
function limitOfCalls(calls: readonly CallState[]): LimitName | undefined {
  if (calls.some(({ phase }) => phase.is !== "new" && phase.is !== "done")) return undefined
  return calls.map(heldBy).find((limit) => limit !== undefined)
}

/** The limit that holds a call back. What was decided about goes on. */
function heldBy(call: CallState): LimitName | undefined {
  const { maxToolCalls, maxRepeats } = call.agent.limits
  if (call.phase.is !== "new") return undefined
  if (maxToolCalls !== undefined && call.ordinal > maxToolCalls) return "maxToolCalls"
  return maxRepeats !== undefined && repeatsOf(call) > maxRepeats ? "maxRepeats" : undefined
}

export function timeIsUp({ root, workMs }: RunState): boolean {
  const timeoutMs = root?.limits.timeoutMs
  return root !== undefined && timeoutMs !== undefined && workMs - root.run.workMsBefore >= timeoutMs
}

function callStep(call: CallState, now: Now): Step | undefined {
  switch (call.phase.is) {
    case "new":
      if (heldBy(call) !== undefined) return undefined
      return { key: keyFor(call, "decide"), do: "decide", call }
    case "refused":
      return { key: keyFor(call, "settle"), do: "settle", call, result: refusal(call, call.phase) }
    case "allowed":
      return isRelay(call) ? undefined : runStep(call, now)
    case "answered":
      return afterAnswer(call, now)
    default:
      return undefined
  }
}

function refusal(call: CallState, { by, reason }: Extract<CallState["phase"], { is: "refused" }>): ToolResult {
  return by === "person" ? declinedBefore(call.name, doneBefore(call)) : refused(reason, doneBefore(call))
}

function afterAnswer(call: CallState, now: Now): Step | undefined {
  const request = call.requests.at(-1)
  const answer = request?.answer
  if (!request || !answer) return undefined
  if (!digestHolds(request)) {
    return { key: `${request.request.id}/reopen`, do: "reopen", request, why: "the call is not the one that was shown" }
  }
  if (request.by === "relay") return { key: keyFor(call, "settle"), do: "settle", call, result: "from the answer" }
  if (request.by === "tool" && !answer.ok && now.isWaiting(call)) return runStep(call, now)
  if (answer.ok) return request.by === "gate" && isRelay(call) ? undefined : runStep(call, now)
  const server = request.by === "tool" ? specOf(call)?.origin?.server : undefined
  const before = doneBefore(call) ?? (server === undefined ? undefined : actedBefore(server))
  const result = request.by === "engine" ? outcomeUnknown(call.name) : declined(request.request, answer, before)
  return { key: keyFor(call, "settle"), do: "settle", call, result }
}

/** Whether the calls are still those that the answer was given for (an edit is part of the answer). */
function digestHolds(request: RequestState): boolean {
  return request.digest === undefined || request.digest === digestOf(request)
}

/**
 * A call that a file of elsewhere lets run is decided here first. One whose answers hold a secret that this process was not
 * given asks for it again first.
 */
function runStep(call: CallState, now: Now): Step {
  if (call.undecided) return { key: keyFor(call, "decide"), do: "decide", call }
  const lost = call.requests.find(
    (request) => request.withheld && !renewals(call, request).some(({ request: { id } }) => now.secrets.has(id)),
  )
  if (!lost) return { key: keyFor(call, "run"), do: "run", call }
  return { key: keyFor(call, "secret"), do: "ask again for a secret", call, request: lost }
}

/** Relayed calls that the gate let pass and no request carries yet. */
function freeRelays(calls: readonly CallState[]): CallState[] {
  return calls.filter((call) => {
    if (!isRelay(call)) return false
    const asked = call.requests.at(-1)
    return (
      call.phase.is === "allowed" || (call.phase.is === "answered" && asked?.by === "gate" && asked.answer?.ok === true)
    )
  })
}

/** Those that a limit holds back are not waited for. */
function everyCallDecided(calls: readonly CallState[]): boolean {
  return calls.every((call) => call.phase.is !== "new" || heldBy(call) !== undefined)
}

function expired(open: readonly RequestState[], now: Now): Step[] {
  return open
    .filter((request) => isExpired(request, now.time))
    .map((request) => ({ key: `${request.request.id}/expire`, do: "expire", request }))
}

export function isExpired({ request }: RequestState, time: number): boolean {
  return request.expiresAt !== undefined && (timeOf(request.expiresAt) ?? 0) <= time
}

/** One question at a time over the whole run, in call order; none of a turn before every call of it was decided. */
function nextQuestion(open: readonly RequestState[], now: Now): Step | undefined {
  if (now.asking) return undefined
  for (const request of open) {
    const { id } = request.request
    const [call] = request.calls
    if (!call || now.left.has(id) || !isOpen(request) || isExpired(request, now.time)) continue
    const turn = dueCalls(call.agent)
    if (!everyCallDecided(turn) || freeRelays(turn).length > 0) continue
    if (now.mayAsk(call.agent.path)) return { key: `${id}/ask`, do: "ask a person", request }
  }
  return undefined
}

export function keyFor(call: CallState, what: string): string {
  return `${call.agent.key}#${call.turn}/${call.index}/${what}`
}
