import { once } from "node:events"
import type { Readable, Transform } from "node:stream"

/**
 * A body without its content encoding (gzip, deflate, br); anything else is the body itself. Errors of the body become
 * errors of what is returned.
 *
 * @param encoding the `content-encoding` header
 */
export async function decodeContent(body: Readable, encoding: string | undefined): Promise<Readable> {
  const name = encoding?.trim().toLowerCase()
  if (name !== "gzip" && name !== "x-gzip" && name !== "deflate" && name !== "br") return body
  // Some proxies name a coding that they have undone.
  if ((name === "gzip" || name === "x-gzip") && (await firstByte(body)) !== 0x1f) return body
  const decoder = await decoderFor(name, body)
  body.on("error", (error) => decoder.destroy(error))
  return body.pipe(decoder)
}

async function decoderFor(name: string, body: Readable): Promise<Transform> {
  const zlib = await import("node:zlib")
  // Flushed at every read: a streamed reply must not wait for the end of the coding.
  if (name === "br") return zlib.createBrotliDecompress({ flush: zlib.constants.BROTLI_OPERATION_FLUSH })
  const flush = { flush: zlib.constants.Z_SYNC_FLUSH }
  // "deflate" is zlib's format by the standard, and bare deflate by some servers; zlib's begins with method 8.
  if (name === "deflate" && (((await firstByte(body)) ?? 8) & 0x0f) !== 8) return zlib.createInflateRaw(flush)
  return zlib.createUnzip(flush)
}

async function firstByte(body: Readable): Promise<number | undefined> {
  if (body.readableLength === 0 && !body.readableEnded) await once(body, "readable")
  const chunk: Buffer | null = body.read()
  if (chunk !== null) body.unshift(chunk)
  return chunk?.[0]
}
