import { isRecord, makeRequestId, parseRequest, type Request } from "../suspension/request.ts"
import type { ToolResult } from "./tool.ts"

/** A request as a tool states it: an absent id is made. */
export type RequestDraft = Omit<Request, "id"> & { id?: string }

/**
 * A tool result that suspends: "ask a person first".
 *
 * @param request what is asked; without an `id` one is made that no other process makes
 * @throws ToolnexusError `invalid_request`, naming the field that is wrong
 * @example pending({ kind: "input", prompt: "Which environment?" })
 */
export function pending(request: RequestDraft): ToolResult {
  const asked = parseRequest(isRecord(request) ? { ...request, id: request.id ?? makeRequestId() } : request)
  return { output: requestOutput(asked), isError: true, metadata: { pending: asked } }
}

/** What the model would read of a result that suspends; where a host of elsewhere left that in a transcript, it is a placeholder. */
export function requestOutput({ prompt, url }: Pick<Request, "prompt" | "url">): string {
  return url === undefined ? prompt : `${prompt}\n${url}`
}

/**
 * A tool result that asks a person to do something at an address, for instance to sign in.
 *
 * @param url where to do it
 * @param prompt what to do there
 * @throws ToolnexusError `invalid_request` when `url` is empty or no string
 * @example authRequired("https://example.test/login", "Sign in to the tracker")
 */
export function authRequired(url: string, prompt = "Authorization is required"): ToolResult {
  return pending({ kind: "authorization", prompt, url })
}

/**
 * The request on a result that suspends, or `undefined`.
 *
 * @throws ToolnexusError `invalid_request` when there is one and it is malformed
 */
export function pendingOf(result: ToolResult | undefined): Request | undefined {
  const request = result?.metadata?.pending
  return request === undefined || request === null ? undefined : parseRequest(request)
}

/** What a call of a name that no tool has comes to. */
export function unknownTool(name: string): ToolResult {
  return errorResult(`Unknown tool: ${name}`)
}

/** A result that tells the model what went wrong. */
export function errorResult(output: string): ToolResult {
  return { output, isError: true }
}
