import { Readable, type Transform } from "node:stream"

/**
 * A body without its content encoding (gzip, deflate, br); anything else passes through.
 *
 * @param encoding the `content-encoding` header
 */
export function decodeContent(
  bytes: AsyncIterable<Uint8Array>,
  encoding: string | undefined,
): AsyncIterable<Uint8Array> {
  const name = encoding?.trim().toLowerCase()
  const isCoded = name === "gzip" || name === "x-gzip" || name === "deflate" || name === "br"
  return isCoded ? decompress(bytes, name) : bytes
}

async function* decompress(bytes: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  const source = bytes[Symbol.asyncIterator]()
  const first = await firstBytes(source)
  if (first === undefined) return
  const decoder = await decoderFor(name, first)
  const coded = Readable.from(startingWith(first, source), { objectMode: false })
  coded.on("error", (error) => decoder.destroy(error))
  try {
    for await (const chunk of coded.pipe(decoder)) yield chunk as Uint8Array
  } finally {
    coded.destroy()
    await source.return?.()
  }
}

async function firstBytes(source: AsyncIterator<Uint8Array>): Promise<Uint8Array | undefined> {
  for (;;) {
    const { done, value } = await source.next()
    if (done) return undefined
    if (value.byteLength > 0) return value
  }
}

async function* startingWith(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

async function decoderFor(name: string, first: Uint8Array): Promise<Transform> {
  const zlib = await import("node:zlib")
  // Flushed at every read: a streamed reply must not wait for the end of the coding.
  if (name === "br") return zlib.createBrotliDecompress({ flush: zlib.constants.BROTLI_OPERATION_FLUSH })
  const flush = { flush: zlib.constants.Z_SYNC_FLUSH }
  // "deflate" is zlib's format by the standard, and bare deflate by some servers; zlib's begins with method 8.
  if (name === "deflate" && ((first[0] ?? 0) & 0x0f) !== 8) return zlib.createInflateRaw(flush)
  return zlib.createUnzip(flush)
}
