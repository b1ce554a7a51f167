import type { RunEvent } from "./event.ts"

/** Every event that this release knows; `work` for those that carry the run's work so far. */
const KINDS: Record<Exclude<RunEvent["type"], "unknown">, "plain" | "work"> = {
  "run.started": "plain",
  "run.imported": "plain",
  "run.resumed": "plain",
  "user.said": "plain",
  "model.replied": "work",
  "call.decided": "plain",
  "call.started": "plain",
  "call.finished": "work",
  "call.suspended": "work",
  "request.answered": "plain",
  "request.drafted": "plain",
  "request.reopened": "plain",
  "request.accepted": "plain",
  "grant.given": "plain",
  "agent.spawned": "plain",
  "agent.posted": "plain",
  "agent.closed": "plain",
  "run.halted": "work",
  "run.interrupted": "work",
  "run.failed": "work",
  "run.limited": "work",
  "run.finished": "work",
}

export function isKnownKind(type: string): boolean {
  return Object.hasOwn(KINDS, type)
}

/** Whether events of this type say after how much work they came. */
export function carriesWork(type: RunEvent["type"]): boolean {
  return type !== "unknown" && KINDS[type] === "work"
}
