import type { IncomingMessage } from "node:http"
import { addAbortSignal, type Readable } from "node:stream"
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib"
import { Refusal } from "../refusal.ts"

/** What a server answered. */
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

/** The encodings that {@link readPage} undoes. */
export const ACCEPT_ENCODING = "gzip, deflate, br"

/**
 * Reads a response to its end, or to so many bytes, whatever it unpacks to.
 *
 * @throws Refusal where its encoding is not known
 */
export async function readPage(
  response: IncomingMessage,
  url: URL,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<Page> {
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
