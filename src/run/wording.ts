import { type Answer, noteOf, outputOf, resultsOf } from "../suspension/answer.ts"
import type { Request } from "../suspension/request.ts"
import { errorResult } from "../tool/result.ts"
import type { ToolResult } from "../tool/tool.ts"

// What the model is told, in one place. The person reads it too, in the transcript.

/**
 * A call that a person turned down, or that nobody answered in time.
 *
 * @param before what may have been done of it before
 */
export function declined(request: Request, answer: Answer, before?: string): ToolResult {
  const why = answer.reason === "expired" ? "nobody answered in time" : "the person declined"
  const reason = answer.reason && !PLAIN_REASONS.has(answer.reason) ? ` (${answer.reason})` : ""
  const lines = [
    `declined/expired: ${request.prompt}`,
    `${notRunFor(`: ${why}${reason}`, before)} Do not try it again.`,
  ]
  const note = noteOf(answer)
  return errorResult(note === undefined ? lines.join("\n") : [...lines, `The person's note: ${note}`].join("\n"))
}

const PLAIN_REASONS = new Set(["declined", "cancelled", "expired"])

export function unresolved(request: Pick<Request, "prompt">): ToolResult {
  return errorResult(`unresolved: ${request.prompt}`)
}

export function outcomeUnknown(name: string): ToolResult {
  return errorResult(`outcome unknown: ${begun(name)}`)
}

function begun(name: string): string {
  return `${name} was started, and the process ended before its result was recorded`
}

/** What may have been done of a call that is not run now; `undefined` for one that never was. */
export function doneBefore(call: { name: string; wasInDoubt: boolean }): string | undefined {
  return call.wasInDoubt ? `Its outcome is unknown: ${begun(call.name)}.` : undefined
}

/** The same of a call in whose middle a server asked: what it did before is not undone. */
export function actedBefore(server: string): string {
  return `${server} may have acted before it asked.`
}

function notRunFor(why: string, before: string | undefined): string {
  return before === undefined ? `It was not run${why}.` : `It was not run again${why}. ${before}`
}

/** A new prompt came while the call was open or not started. */
export function notRun(): ToolResult {
  return errorResult("not run: a new message came first. Nobody declined it.")
}

/** A new prompt came while a child agent was at it. */
export function stopped(): ToolResult {
  return errorResult("stopped: a new message came before the agent was done.")
}

export function refused(reason: string, before?: string): ToolResult {
  return errorResult(`refused by ${reason}. ${notRunFor("", before)} Do not try it again.`)
}

/** A mark would be written or run as it stands. */
export function holdsMark(mark: string, before?: string): ToolResult {
  return errorResult(
    `The arguments hold ${mark}. That is a mark: it stands for a value that is kept from you, and would be taken literally. ${notRunFor(", and nobody was asked", before)} Leave that part as it is, or have it read from where the value is (its variable or file).`,
  )
}

/** A call that a person declined before, asked for again. */
export function declinedBefore(name: string, before?: string): ToolResult {
  return errorResult(
    `declined before: the person declined exactly this call of ${name} earlier in this run. ${notRunFor(", and nobody was asked again", before)} The answer stays no: do not ask for it again.`,
  )
}

/** The result of a relayed call, as the answer to its request gives it. */
export function relayed(request: Request, answer: Answer, callId: string): ToolResult {
  if (!answer.ok) return declined(request, answer)
  const results = resultsOf(answer)
  if (!results) return { output: outputOf(answer) ?? "", isError: false }
  const found = results.find((result) => result.id === callId)
  if (!found) return errorResult("no result was supplied for this call")
  return { output: found.output, isError: found.isError ?? false }
}

/** A result with what people said on the way to it: an edit of the arguments, notes. */
export function withRemarks(result: ToolResult, edited: unknown, answers: readonly Answer[]): ToolResult {
  const remarks = answers
    .map(noteOf)
    .filter((note) => note !== undefined)
    .map((note) => `The person's note: ${note}`)
  if (edited !== undefined) remarks.unshift(`The person edited the arguments; it ran with ${JSON.stringify(edited)}`)
  return remarks.length === 0 ? result : { ...result, output: [result.output, ...remarks].join("\n") }
}
