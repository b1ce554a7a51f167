import type { IncomingMessage } from "node:http"
import { messageOf } from "../../tool/error.ts"
import { Refusal } from "../refusal.ts"
import { type Page, readPage } from "./page.ts"

/** How a request is sent, and what of its answer is taken. */
export interface Exchange {
  /** Sends it to an address, the given one or one that a redirect leads to. */
  open(url: URL, signal: AbortSignal): Promise<IncomingMessage>
  redirects: "of the same host" | "none"
  /** What the model is told to do about a redirect that was not followed. */
  advice: string
  timeoutMs: number
  maxBytes: number
  signal: AbortSignal | undefined
}

const MAX_REDIRECTS = 5

/**
 * Sends a request and takes the answer, within a time. A redirect leads to another page of the same host only: another host is another
 * decision of whoever allows addresses, and what was sent is not for it.
 *
 * @throws Refusal what the model is told
 */
export async function exchange(start: URL, how: Exchange): Promise<Page> {
  const deadline = AbortSignal.timeout(how.timeoutMs)
  const signal = how.signal ? AbortSignal.any([how.signal, deadline]) : deadline
  let url = start
  try {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const response = await how.open(url, signal)
      const next = redirectOf(response, url)
      if (!next) return await readPage(response, url, { maxBytes: how.maxBytes, signal })
      response.destroy()
      requireFollowed(url, next, how)
      url = next
    }
  } catch (error) {
    if (error instanceof Refusal || how.signal?.aborted) throw error
    if (deadline.aborted) throw new Refusal(`${url.href} was not there within ${how.timeoutMs} ms`)
    throw new Refusal(`${url.href}: ${messageOf(error)}`)
  }
  throw new Refusal(`${url.href} redirects more than ${MAX_REDIRECTS} times`)
}

/**
 * An address of the web.
 *
 * @throws Refusal where it is none that is fetched
 */
export function parseWebAddress(text: string): URL {
  if (!URL.canParse(text)) throw new Refusal(`${JSON.stringify(text)} is no address: write it whole, with https://`)
  const url = new URL(text)
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new Refusal(`${url.protocol} addresses are not fetched, only https: and http:`)
  }
  if (url.username !== "" || url.password !== "")
    throw new Refusal("An address with a name or a password in it is not fetched")
  return url
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])

function redirectOf({ statusCode = 0, headers }: IncomingMessage, url: URL): URL | undefined {
  if (!REDIRECTS.has(statusCode) || headers.location === undefined) return undefined
  if (!URL.canParse(headers.location, url.href)) {
    throw new Refusal(`${url.href} redirects to what is no address: ${JSON.stringify(headers.location.slice(0, 200))}`)
  }
  return parseWebAddress(new URL(headers.location, url).href)
}

/** Going on without encryption is another host too. */
function requireFollowed(from: URL, to: URL, { redirects, advice }: Exchange): void {
  if (redirects === "none") throw new Refusal(`${from.href} redirects to ${to.href}, which was not followed. ${advice}`)
  const isUpgrade = from.protocol === "http:" && to.protocol === "https:" && from.port === "" && to.port === ""
  if (to.hostname === from.hostname && (isUpgrade || (to.protocol === from.protocol && to.port === from.port))) return
  throw new Refusal(`${from.href} redirects to another host, which was not followed: ${to.href}. ${advice}`)
}
