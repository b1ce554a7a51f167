import type { RunEvent } from "../../event/event.ts"
import { type Ending, isFinished } from "../closing.ts"
import { fold } from "../fold/fold.ts"
import { stateFrom } from "../fold/read-events.ts"
import { isOpen, newAgent, ROOT, type RunState } from "../fold/state.ts"
import { promptText } from "./prompt-text.ts"
import { resultFrom } from "./result.ts"
import type { RunRecord } from "./run-result.ts"

/**
 * What a journal's lines say, as a process that resumed the run now would find it: calls in doubt are open requests, under
 * the ids that they get then. While its writer is at work, nothing is in doubt.
 *
 * @throws ToolnexusError `no_run`, `damaged`, `newer_version`
 */
export function recordFrom(
  lines: readonly unknown[],
  warnings: readonly string[],
  writer: "left" | "at work",
): RunRecord {
  const state = stateFrom(lines)
  const events = lines as RunEvent[]
  const { closing } = state
  const failed = closing?.type === "run.failed" ? closing : undefined
  const ending = endingIn(closing) ?? cutOff(state)
  const last = events.at(-1)
  if (last && writer === "left" && ending.type !== "run.finished") fold(state, { type: "run.resumed", at: last.at })
  const root = state.root ?? newAgent(ROOT, { model: "", style: "openai", tools: [] })
  const result = resultFrom(state, root, ending)
  return {
    runId: state.runId,
    status: failed ? "failed" : writer === "at work" && !closing ? "at work" : result.status,
    result,
    setup: root.setup,
    prompt: promptText(root.run.prompt),
    startedAt: events[0]?.at ?? "",
    updatedAt: last?.at ?? "",
    drafts: draftsOf(state),
    recorded: [...state.requests.values()].flatMap(({ answer, closed }) => (answer && !closed ? [answer] : [])),
    held: [...state.requests.values()].flatMap((request) => (request.held && isOpen(request) ? [request.held] : [])),
    grants: state.grants.map(({ tool, digest }) => ({ tool, digest })),
    ...(failed ? { error: { code: failed.code, message: failed.message } } : {}),
    events,
    warnings: [...warnings],
  }
}

/** As the closing line says; without one, the process that wrote the run is gone or still at it. */
function endingIn(closing: RunEvent | undefined): Ending | undefined {
  switch (closing?.type) {
    case "run.finished":
    case "run.halted":
    case "run.limited":
    case "run.interrupted":
      return closing
    default:
      return undefined
  }
}

/** A file that was cut off right before its closing line holds all that matters of a finished run. */
function cutOff(state: RunState): Ending {
  return isFinished(state) && state.root?.reply ? { type: "run.finished" } : { type: "run.interrupted", why: "signal" }
}

function draftsOf(state: RunState): Record<string, string> {
  const open = [...state.requests.values()].filter(isOpen)
  return Object.fromEntries(open.flatMap(({ request, draft }) => (draft === undefined ? [] : [[request.id, draft]])))
}
