import type { EventOf } from "../../event/event.ts"
import { isRecord } from "../../suspension/request.ts"
import { isOpen, type RequestState, type RunState } from "./state.ts"

type RequestEvent = EventOf<"request.answered" | "request.drafted" | "request.reopened" | "request.accepted">

/** What the events about requests change. */
export function foldRequest(state: RunState, event: RequestEvent): void {
  const id = event.type === "request.answered" ? event.answer.id : event.id
  const request = state.requests.get(id)
  if (!request) throw new Error(`${event.type} names the request ${id}, which was never made`)
  switch (event.type) {
    case "request.answered":
      if (!isOpen(request)) break // what was recorded first counts
      request.withheld = event.withheld ?? false
      request.digest = event.digest
      request.via = event.via
      answered(request, event.answer)
      break
    case "request.drafted":
      request.draft = event.draft
      break
    case "request.reopened":
      reopen(request)
      break
    case "request.accepted":
      if (request.held) answered(request, request.held)
      break
  }
}

function answered(request: RequestState, answer: RequestState["answer"]): void {
  request.answer = answer
  request.held = undefined
  const edited = request.by === "gate" ? answer?.data?.input : undefined
  for (const call of request.calls) {
    call.phase = { is: "answered", request: request.request.id }
    if (answer?.ok && isRecord(edited)) call.edited = edited
  }
}

/** The request waits again, as if it had not been answered. */
export function reopen(request: RequestState): void {
  request.answer = undefined
  request.digest = undefined
  request.withheld = false
  for (const call of request.calls) {
    if (call.phase.is !== "answered") continue
    if (request.by === "gate") call.edited = undefined // the edit came with that answer, and with no other
    call.phase = { is: "asking", request: request.request.id }
  }
}
