import type { Request } from "../index.ts"
import { isInDoubt } from "./answer-flags.ts"
import { shortened } from "./shortened.ts"

/**
 * A line for each open request: what it is about, and the option that answers it without a terminal.
 *
 * @param extent `short` for the end of a run, `whole` for `runs show`
 */
export function openRequestLines(open: readonly Request[], extent: "short" | "whole" = "short"): string[] {
  const cut = extent === "short" ? shortened : (text: string) => text
  return open.map((request) => {
    const about = aboutCall(request)
    return `  ${request.id} (${request.kind}): ${cut(request.prompt)}${about === "" ? "" : ` ${cut(about)}`}   ${howToAnswer(request)}`
  })
}

/** The option that answers a request without a terminal. */
export function howToAnswer(request: Request): string {
  if (isInDoubt(request)) return "--in-doubt rerun or --in-doubt unknown"
  if (request.kind === "secret") return `--answer-env ${request.id}=VARIABLE`
  if (request.kind === "approval") return `--answer ${request.id}=yes or --answer ${request.id}=no`
  if (request.kind === "tool_call" && callsOf(request).length > 1) return "--answers FILE.json"
  return `--answer ${request.id}=TEXT`
}

interface ShownCall {
  name?: unknown
  input?: unknown
  by?: unknown
}

/** What the answer decides about, where the prompt alone does not say it: arguments of a call that has not run. */
function aboutCall(request: Request): string {
  const call = request.data?.call as ShownCall | undefined
  const calls = call && call.by !== "tool" ? [call] : callsOf(request)
  return calls.map(({ name, input }) => `${String(name)} ${JSON.stringify(input ?? {})}`).join(", ")
}

function callsOf({ data }: Request): ShownCall[] {
  return Array.isArray(data?.calls) ? (data.calls as ShownCall[]) : []
}
