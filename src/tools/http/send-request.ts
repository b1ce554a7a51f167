import { request as httpRequest, type IncomingMessage } from "node:http"
import { request as httpsRequest } from "node:https"
import type { ToolContext, ToolResult } from "../../tool/tool.ts"
import { hideValues } from "../hide-values.ts"
import { Refusal } from "../refusal.ts"
import { exchange } from "../web/exchange.ts"
import { ACCEPT_ENCODING, type Page } from "../web/page.ts"
import { fillHeaders } from "./header-template.ts"
import { httpResult } from "./http-result.ts"
import type { HttpRequest } from "./http-tool.ts"
import { fillJson } from "./placeholder.ts"
import { fillUrl } from "./url-template.ts"

const MAX_BYTES = 5 * 1024 * 1024

/**
 * Makes the request of a call.
 *
 * @throws Refusal what the model is told, without anything that headers hold
 */
export async function sendRequest(
  request: HttpRequest,
  args: Readonly<Record<string, unknown>>,
  { signal, idempotencyKey }: ToolContext,
): Promise<ToolResult> {
  const url = fillUrl(request.url, args)
  const { headers, secrets } = fillHeaders(request.headers, request.env ?? process.env)
  const hide = hideValues(secrets)
  const sent = {
    method: request.method,
    headers: { ...headersFor(request, idempotencyKey), ...lowerCased(headers) },
    body: request.body === undefined ? undefined : JSON.stringify(fillJson(request.body, args)),
  }
  try {
    return httpResult(await answerTo(url, sent, request.timeoutMs, signal), hide)
  } catch (error) {
    throw error instanceof Refusal ? new Refusal(hide(error.message)) : error
  }
}

interface Sent {
  method: HttpRequest["method"]
  headers: Record<string, string>
  body: string | undefined
}

function answerTo(url: URL, sent: Sent, timeoutMs: number, signal: AbortSignal | undefined): Promise<Page> {
  return exchange(url, {
    open: (url, signal) => open(url, sent, signal),
    redirects: sent.method === "GET" || sent.method === "HEAD" ? "of the same host" : "none",
    advice: "The tool's declaration has to name that address",
    timeoutMs,
    maxBytes: MAX_BYTES,
    signal,
  })
}

function open(url: URL, { method, headers, body }: Sent, signal: AbortSignal): Promise<IncomingMessage> {
  const start = url.protocol === "https:" ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const request = start(url, { agent: false, method, headers, signal })
    request.once("error", reject).once("response", (response) => {
      if (method === "HEAD") delete response.headers["content-encoding"] // there is nothing to unpack
      resolve(response)
    })
    request.end(body)
  })
}

function headersFor({ method, body }: HttpRequest, idempotencyKey: string | undefined): Record<string, string> {
  const isWriting = method !== "GET" && method !== "HEAD"
  return {
    accept: "application/json, text/*;q=0.9, */*;q=0.5",
    "accept-encoding": ACCEPT_ENCODING,
    "user-agent": "toolnexus",
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    // The same when a call that a crash cut off is made again.
    ...(isWriting && idempotencyKey !== undefined ? { "idempotency-key": idempotencyKey } : {}),
  }
}

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
