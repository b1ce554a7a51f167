import { MAX_QUESTIONS } from "../../suspension/max-questions.ts"
import { isRecord, makeRequestId, type Request } from "../../suspension/request.ts"
import { messageOf } from "../../tool/error.ts"
import { errorResult, pendingOf } from "../../tool/result.ts"
import type { ToolContext, ToolResult } from "../../tool/tool.ts"
import { settle } from "../../tools/settle.ts"
import type { Engine } from "../engine.ts"
import { DOUBT } from "../fold/border.ts"
import {
  agentOf,
  type CallState,
  idempotencyKeyOf,
  maySimplyRunAgain,
  type RequestState,
  refOf,
} from "../fold/state.ts"
import { type Hidden, hiddenText } from "../masks/secrets.ts"
import { answersRunWith, inputOf, ownAnswers } from "../stamp.ts"
import { unresolved, withRemarks } from "../wording.ts"
import { ask, denialOf, requireTool, stillPasses } from "./decide.ts"
import { callHook } from "./hooks.ts"
import { type Approved, approvedPreview, isStill } from "./preview.ts"

/** Runs a native call, from its announced start to its result or its question. */
export async function runCall(engine: Engine, call: CallState): Promise<void> {
  const tool = requireTool(engine, call)
  if (!tool) return
  const denial = await denialOf(engine, call)
  if (denial) return settleCall(engine, call, denial)
  const approved = approvedPreview(call)
  if (approved && !(await isStill(engine, call, approved)))
    return ask(engine, call, { prompt: askedAgain(call, approved) })
  await engine.emit([{ type: "call.started", ...refOf(call) }], { flush: !maySimplyRunAgain(call) })
  if (engine.signal.aborted) return // stopped meanwhile: it is not begun, and what a tool says of an abort is no result of it
  const startedAt = engine.parts.clock.now()
  const result = await engine.working(() =>
    settle(() =>
      tool.execute(structuredClone(inputOf(call)), {
        ...contextOf(engine, call),
        ...(approved?.basis === undefined ? {} : { basis: approved.basis }),
      }),
    ),
  )
  if (engine.isOver) return // it ended too late to be heard: whoever resumes finds it in doubt
  const asked = questionIn(result)
  const suspends = "request" in asked && asked.request !== undefined
  tellMetric(
    engine,
    call,
    engine.parts.clock.now() - startedAt,
    suspends ? { pending: true, isError: false } : { pending: false, isError: result.isError },
  )
  if ("problem" in asked) return settleCall(engine, call, errorResult(asked.problem))
  if (!asked.request) return settleCall(engine, call, remarked(call, result))
  if (isUnresolved(call, asked.request, engine.parts)) return settleCall(engine, call, unresolved(asked.request))
  return suspend(engine, call, asked.request, {})
}

/** Why what was approved is not what would run. */
function askedAgain({ name }: CallState, approved: Approved): string {
  if (approved.arguments === "edited") return `Allow ${name} with the edited arguments?`
  return "What it would change is not what was shown when it was approved. Allow this?"
}

/** Records a result that needs no running: of a refusal, of a decline, of an answer to a relayed call. */
export async function settleCall(
  engine: Engine,
  call: CallState,
  result: ToolResult | "from the answer",
): Promise<void> {
  if (result === "from the answer") {
    await engine.emit([{ type: "call.finished", ...refOf(call), from: "answer" }], { flush: true })
  } else {
    const { output, isError, metadata } = result
    const finished = { output, isError, ...(metadata ? { metadata } : {}) }
    await engine.emit([{ type: "call.finished", ...refOf(call), ...finished }], { flush: !maySimplyRunAgain(call) })
  }
  await tellAfterTool(engine, call)
}

/** The same question under a new id: the secret that was given to it is in no file. */
export function askAgainForSecret(engine: Engine, call: CallState, lost: RequestState): Promise<void> {
  const { expiresAt: _past, ...request } = lost.request
  return suspend(engine, call, { ...request, id: makeRequestId() }, { renews: lost.renews ?? lost.request.id })
}

function suspend(engine: Engine, call: CallState, asked: Request, renewal: { renews?: string }): Promise<void> {
  const isTaken = engine.state.requests.has(asked.id) || asked.id.startsWith(DOUBT)
  const request = isTaken ? { ...asked, id: makeRequestId() } : asked
  const { turn, index } = call
  return engine.emit(
    [{ type: "call.suspended", ...agentOf(call.agent), turn, indexes: [index], by: "tool", ...renewal, request }],
    { flush: true },
  )
}

function contextOf(engine: Engine, call: CallState): ToolContext {
  const answers = structuredClone(ownAnswers(call, engine.parts.secrets))
  const answer = answers.at(-1)
  const { id, name, turn } = call
  const { runId } = engine.state
  return {
    signal: engine.signal,
    ...(answer ? { answer, answers } : {}),
    call: { id, name, turn },
    runId,
    idempotencyKey: idempotencyKeyOf(engine.state, call),
    ...(call.requests.some(({ by }) => by === "gate") ? {} : { stillPasses: () => stillPasses(engine, call) }),
  }
}

type Asked = { request: Request | undefined } | { problem: string }

function questionIn(result: ToolResult): Asked {
  try {
    const request = pendingOf(result)
    return request ? { request: withoutStamps(request) } : { request: undefined }
  } catch (error) {
    return { problem: `The tool asked a question that cannot be put to anybody: ${messageOf(error)}` }
  }
}

/** What the engine stamps is the engine's word alone: what a tool put there is not kept. */
function withoutStamps(request: Request): Request {
  if (!isRecord(request.data)) return request
  const { call: _call, calls: _calls, digest: _digest, agent: _agent, ...data } = request.data
  return { ...request, data }
}

/** The question that was just answered comes again, or there were too many. */
function isUnresolved(call: CallState, asked: Request, hidden: Hidden): boolean {
  const own = call.requests.filter((request) => request.by === "tool" && request.renews === undefined)
  const last = own.at(-1)?.request
  return own.length >= MAX_QUESTIONS || (last?.kind === asked.kind && last.prompt === hiddenText(asked.prompt, hidden))
}

/** What people said on the way to a result. */
function remarked(call: CallState, result: ToolResult): ToolResult {
  return withRemarks(result, call.edited, answersRunWith(call))
}

async function tellAfterTool(engine: Engine, call: CallState): Promise<void> {
  const { hooks } = engine.parts.seatOf(call.agent.path)
  if (!hooks.afterTool || call.phase.is !== "done") return
  const { result } = call.phase
  const { id, name, turn } = call
  const about = { runId: engine.state.runId, ...agentOf(call.agent), turn, id, name, input: inputOf(call), result }
  await callHook("afterTool", () => hooks.afterTool?.(about))
}

type Outcome = { pending: boolean; isError: boolean }

function tellMetric(engine: Engine, call: CallState, ms: number, outcome: Outcome): void {
  const { id, name, turn } = call
  engine.parts.onMetric?.({
    type: "tool",
    runId: engine.state.runId,
    ...agentOf(call.agent),
    turn,
    id,
    name,
    ms,
    ...outcome,
  })
}
