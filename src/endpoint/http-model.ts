import type { Clock } from "../event/clock.ts"
import { ToolnexusError } from "../tool/error.ts"
import { bodyText } from "./body-text.ts"
import { type Corrections, openCorrections } from "./corrections/corrections.ts"
import type { EndpointOptions } from "./endpoint-options.ts"
import { endpointUrl } from "./endpoint-url.ts"
import { type ProviderError, replyError, withMasked } from "./errors/provider-error.ts"
import { unreachable } from "./errors/unreachable.ts"
import { decodeText } from "./reply/decode-text.ts"
import { readingError, readReply } from "./reply/read-reply.ts"
import { loadSseParser } from "./reply/sse.ts"
import { requestHeaders, secretsOf } from "./request-headers.ts"
import { afterFailure, type RetryEvent, type RetryPolicy } from "./retry.ts"
import type { CompleteOptions, Model, ModelRequest, Reply, Style } from "./style.ts"
import { styleNamed } from "./styles.ts"
import { createFetchTransport } from "./transport/fetch-transport.ts"
import { createNodeTransport } from "./transport/node-transport.ts"
import { proxyFor, proxySecrets } from "./transport/proxy.ts"
import type { Transport, TransportResponse } from "./transport/transport.ts"

/** With what a client hands in. */
export interface HttpModelOptions extends EndpointOptions {
  clock: Clock
  onWarning?: ((message: string) => void) | undefined
  /** From 0 to below 1; the jitter of retries. Default `Math.random`. */
  random?: () => number
}

/**
 * A model behind an HTTP endpoint.
 *
 * @throws ToolnexusError `configuration` for a base URL or a header that cannot be sent
 * @example createHttpModel({ baseUrl: "http://127.0.0.1:8080/v1", style: "openai", model: "m", clock })
 */
export function createHttpModel(options: HttpModelOptions): Model {
  const endpoint = openEndpoint(options)
  return {
    name: options.model,
    style: endpoint.style,
    complete: (request, how) => complete(endpoint, { ...endpoint.defaults, ...present(request) }, how),
  }
}

interface Endpoint {
  style: Style
  url: URL
  headers: Record<string, string>
  proxy: URL | undefined
  keySent: boolean
  secrets: string[]
  defaults: Pick<ModelRequest, "model" | "maxOutputTokens" | "requestParams">
  idleTimeoutMs: number
  policy: RetryPolicy
  onRetry: (event: RetryEvent) => void
  onWarning: (message: string) => void
  transport: Transport
  clock: Clock
  corrections: Corrections
}

function openEndpoint(options: HttpModelOptions): Endpoint {
  const { clock, style } = options
  if (style !== "openai" && style !== "anthropic") {
    throw new ToolnexusError("configuration", `The style must be openai or anthropic, got ${JSON.stringify(style)}`)
  }
  const url = endpointUrl(options.baseUrl, style)
  const { apiKey, auth } = options
  const headers = requestHeaders({ style, url, apiKey, auth, headers: options.headers ?? {} })
  const secrets = secretsOf(headers, url)
  url.username = ""
  url.password = ""
  const { fetch, maxOutputTokens, requestParams } = options
  const proxy = fetch ? undefined : proxyFor(url, options.proxy)
  return {
    style: styleNamed(style),
    url,
    headers,
    proxy,
    keySent: secrets.length > 0,
    secrets: [...secrets, ...proxySecrets(proxy)],
    defaults: { model: options.model, ...present({ maxOutputTokens, requestParams }) },
    idleTimeoutMs: options.idleTimeoutMs ?? 120_000,
    policy: {
      retries: options.retries ?? 2,
      retryBaseMs: options.retryBaseMs ?? 500,
      random: options.random ?? Math.random,
    },
    onRetry: options.onRetry ?? (() => {}),
    onWarning: options.onWarning ?? process.emitWarning,
    transport: fetch ? createFetchTransport(fetch, clock) : createNodeTransport(clock, proxy),
    clock,
    corrections: openCorrections(),
  }
}

type Body = Record<string, unknown>

type Present<T> = { [K in keyof T]: Exclude<T[K], undefined> }

function present<T extends object>(members: T): Present<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<T>
}

