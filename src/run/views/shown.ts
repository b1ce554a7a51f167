import type { RunEvent } from "../../event/event.ts"
import type { RunState } from "../fold/state.ts"
import { stamped } from "../stamp.ts"

/** An event as `stream` and `--output jsonl` show it: requests complete, with what the engine knows about their calls. */
export function shown(state: RunState, event: RunEvent): RunEvent {
  if (event.type !== "call.suspended") return event
  const request = state.requests.get(event.request.id)
  return request ? { ...event, request: stamped(request) } : event
}
