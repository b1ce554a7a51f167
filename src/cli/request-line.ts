import type { Request } from "../index.ts"
import { isInDoubt } from "./answer-flags.ts"

/** One line for each open request, and how to answer it without a terminal. */
export function openRequestLines(open: readonly Request[]): string[] {
  return open.map(
    (request) => `  ${request.id} (${request.kind}): ${firstLine(request.prompt)}   ${howToAnswer(request)}`,
  )
}

/** The option that answers a request without a terminal. */
export function howToAnswer(request: Request): string {
  if (isInDoubt(request)) return "--in-doubt rerun or --in-doubt unknown"
  if (request.kind === "secret") return `--answer-env ${request.id}=VARIABLE`
  if (request.kind === "approval") return `--answer ${request.id}=yes or ${request.id}=no`
  return `--answer ${request.id}=TEXT`
}

function firstLine(text: string): string {
  const [first = "", ...more] = text.trim().split("\n")
  return more.length === 0 ? first : `${first} ...`
}
