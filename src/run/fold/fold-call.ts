import type { AnswerVia, EventOf } from "../../event/event.ts"
import { answersRunWith, callDigest } from "../stamp.ts"
import { relayed, withRemarks } from "../wording.ts"
import { type AgentState, type CallState, dueCalls, type Phase, type RequestState, type RunState } from "./state.ts"

type CallEvent = EventOf<"call.decided" | "call.started" | "call.finished" | "call.suspended">

/** What the events about calls change. */
export function foldCall(state: RunState, agent: AgentState, event: CallEvent): void {
  if (event.type === "call.suspended") suspend(state, agent, event)
  else foldOneCall(callAt(agent, event.turn, event.index), event)
}

function foldOneCall(call: CallState, event: Exclude<CallEvent, { type: "call.suspended" }>): void {
  requirePhase(call, event.type)
  switch (event.type) {
    case "call.decided":
      call.undecided = false
      call.phase =
        event.decision === "allow" ? { is: "allowed" } : { is: "refused", reason: event.rule ?? event.by, by: event.by }
      break
    case "call.started":
      closeRequests(call)
      call.attempts += 1
      call.phase = { is: "running" }
      break
    case "call.finished":
      noteDecline(call)
      call.phase = { is: "done", result: "from" in event ? answeredResult(call) : resultIn(event) }
      closeRequests(call)
      break
  }
}

function suspend(state: RunState, agent: AgentState, event: EventOf<"call.suspended">): void {
  const calls = event.indexes.map((index) => callAt(agent, event.turn, index))
  if (state.requests.has(event.request.id)) throw new Error(`the request ${event.request.id} was made before`)
  const kind = KIND_OF[event.by]
  if (kind !== undefined && event.request.kind !== kind)
    throw new Error(`a request of the ${event.by} is of kind ${kind}, not ${event.request.kind}`)
  for (const call of calls) {
    requirePhase(call, event.type)
    closeRequests(call)
    if (event.by === "gate") call.undecided = false
  }
  openRequest(state, { request: event.request, by: event.by, rule: event.rule, renews: event.renews, calls })
}

/** What the gate and relays ask is of one kind, so that nobody takes an approval for something else. */
const KIND_OF: Record<EventOf<"call.suspended">["by"], string | undefined> = {
  gate: "approval",
  relay: "tool_call",
  tool: undefined,
}

/** When each may come: what is decided, run or asked once more is neither another's line nor one that was written twice. */
const COMES_IN: Record<CallEvent["type"], ReadonlySet<Phase["is"]>> = {
  "call.decided": new Set(["new", "answered"]), // answered, in a file of elsewhere: decided here all the same
  "call.started": new Set(["allowed", "answered"]),
  "call.finished": new Set(["new", "allowed", "refused", "running", "asking", "answered", "delegated"]),
  "call.suspended": new Set(["new", "allowed", "running", "answered"]),
}

function requirePhase(call: CallState, type: CallEvent["type"]): void {
  if (COMES_IN[type].has(call.phase.is)) return
  throw new Error(`${type} of the call ${call.index} of turn ${call.turn}, which is ${call.phase.is}`)
}

/** Makes a request the one that its calls wait for. */
export function openRequest(
  state: RunState,
  made: Pick<RequestState, "request" | "by" | "rule" | "renews" | "calls">,
): RequestState {
  const fresh = {
    answer: undefined,
    via: undefined as AnswerVia | undefined,
    withheld: false,
    digest: undefined,
    held: undefined,
    draft: undefined,
    closed: false,
  }
  const opened: RequestState = { ...made, ...fresh }
  state.requests.set(made.request.id, opened)
  for (const call of made.calls) {
    call.requests.push(opened)
    call.phase = { is: "asking", request: made.request.id }
  }
  return opened
}

/** That a person said no is known as long as the run goes on; that nobody answered in time, or knows what happened, is no such word. */
function noteDecline(call: CallState): void {
  const asked = call.phase.is === "answered" ? call.requests.at(-1) : undefined
  if (!asked?.answer || asked.answer.ok || asked.answer.reason === "expired" || asked.by === "engine") return
  call.agent.run.declined.set(callDigest(call), asked.by)
}

/** What is answered is used now; an answer is used once. */
function closeRequests(call: CallState): void {
  for (const request of call.requests) request.closed ||= request.by !== "relay" || everyCallDone(request)
}

function everyCallDone(request: RequestState): boolean {
  return request.calls.every((call) => call.phase.is === "done")
}

function answeredResult(call: CallState) {
  const asked = call.requests.at(-1)
  if (!asked?.answer) throw new Error(`call.finished of ${call.name} says "from": "answer", and there is none`)
  const result = relayed(asked.request, asked.answer, call.id)
  return asked.answer.ok ? withRemarks(result, call.edited, answersRunWith(call)) : result
}

function resultIn(event: { output: string; isError: boolean; metadata?: Record<string, unknown> }) {
  const { output, isError, metadata } = event
  return { output, isError, ...(metadata ? { metadata } : {}) }
}

/** @throws Error when the file speaks of a call that no reply made */
export function callAt(agent: AgentState, turn: number, index: number): CallState {
  const call = dueCalls(agent)[index]
  if (call?.turn === turn) return call
  throw new Error(`there is no call ${index} in turn ${turn} of ${agent.key}`)
}
