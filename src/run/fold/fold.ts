import { isCutShort } from "../../endpoint/stop.ts"
import { styleNamed } from "../../endpoint/styles.ts"
import { translateMessages } from "../../endpoint/translate.ts"
import type { EventOf, Message, RunEvent, StyleName, Usage } from "../../event/event.ts"
import { withoutOwnId } from "../balance.ts"
import { notRun, outcomeUnknown, stopped } from "../wording.ts"
import { crossBorder, tryAgain } from "./border.ts"
import { foldCall } from "./fold-call.ts"
import { foldRequest } from "./fold-request.ts"
import { importTranscript } from "./import-transcript.ts"
import { addCalls } from "./new-calls.ts"
import { type AgentState, dueCalls, emptyRun, keyOf, newAgent, ROOT, type RunState, resultOf, walk } from "./state.ts"

/**
 * The state after one more event. Pure but for the state itself, which it owns and lets grow in place: no clock, no
 * file, no network, so that every process computes the same from the same lines.
 */
export function fold(state: RunState, event: RunEvent): RunState {
  state.count += 1
  state.closing = undefined
  if (event.masked) for (const name of event.masked) state.marks.add(name)
  if ("workMs" in event) state.workMs = Math.max(state.workMs, event.workMs)
  switch (event.type) {
    case "run.started":
      if (state.root) throw new Error("a run starts once")
      state.runId = event.runId
      state.root = addAgent(state, newAgent(ROOT, event))
      break
    case "agent.spawned":
      spawn(state, event)
      break
    case "agent.posted":
      agentOf(state, event).inbox.push(event.item)
      break
    case "agent.closed":
      agentOf(state, event).closed = true
      break
    case "run.imported":
      importTranscript(state, agentOf(state, event), event)
      break
    case "run.resumed":
      if (event.agent) tryAgain(agentOf(state, event))
      else crossBorder(state, event)
      break
    case "user.said":
      said(state, agentOf(state, event), event)
      break
    case "model.replied":
      replied(agentOf(state, event), event)
      break
    case "call.decided":
    case "call.started":
    case "call.finished":
    case "call.suspended":
      foldCall(state, agentOf(state, event), event)
      break
    case "request.answered":
    case "request.drafted":
    case "request.reopened":
    case "request.accepted":
      foldRequest(state, event)
      break
    case "grant.given":
      state.grants.push({ tool: event.tool, digest: event.digest, folder: event.folder })
      break
    case "run.failed":
      if (event.agent) agentOf(state, event).failure = { code: event.code, message: event.message }
      else state.closing = event
      break
    case "run.limited":
    case "run.halted":
    case "run.interrupted":
    case "run.finished":
      state.closing = event
      break
    default: // of a later release: kept and skipped (reading refuses what says `must`)
  }
  return state
}

function agentOf(state: RunState, event: RunEvent): AgentState {
  const agent = state.agents.get(keyOf(event.agent))
  if (agent) return agent
  throw new Error(`${event.type} is about the agent ${keyOf(event.agent)}, which was never started`)
}

function addAgent(state: RunState, agent: AgentState): AgentState {
  state.agents.set(agent.key, agent)
  return agent
}

function spawn(state: RunState, event: EventOf<"agent.spawned">): void {
  const path = event.agent ?? ROOT
  if (state.agents.has(keyOf(path))) throw new Error(`the agent ${keyOf(path)} was spawned before`)
  const agent = addAgent(state, newAgent(path, event))
  agentOf(state, { ...event, agent: path.slice(0, -1) }).children.push(agent)
  if (event.prompt) prompt(state, agent, event.prompt)
  if (!event.call) return
  const parent = agentOf(state, { ...event, agent: event.call.agent ?? ROOT })
  const call = dueCalls(parent)[event.call.index]
  if (call) call.phase = { is: "delegated", child: agent.key }
}

function said(state: RunState, agent: AgentState, event: EventOf<"user.said">): void {
  for (const child of walk(agent)) settleOpenCalls(child)
  closeTurn(agent)
  speak(agent, event.style ?? agent.style)
  Object.assign(agent.limits, event.limits)
  prompt(state, agent, event.message)
}

function prompt(state: RunState, agent: AgentState, message: Message): void {
  agent.messages.push(message)
  agent.reply = undefined
  agent.inbox = []
  agent.failure = undefined
  agent.run = emptyRun(message, state.workMs)
}

/** A new prompt leaves no call of the old turn without a result. */
function settleOpenCalls(agent: AgentState): void {
  for (const call of dueCalls(agent)) {
    if (call.phase.is === "done") continue
    const unknown = call.phase.is === "running" || call.wasInDoubt
    const result = call.phase.is === "delegated" ? stopped() : unknown ? outcomeUnknown(call.name) : notRun()
    for (const request of call.requests) request.closed = true
    call.phase = { is: "done", result }
  }
}

function replied(agent: AgentState, event: EventOf<"model.replied">): void {
  const open = dueCalls(agent).find((call) => call.phase.is !== "done")
  if (open) throw new Error(`the model replied before the call ${open.index} of turn ${open.turn} had a result`)
  closeTurn(agent)
  speak(agent, event.style)
  const { text, calls } = styleNamed(event.style).parseMessage(event.message)
  const shared = withoutOwnId(calls)
  if (shared) throw new Error(`the call of ${shared.name} has no id of its own`)
  agent.turn += 1
  agent.run.turns += 1
  if (event.usage) addUsage(agent.run.usage, event.usage)
  agent.messages.push(event.message)
  agent.reply = { text, stop: event.stop, calls: addCalls(agent, calls, event.problems) }
  agent.run.cutShort = isCutShort(event.stop) ? agent.run.cutShort + 1 : 0
}

/** From now on the transcript is in this style: what another endpoint said is rendered from its parse. */
function speak(agent: AgentState, style: StyleName): void {
  if (style === agent.style) return
  agent.messages = translateMessages(agent.messages, styleNamed(agent.style), styleNamed(style))
  agent.style = style
}

/** Puts the results of the latest reply into the transcript: from now on they are history. */
function closeTurn(agent: AgentState): void {
  agent.messages.push(...resultMessages(agent))
  agent.reply = undefined
}

/** The results that the latest reply's calls have, in call order, as the endpoint is sent them. */
export function resultMessages(agent: AgentState): Message[] {
  const results = dueCalls(agent).flatMap((call) => {
    const result = resultOf(call)
    if (!result) return []
    const { id, name, parts } = call
    return [{ id, name, output: result.output, isError: result.isError, ...(parts ? { parts } : {}) }]
  })
  return results.length === 0 ? [] : styleNamed(agent.style).renderResults(results)
}

export function addUsage(sum: Usage, more: Usage): void {
  sum.promptTokens += more.promptTokens
  sum.completionTokens += more.completionTokens
  sum.totalTokens += more.totalTokens
  if (more.cachedTokens !== undefined) sum.cachedTokens = (sum.cachedTokens ?? 0) + more.cachedTokens
}
