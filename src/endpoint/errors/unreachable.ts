import { messageOf } from "../../tool/error.ts"
import { isRetryableStatus } from "./error-kind.ts"
import { mask } from "./mask.ts"
import { PROXY_ACCOUNT, ProviderError } from "./provider-error.ts"

/** Nothing came for the whole of the idle timeout: our own limit, so it is not tried again. */
export class IdleTimeoutError extends Error {
  constructor(idleTimeoutMs: number) {
    super(`nothing came for ${idleTimeoutMs} ms (idle timeout)`)
    this.name = "IdleTimeoutError"
  }
}

type Retry = "again" | "not again"

// By code: what happened, what to do, and whether the next attempt may differ.
type Facts = readonly [fact: string, next: string, retry: Retry]
const FACTS: ReadonlyMap<string, Facts> = new Map<string, Facts>(
  Object.entries<Facts>({
    ECONNREFUSED: ["connection refused", "check --base-url / baseUrl and that the server runs", "not again"],
    ENOTFOUND: ["no such host", "check --base-url / baseUrl, and the network", "not again"],
    EAI_AGAIN: ["the host's name could not be looked up", "check the network", "again"],
    ECONNRESET: ["the connection was cut", "try again; if it stays, look at the server's log", "again"],
    EPIPE: ["the connection was cut", "try again; if it stays, look at the server's log", "again"],
    UND_ERR_SOCKET: ["the connection was cut", "try again; if it stays, look at the server's log", "again"],
    ETIMEDOUT: ["the connection timed out", "check --base-url / baseUrl, and the network", "again"],
    UND_ERR_CONNECT_TIMEOUT: ["the connection timed out", "check --base-url / baseUrl, and the network", "again"],
    ENETUNREACH: ["the network cannot be reached", "check the network", "again"],
    EHOSTUNREACH: ["the host cannot be reached", "check the network", "again"],
    EPROTO: ["it does not speak TLS", "check http:// or https:// in --base-url / baseUrl", "not again"],
    ERR_SSL_WRONG_VERSION_NUMBER: ["it does not speak TLS", "use http:// in --base-url / baseUrl", "not again"],
    CERT_HAS_EXPIRED: ["its TLS certificate has expired", "renew it on the server", "not again"],
    DEPTH_ZERO_SELF_SIGNED_CERT: ["its TLS certificate is self-signed", "name it in NODE_EXTRA_CA_CERTS", "not again"],
    SELF_SIGNED_CERT_IN_CHAIN: ["its TLS certificate is self-signed", "name it in NODE_EXTRA_CA_CERTS", "not again"],
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: [
      "its TLS certificate is not trusted",
      "name its CA in NODE_EXTRA_CA_CERTS",
      "not again",
    ],
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: [
      "its TLS certificate is not trusted",
      "name its CA in NODE_EXTRA_CA_CERTS",
      "not again",
    ],
    ERR_TLS_CERT_ALTNAME_INVALID: [
      "its TLS certificate is for another host",
      "use the name that it is for in --base-url / baseUrl",
      "not again",
    ],
  }),
)

/** A request, and what must not be said of it. */
export interface Asked {
  url: URL
  proxy: URL | undefined
  secrets: readonly string[]
}

/** The error of a request that got no reply, or lost it on the way. */
export function unreachable(error: unknown, { url, proxy, secrets }: Asked): ProviderError {
  const where = proxy ? `${url.origin} through the proxy ${proxy.origin}` : url.origin
  if (error instanceof IdleTimeoutError) {
    const message = `${where} went silent: ${error.message}; raise idleTimeoutMs if the model needs longer`
    return new ProviderError(message, { status: 0, retryable: false, cause: error })
  }
  const known = proxy ? throughProxy(error) : FACTS.get(codeOf(error) ?? "")
  const fact =
    known?.[0] ??
    mask(messageOf(innermost(error)), secrets)
      .replace(/\s+/g, " ")
      .slice(0, 200)
  const next = known?.[1] ?? "check --base-url / baseUrl and the network"
  return new ProviderError(`could not reach ${where}: ${fact}; ${next}`, {
    status: 0,
    retryable: known === undefined ? isCut(error) : known[2] === "again",
    cause: error,
  })
}

/** A proxy that opens no tunnel says so by a status; a connection that fails is the one to the proxy. */
function throughProxy(error: unknown): Facts | undefined {
  const status = Number(/^Bad response: (\d+)$/.exec(messageOf(innermost(error)))?.[1])
  if (status === 407) return ["the proxy wants a name and password", PROXY_ACCOUNT, "not again"]
  const next = "check what the proxy allows, or leave the host out with NO_PROXY / noProxy"
  if (status > 0) return [`the proxy answered HTTP ${status}`, next, isRetryableStatus(status) ? "again" : "not again"]
  const facts = FACTS.get(codeOf(error) ?? "")
  return facts && [facts[0], facts[1].replace(/^check --base-url \/ baseUrl/, "check the proxy's address"), facts[2]]
}

/** The error of a reply that broke off after its first byte. */
export function cutOff(error: unknown, url: URL): ProviderError {
  if (error instanceof IdleTimeoutError) return unreachable(error, { url, proxy: undefined, secrets: [] })
  const message = `the reply of ${url.origin} ended in the middle: ${messageOf(innermost(error)).slice(0, 100)}; try again`
  return new ProviderError(message, { status: 0, retryable: true, cause: error })
}

/** `fetch` wraps what happened; several addresses of one host give an error of errors. */
function innermost(error: unknown, depth = 0): unknown {
  if (depth > 5 || typeof error !== "object" || error === null) return error
  if (error instanceof AggregateError && error.errors.length > 0) return innermost(error.errors[0], depth + 1)
  return "cause" in error && error.cause instanceof Error ? innermost(error.cause, depth + 1) : error
}

function codeOf(error: unknown): string | undefined {
  const inner = innermost(error)
  const code = typeof inner === "object" && inner !== null && "code" in inner ? inner.code : undefined
  return typeof code === "string" ? code : undefined
}

function isCut(error: unknown): boolean {
  return /socket hang up|other side closed|terminated|aborted|premature|network|fetch failed/i.test(
    messageOf(innermost(error)),
  )
}