/** Attempts until one succeeds, none is left, or something of the reply was shown: that is never started again. */
async function complete(endpoint: Endpoint, request: ModelRequest, options: CompleteOptions): Promise<Reply> {
  const { signal } = options
  const output = openOutput(options.onText)
  let mayCorrect = true
  let body = endpoint.corrections.apply(endpoint.style.renderBody(request, options.onText !== undefined))
  for (let attempt = 1; ; ) {
    const outcome = await attemptOnce(endpoint, request, body, signal, output)
    if ("reply" in outcome) return outcome.reply
    const { error } = outcome
    if (output.isUsed) throw error
    const corrected = mayCorrect ? correctedBody(endpoint, error, body) : undefined
    if (corrected) {
      body = corrected
      mayCorrect = false
      continue
    }
    const next = afterFailure(error, attempt, endpoint.policy)
    if (next.do === "fail") throw next.because === undefined ? error : withMasked(error, [], next.because)
    endpoint.onRetry({ attempt, waitMs: next.waitMs, reason: error.message.slice(0, 200) })
    await wait(endpoint.clock, next.waitMs, signal)
    attempt++
  }
}

/** The request without what the endpoint refused. Where the caller asked for that, it is said that it is left out. */
function correctedBody(endpoint: Endpoint, error: ProviderError, body: Body): Body | undefined {
  const learnt = endpoint.corrections.learn(error, body)
  const params = JSON.stringify(endpoint.defaults.requestParams ?? {})
  const asked = learnt?.leftOut.filter((name) => params.includes(`${JSON.stringify(name)}:`)) ?? []
  if (asked.length > 0)
    endpoint.onWarning(`${endpoint.url.host} does not take ${asked.join(", ")}, so it is left out: ${error.message}`)
  return learnt?.body
}

/** Where the text of a reply goes, and whether any went there. */
interface Output {
  show(text: string): void
  isUsed: boolean
  /** What the caller's own function threw. */
  thrown?: { error: unknown }
}

function openOutput(onText: ((text: string) => void) | undefined): Output {
  const output: Output = {
    isUsed: false,
    show(text) {
      if (!onText) return
      output.isUsed = true
      try {
        onText(text)
      } catch (error) {
        output.thrown = { error }
        throw error
      }
    },
  }
  return output
}

type Outcome = { reply: Reply } | { error: ProviderError }

async function attemptOnce(
  endpoint: Endpoint,
  request: ModelRequest,
  body: Body,
  signal: AbortSignal,
  output: Output,
): Promise<Outcome> {
  const { url, style, secrets } = endpoint
  const response = await send(endpoint, body, signal)
  if ("error" in response) return response
  try {
    if (response.status < 200 || response.status > 299) return { error: await failedReply(endpoint, response) }
    return { reply: await readReply(response, { style, tools: request.tools, url, show: output.show }) }
  } catch (error) {
    signal.throwIfAborted()
    if (output.thrown) throw output.thrown.error
    return { error: withMasked(readingError(error), secrets) }
  }
}

async function send(
  endpoint: Endpoint,
  body: Body,
  signal: AbortSignal,
): Promise<TransportResponse | { error: ProviderError }> {
  const { url, idleTimeoutMs } = endpoint
  const isStream = body.stream === true
  const headers = {
    accept: isStream ? "text/event-stream, application/json" : "application/json",
    // What is shown as it comes must not wait in a compressor.
    ...(isStream ? { "accept-encoding": "identity" } : {}),
    ...endpoint.headers,
  }
  try {
    const response = endpoint.transport({ url, headers, body: bodyText(body), signal, idleTimeoutMs })
    if (isStream) loadSseParser().catch(() => undefined) // while the endpoint is at work; whoever reads is told
    return await response
  } catch (error) {
    signal.throwIfAborted()
    return { error: unreachable(error, endpoint) }
  }
}

/** The longest error text that is read, in characters. */
const MAX_ERROR_TEXT = 64 * 1024

async function failedReply(endpoint: Endpoint, response: TransportResponse): Promise<ProviderError> {
  let text = ""
  try {
    for await (const part of decodeText(response.body)) {
      text += part
      if (text.length > MAX_ERROR_TEXT) break
    }
  } catch {
    // The status is the news; what came of the text will do.
  }
  const { status, headers } = response
  const { url, keySent, secrets, clock } = endpoint
  return replyError({ status, headers, text, url, now: clock.now(), keySent, secrets })
}

function wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      cancel()
      reject(signal.reason)
    }
    const cancel = clock.after(ms, () => {
      signal.removeEventListener("abort", onAbort)
      resolve()
    })
    signal.addEventListener("abort", onAbort, { once: true })
    if (signal.aborted) onAbort()
  })
}
