import type { AnswerVia } from "../../event/event.ts"
import { type Answer, sameAnswer } from "../../suspension/answer.ts"
import { isRecord } from "../../suspension/request.ts"
import { openRequests, type RequestState, type RunState } from "../fold/state.ts"
import { type Hidden, hiddenAnswer } from "../masks/secrets.ts"
import type { NewEvent } from "../new-event.ts"
import { callDigest, digestOf } from "../stamp.ts"

/**
 * The events of one answer: the answer itself and, where a person granted the same for the rest of this run, the grant and
 * what it settles. They are one append.
 */
export function answerEvents(
  state: RunState,
  request: RequestState,
  answer: Answer,
  { via, folder, hidden }: { via: AnswerVia; folder: string | undefined; hidden: Hidden },
): NewEvent[] {
  const by = typeof answer.data?.by === "string" ? { by: answer.data.by } : {}
  const secret = request.request.kind === "secret" && answer.ok
  const answered: NewEvent = {
    type: "request.answered",
    ...recordedForm(request, answer, hidden),
    via,
    ...by,
    ...(secret ? { withheld: true as const } : {}),
    digest: digestAfter(request, answer),
  }
  const [call] = request.calls
  if (!call || request.by !== "gate" || !answer.ok || answer.data?.grant !== "run") return [answered]
  const digest = digestAfter(request, answer) // what was approved, not what the model wanted
  const grant: NewEvent = { type: "grant.given", tool: call.name, digest, ...(folder === undefined ? {} : { folder }) }
  const covered = openRequests(state).filter(
    (other) =>
      other !== request &&
      other.by === "gate" &&
      other.calls.every((one) => one.name === call.name && callDigest(one) === digest),
  )
  const settled = covered.map(
    (other): NewEvent => ({
      type: "request.answered",
      answer: { id: other.request.id, ok: true },
      via: "grant",
      digest: digestOf(other),
    }),
  )
  return [answered, grant, ...settled]
}

/** What is written of an answer: not a secret's value, and of what relayed calls gave only what may be stored. */
function recordedForm(request: RequestState, answer: Answer, hidden: Hidden): { answer: Answer; masked?: string[] } {
  if (request.request.kind === "secret") return { answer: withoutValue(answer) }
  return request.by === "relay" ? hiddenAnswer(answer, hidden) : { answer }
}

/** What may be written of an answer to a request for a secret. */
function withoutValue({ id, ok, reason, data }: Answer): Answer {
  const { output: _output, results: _results, ...rest } = data ?? {}
  const words = ok || Object.keys(rest).length === 0 ? {} : { data: rest }
  return { id, ok, ...(reason === undefined ? {} : { reason }), ...words }
}

/** Of the call as it will run: an edit is part of the answer. */
function digestAfter(request: RequestState, answer: Answer): string {
  const edited = request.by === "gate" && answer.ok && isRecord(answer.data?.input) ? answer.data.input : undefined
  return digestOf({ ...request, calls: request.calls.map((call) => (edited ? { ...call, edited } : call)) })
}

/** Whether this very answer is recorded already: then saying it again changes nothing. */
export function isRecordedAlready(request: RequestState, answer: Answer, hidden: Hidden): boolean {
  if (request.answer === undefined || request.withheld) return false
  return sameAnswer(request.answer, answer) || sameAnswer(request.answer, recordedForm(request, answer, hidden).answer)
}
