import { request as httpRequest, type IncomingMessage } from "node:http"
import { request as httpsRequest } from "node:https"
import { isIP, type LookupFunction } from "node:net"
import { Refusal } from "../../refusal.ts"
import { exchange, parseWebAddress } from "../../web/exchange.ts"
import { ACCEPT_ENCODING, type Page } from "../../web/page.ts"
import { mayBePrivate, PrivateAddressError, type PrivateHosts, publicLookup } from "./checked-lookup.ts"
import { isPublicAddress } from "./public-address.ts"

export interface Fetching {
  privateHosts: PrivateHosts
  timeoutMs: number
  maxBytes: number
  signal: AbortSignal | undefined
  /** Instead of the system's, checked all the same. */
  lookup?: LookupFunction
}

/**
 * Gets a page. Each connection, also behind a redirect, is made to an address that was checked; a redirect leads to another page of the
 * same host only.
 *
 * @throws Refusal what the model is told
 */
export async function fetchPage(address: string, fetching: Fetching): Promise<Page> {
  const { timeoutMs, maxBytes, signal } = fetching
  return exchange(parseWebAddress(address), {
    open: (url, signal) =>
      connect(url, fetching, signal).catch((error: unknown) => {
        throw error instanceof PrivateAddressError ? new Refusal(error.message) : error
      }),
    redirects: "of the same host",
    advice: "Fetch that address if it is wanted",
    timeoutMs,
    maxBytes,
    signal,
  })
}

function connect(url: URL, { privateHosts, lookup }: Fetching, signal: AbortSignal): Promise<IncomingMessage> {
  const isFree = mayBePrivate(url, privateHosts)
  const host = url.hostname.replace(/^\[|\]$/g, "")
  const start = url.protocol === "https:" ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    // No name is looked up for an address that is a number.
    if (!isFree && isIP(host) && !isPublicAddress(host)) return reject(new PrivateAddressError(url.hostname, host))
    const sent = start(url, {
      agent: false,
      signal,
      headers: HEADERS,
      ...(isFree ? (lookup ? { lookup } : {}) : { lookup: lookup ?? publicLookup() }),
    })
    sent.once("response", resolve).once("error", reject)
    sent.once("socket", (socket) =>
      socket.once("connect", () => {
        const { remoteAddress } = socket
        if (isFree || (remoteAddress !== undefined && isPublicAddress(remoteAddress))) return
        sent.destroy(new PrivateAddressError(url.hostname, remoteAddress ?? "unknown"))
      }),
    )
    sent.end()
  })
}

const HEADERS = {
  accept: "text/markdown, text/html;q=0.9, text/*;q=0.8, */*;q=0.5",
  "accept-encoding": ACCEPT_ENCODING,
  "user-agent": "toolnexus (webfetch)",
}
