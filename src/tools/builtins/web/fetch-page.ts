import { request as httpRequest, type IncomingMessage } from "node:http"
import { request as httpsRequest } from "node:https"
import { isIP, type LookupFunction } from "node:net"
import { addAbortSignal, type Readable } from "node:stream"
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib"
import { messageOf } from "../../../tool/error.ts"
import { Refusal } from "../file/file-problem.ts"
import { mayBePrivate, PrivateAddressError, type PrivateHosts, publicLookup } from "./checked-lookup.ts"
import { isPublicAddress } from "./public-address.ts"

export interface Page {
  /** Where it was in the end. */
  url: URL
  status: number
  /** `text/html`, without parameters. */
  type: string
  charset: string | undefined
  bytes: Buffer
  /** Whether there is more of it than was taken. */
  cut: boolean
}

export interface Fetching {
  privateHosts: PrivateHosts
  timeoutMs: number
  maxBytes: number
  signal: AbortSignal | undefined
  /** Instead of the system's, checked all the same. */
  lookup?: LookupFunction
}

const MAX_REDIRECTS = 5

/**
 * Gets a page. Each connection, also behind a redirect, is made to an address that was checked; a redirect leads to another page of the
 * same host only.
 *
 * @throws Refusal what the model is told
 */
export async function fetchPage(address: string, fetching: Fetching): Promise<Page> {
  const deadline = AbortSignal.timeout(fetching.timeoutMs)
  const signal = fetching.signal ? AbortSignal.any([fetching.signal, deadline]) : deadline
  let url = parseUrl(address)
  try {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const response = await connect(url, fetching, signal)
      const next = redirectOf(response, url)
      if (!next) return await pageOf(response, url, fetching.maxBytes, signal)
      response.destroy()
      requireSameHost(url, next)
      url = next
    }
  } catch (error) {
    if (error instanceof Refusal || fetching.signal?.aborted) throw error
    if (deadline.aborted) throw new Refusal(`${url.href} was not there within ${fetching.timeoutMs} ms`)
    throw new Refusal(error instanceof PrivateAddressError ? error.message : `${url.href}: ${messageOf(error)}`)
  }
  throw new Refusal(`${url.href} redirects more than ${MAX_REDIRECTS} times`)
}

function parseUrl(text: string): URL {
  if (!URL.canParse(text)) throw new Refusal(`${JSON.stringify(text)} is no address: write it whole, with https://`)
  const url = new URL(text)
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new Refusal(`${url.protocol} addresses are not fetched, only https: and http:`)
  }
  if (url.username !== "" || url.password !== "")
    throw new Refusal("An address with a name or a password in it is not fetched")
  return url
}

function connect(url: URL, { privateHosts, lookup }: Fetching, signal: AbortSignal): Promise<IncomingMessage> {
  const isFree = mayBePrivate(url, privateHosts)
  const host = url.hostname.replace(/^\[|\]$/g, "")
  // No name is looked up for an address that is a number.
  if (!isFree && isIP(host) && !isPublicAddress(host)) throw new PrivateAddressError(url.hostname, host)
  const start = url.protocol === "https:" ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
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
  "accept-encoding": "gzip, deflate, br",
  "user-agent": "toolnexus (webfetch)",
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])

function redirectOf({ statusCode = 0, headers }: IncomingMessage, url: URL): URL | undefined {
  if (!REDIRECTS.has(statusCode) || headers.location === undefined) return undefined
  if (!URL.canParse(headers.location, url.href)) {
    throw new Refusal(`${url.href} redirects to what is no address: ${JSON.stringify(headers.location.slice(0, 200))}`)
  }
  return parseUrl(new URL(headers.location, url).href)
}

/** Another host is another decision of whoever allows addresses; so is going on without encryption. */
function requireSameHost(from: URL, to: URL): void {
  const isUpgrade = from.protocol === "http:" && to.protocol === "https:" && from.port === "" && to.port === ""
  if (to.hostname === from.hostname && (isUpgrade || (to.protocol === from.protocol && to.port === from.port))) return
  throw new Refusal(
    `${from.href} redirects to another host, which was not followed: ${to.href}. Fetch that address if it is wanted`,
  )
}

async function pageOf(response: IncomingMessage, url: URL, maxBytes: number, signal: AbortSignal): Promise<Page> {
  const { "content-type": contentType = "", "content-encoding": encoding = "" } = response.headers
  const body = decoded(response, encoding)
  addAbortSignal(signal, body)
  const { bytes, cut } = await limited(body, maxBytes)
  response.destroy()
  const [type = "", ...parameters] = contentType.split(";").map((part) => part.trim())
  const charset = parameters.map((each) => /^charset="?([^"]+)"?$/i.exec(each)?.[1]).find((it) => it !== undefined)
  return { url, status: response.statusCode ?? 0, type: type.toLowerCase(), charset, bytes, cut }
}

function decoded(response: IncomingMessage, encoding: string): Readable {
  const decoder = decoderFor(encoding.trim().toLowerCase())
  if (!decoder) return response
  response.once("error", (error) => decoder.destroy(error))
  return response.pipe(decoder)
}

function decoderFor(encoding: string) {
  switch (encoding) {
    case "gzip":
    case "x-gzip":
      return createGunzip()
    case "deflate":
      return createInflate()
    case "br":
      return createBrotliDecompress()
    case "":
    case "identity":
      return undefined
    default:
      throw new Refusal(
        `The page comes in an encoding that was not asked for: ${JSON.stringify(encoding.slice(0, 100))}`,
      )
  }
}

async function limited(body: Readable, maxBytes: number): Promise<Pick<Page, "bytes" | "cut">> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size > maxBytes) break // which ends the stream
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), cut: size > maxBytes }
}
