import type { EventOf } from "../../event/event.ts"
import { outputOf } from "../../suspension/answer.ts"
import { openRequest } from "./fold-call.ts"
import { reopen } from "./fold-request.ts"
import {
  type AgentState,
  type CallState,
  dueCalls,
  maySimplyRunAgain,
  type RequestState,
  type RunState,
  walk,
} from "./state.ts"

/**
 * What changes when another process goes on with a journal: calls that had started and not ended are in doubt, and what a
 * file of elsewhere says was decided waits for somebody here.
 */
export function crossBorder(state: RunState, event: EventOf<"run.resumed">): void {
  Object.assign(state.root?.limits ?? {}, event.limits)
  for (const agent of walk(state.root)) {
    tryAgain(agent)
    for (const call of dueCalls(agent)) {
      if (call.phase.is === "running") doubt(state, call)
      if (event.foreign) distrust(call)
    }
  }
  if (!event.foreign) return
  state.grants.length = 0
  for (const request of state.requests.values()) if (request.answer && !request.closed) hold(request)
}

/** What kept an agent from asking its model may be gone. */
export function tryAgain(agent: AgentState): void {
  agent.failure = undefined
  agent.run.cutShort = 0
}

/** Begins the ids of requests about a doubt, which are computed and not recorded: no other request may have one. */
export const DOUBT = "in_doubt:"

/** What may run is decided here: all that a person here is asked by the gate is a decision too. */
function distrust(call: CallState): void {
  if (call.phase.is === "allowed") call.phase = { is: "new" }
  call.undecided = call.phase.is !== "done" && call.requests.at(-1)?.by !== "gate"
}

function doubt(state: RunState, call: CallState): void {
  call.wasInDoubt = true
  if (maySimplyRunAgain(call)) {
    call.phase = { is: "allowed" }
    return
  }
  const request = {
    id: `${DOUBT}${call.agent.key.replaceAll("/", ":")}:${call.turn}:${call.index}:${call.attempts}`,
    kind: "in_doubt",
    prompt: `${call.name} was started, and the process ended before its result was recorded. Run it again?`,
  }
  openRequest(state, { request, by: "engine", rule: undefined, renews: undefined, calls: [call] })
}

function hold(request: RequestState): void {
  const answer = request.answer
  reopen(request)
  request.held = answer
  if (answer && request.draft === undefined) request.draft = outputOf(answer)
}
