import { StringDecoder } from "node:string_decoder"

/**
 * Bytes as text, one UTF-8 decoder for all: a character may be cut by a read. A byte order mark is dropped.
 */
export async function* decodeText(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  // A TextDecoder that streams makes strings of two bytes a character, which all that reads them is slower on.
  const decoder = new StringDecoder("utf8")
  let isFirst = true
  for await (const chunk of bytes) {
    const text = decoder.write(chunk)
    if (text === "") continue
    yield isFirst ? text.replace(/^\uFEFF/, "") : text
    isFirst = false
  }
  const rest = decoder.end()
  if (rest !== "") yield rest
}
