import { type Answer, OUTPUT_KEY, RESULTS_KEY } from "../../suspension/answer.ts"
import { ToolnexusError } from "../../tool/error.ts"
import type { RequestState } from "../fold/state.ts"

/** What an answer's `data` can say to the engine. */
const KNOWN: readonly string[] = [OUTPUT_KEY, RESULTS_KEY, "note", "input", "grant", "digest", "by"]

/**
 * A member that nobody reads is a mistake: an approval with misspelt edits would run what the model wrote. What is said to a tool that
 * asked is the tool's to read.
 *
 * @throws ToolnexusError `invalid_answer`, naming the member and those that are known
 */
export function requireKnownMembers({ by, request }: RequestState, { ok, data = {} }: Answer): void {
  if (by === "tool" && ok) return
  const unknown = Object.keys(data).filter((member) => data[member] !== undefined && !KNOWN.includes(member))
  if (unknown.length > 0)
    throw invalid(
      `The answer to ${request.id} has what nobody reads in its data (${unknown.join(", ")}): its members can be ${KNOWN.join(", ")}`,
    )
  if (by === "gate" && data.grant !== undefined && data.grant !== "run")
    throw invalid(`The answer to ${request.id} has a grant that is none: "run" is the only one, or leave it out`)
}

function invalid(message: string): ToolnexusError {
  return new ToolnexusError("invalid_answer", message)
}
