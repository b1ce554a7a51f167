import type { StyleName } from "../event/event.ts"
import type { AuthScheme } from "./request-headers.ts"
import type { RetryEvent } from "./retry.ts"
import type { ProxyOptions } from "./transport/proxy.ts"

/** An endpoint, and how to treat it. */
export interface EndpointOptions {
  /** With or without `/v1`, as the endpoint's documentation states it. */
  baseUrl: string
  style: StyleName
  model: string
  /** Without one no auth header is sent. */
  apiKey?: string | undefined
  /**
   * How the key is sent: `bearer` is `Authorization: Bearer`. Without it `anthropic` gets `x-api-key`, a host of Azure
   * `api-key`, any other `bearer`.
   */
  auth?: AuthScheme | undefined
  /** Sent with every request; an auth header among them takes the place of the key's. */
  headers?: Record<string, string> | undefined
  /** The most tokens of one reply. */
  maxOutputTokens?: number | undefined
  /** Milliseconds without a byte from the endpoint before a call is given up. Default 120000. */
  idleTimeoutMs?: number | undefined
  /** Attempts after the first. Default 2. */
  retries?: number | undefined
  /** Milliseconds before the first retry; doubled for each. Default 500. */
  retryBaseMs?: number | undefined
  onRetry?: ((event: RetryEvent) => void) | undefined
  /**
   * The HTTP proxy in front of the endpoint, for every address or by scheme; no environment is read. A `fetch` of yours
   * brings its own.
   *
   * @example { https: process.env.HTTPS_PROXY, noProxy: process.env.NO_PROXY }
   */
  proxy?: string | ProxyOptions | undefined
  /** Instead of `node:http`. */
  fetch?: typeof globalThis.fetch | undefined
  /** Further members of the request's body. */
  requestParams?: Record<string, unknown> | undefined
}
