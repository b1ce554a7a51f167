import type { Answer } from "../../suspension/answer.ts"
import { answerDeclined } from "../../suspension/answer.ts"
import { timeOf, typeName } from "../../suspension/request.ts"
import { messageOf, ToolnexusError } from "../../tool/error.ts"
import { checkAnswer } from "../answers/check-answer.ts"
import { answerEvents } from "../answers/record-answer.ts"
import type { Engine } from "../engine.ts"
import { isOpen, type RequestState } from "../fold/state.ts"
import { findMark } from "../masks/marks.ts"
import { isExpired } from "./next.ts"
import { asShown } from "./preview.ts"

/** Puts one question to whoever waits, and records the answer before anything is made of it. */
export async function askPerson(engine: Engine, request: RequestState): Promise<void> {
  if (!isOpen(request)) return
  const { id } = request.request
  const settled = new AbortController()
  engine.question = { id, settled }
  const cancelExpiry = abortAtExpiry(engine, request, settled)
  try {
    const said = await waitOrSettled(engine, request, settled.signal)
    if (said !== undefined) await take(engine, request, said)
    else if (isOpen(request) && !isExpired(request, engine.parts.clock.now())) engine.left.add(id)
  } finally {
    cancelExpiry()
    engine.question = undefined
  }
}

/** Nobody answered in time: that is recorded as the clock's word. */
export function expire(engine: Engine, request: RequestState): Promise<void> {
  const { id } = request.request
  if (engine.question?.id === id) engine.question.settled.abort()
  return engine.emit([{ type: "request.answered", answer: answerDeclined(id, "expired"), via: "clock" }], {
    flush: true,
  })
}

/** Records an answer to an open request, and settles the open requests that its grant covers. */
export async function recordAnswer(
  engine: Engine,
  request: RequestState,
  answer: Answer,
  via: "waitFor" | "resume",
): Promise<void> {
  if (request.request.kind === "secret" && answer.ok) engine.parts.secrets.set(answer.id, answer)
  const folder = engine.parts.seatOf(request.calls[0]?.agent.path ?? []).gate.folder
  const events = answerEvents(engine.state, request, answer, { via, folder, hidden: engine.parts })
  await engine.emit(events, { flush: true })
  const { question } = engine
  if (question && events.some((event) => event.type === "request.answered" && event.answer.id === question.id)) {
    question.settled.abort()
  }
}

async function take(engine: Engine, request: RequestState, said: Answer): Promise<void> {
  const now = () => engine.parts.clock.now()
  if (!isOpen(request) || isExpired(request, now())) return // settled meanwhile: what was recorded first counts
  const { schemas, masks } = engine.parts
  const answer = await checkAnswer(request, said, { now, schemas, findMark: findMark(engine.state, masks) })
  if (!isOpen(request) || isExpired(request, now())) return // settled while it was checked
  await recordAnswer(engine, request, answer, "waitFor")
}

async function waitOrSettled(engine: Engine, request: RequestState, signal: AbortSignal): Promise<Answer | undefined> {
  const { waitFor } = engine.parts.seatOf(request.calls[0]?.agent.path ?? [])
  if (!waitFor) return undefined
  const { id, kind } = request.request
  const saveDraft = (draft: string): void => {
    if (typeof draft !== "string") throw new TypeError(`a draft must be a string, got ${typeName(draft)}`)
    if (kind === "secret" || !isOpen(request)) return
    engine.emit([{ type: "request.drafted", id, draft }], { flush: false }).catch(() => undefined) // emit has stopped the run
  }
  const draft = request.draft === undefined ? {} : { draft: request.draft }
  const aborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener("abort", () => resolve(undefined), { once: true })
  })
  const asked = (async () => waitFor(await asShown(engine, request), { signal, saveDraft, ...draft }))()
  try {
    return await Promise.race([asked, aborted])
  } catch (cause) {
    throw new ToolnexusError("wait_for", `waitFor failed on the request ${id}: ${messageOf(cause)}`, { cause })
  } finally {
    asked.catch(() => undefined) // after the question was settled nobody is left to tell
  }
}

function abortAtExpiry(engine: Engine, { request }: RequestState, settled: AbortController): () => void {
  if (request.expiresAt === undefined) return () => {}
  const { clock } = engine.parts
  return clock.after((timeOf(request.expiresAt) ?? 0) - clock.now(), () => settled.abort())
}
