import type { StyleName } from "../../event/event.ts"
import { isRecord } from "../../suspension/request.ts"
import { brokenReply, errorInReply } from "../errors/provider-error.ts"
import { type StopKind, stopKind } from "../stop.ts"

/** What is told to the model in place of running a call of a reply that was cut off. */
export function cutOffProblem(stop: string | undefined): string | undefined {
  const kind = stopKind(stop)
  if (kind !== "length" && kind !== "context") return undefined
  return `The reply was cut off at a length limit (${stop}), so this call was not run. Send it again, and shorter.`
}

/**
 * A reply that says nothing needs a reason that a person can see.
 *
 * @throws ProviderError where the stop itself is the news
 */
export function requireSubstance(said: { text: string; callCount: number; stop: string | undefined }): void {
  const { text, callCount, stop } = said
  const kind = stopKind(stop)
  if (kind === "error") throw brokenReply(`The endpoint ended the reply with an error (${stop})`, { retryable: true })
  if (callCount > 0 || text.trim() !== "" || NEED_NO_WORDS.has(kind)) return
  if (kind === "refusal") throw brokenReply(`The model refused to answer (${stop}): put the request in other words`)
  if (kind === "filter") throw brokenReply(`The reply was blocked by the endpoint's content filter (${stop})`)
  throw brokenReply(`The model stopped without an answer: ${String(stop).slice(0, 100)}`)
}

const NEED_NO_WORDS: ReadonlySet<StopKind> = new Set<StopKind>(["end", "pause", "length", "context"])

/**
 * The error of a reply without a message. `{ "detail": ... }`, `{ "message": ... }` with status 200 are errors that do
 * not say that they are.
 *
 * @param lacking what is not there
 */
export function noMessage(body: Record<string, unknown>, lacking: string, style: StyleName): Error {
  const { detail, message, msg, errors, error_msg, base_resp } = body
  const says = [detail, message, msg, errors, error_msg, base_resp].find(Boolean)
  if (says && !(isRecord(says) && says.role)) return errorInReply(body)
  return brokenReply(`The endpoint's reply holds no message (${lacking}): check that it speaks the ${style} style`)
}

/** The `problems` of a reply, by call index; `undefined` where every call can run. */
export function problemsOf(
  problems: readonly (string | undefined)[],
  stop: string | undefined,
): Record<string, string> | undefined {
  const cut = cutOffProblem(stop)
  const entries = problems.flatMap((own, index) => {
    const problem = cut ?? own
    return problem === undefined ? [] : [[String(index), problem] as const]
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}
