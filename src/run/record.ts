import type { RunEvent } from "../event/event.ts"
import { fold } from "./fold.ts"
import { stateFrom } from "./read-events.ts"
import { resultFrom, statusOf } from "./result.ts"
import type { RunRecord } from "./run-result.ts"
import { isOpen, newAgent, ROOT, type RunState } from "./state.ts"

/**
 * What a journal's lines say, as a process that resumed the run now would find it: calls in doubt are open requests, under
 * the ids that they get then.
 *
 * @throws ToolnexusError `no_run`, `damaged`, `newer_version`
 */
export function recordFrom(lines: readonly unknown[], warnings: readonly string[]): RunRecord {
  const state = stateFrom(lines)
  const events = lines as RunEvent[]
  const { closing } = state
  const status = closing?.type === "run.failed" ? "failed" : statusOf(state)
  const last = events.at(-1)
  if (last && status !== "done") fold(state, { type: "run.resumed", at: last.at })
  const root = state.root ?? newAgent(ROOT, { model: "", style: "openai", tools: [] })
  return {
    runId: state.runId,
    status,
    result: {
      ...resultFrom(state, root),
      status: status === "failed" ? "interrupted" : status,
      ...(closing?.type === "run.limited" ? { limit: closing.limit } : {}),
    },
    setup: root.setup,
    prompt: textOf(root.run.prompt?.content),
    startedAt: events[0]?.at ?? "",
    updatedAt: last?.at ?? "",
    drafts: draftsOf(state),
    recorded: [...state.requests.values()].flatMap(({ answer, closed }) => (answer && !closed ? [answer] : [])),
    grants: state.grants.map(({ tool, digest }) => ({ tool, digest })),
    ...(closing?.type === "run.failed" ? { error: { code: closing.code, message: closing.message } } : {}),
    events,
    warnings: [...warnings],
  }
}

function draftsOf(state: RunState): Record<string, string> {
  const open = [...state.requests.values()].filter(isOpen)
  return Object.fromEntries(open.flatMap(({ request, draft }) => (draft === undefined ? [] : [[request.id, draft]])))
}

/** The text of a prompt, whichever style wrote it. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content.map((part: { text?: unknown }) => (typeof part?.text === "string" ? part.text : "")).join("")
}
