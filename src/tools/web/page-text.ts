import { binaryKind, HEAD_BYTES, UTF16 } from "../file-kind.ts"
import type { Page } from "./page.ts"

const TEXT_TYPES = /^text\/|[/+](?:json|xml|yaml|javascript|ecmascript|x-ndjson|x-sh|toml)$|^$/

/** The text of a page as it was sent, or a line that names the type and size of what is no text. */
export function pageText({ type, charset, bytes, cut }: Page): { text: string } | { note: string } {
  const kind = binaryKind(bytes.subarray(0, HEAD_BYTES))
  const known = kind === UTF16 ? undefined : kind
  if (known !== undefined || !TEXT_TYPES.test(type)) {
    return { note: `[${type || known}, ${cut ? "more than " : ""}${bytes.length} bytes]` }
  }
  return { text: decodeText(bytes, charset ?? charsetIn(bytes, type)) }
}

function charsetIn(bytes: Buffer, type: string): string | undefined {
  if (bytes.subarray(0, 2).equals(Buffer.from([0xff, 0xfe]))) return "utf-16le"
  if (bytes.subarray(0, 2).equals(Buffer.from([0xfe, 0xff]))) return "utf-16be"
  if (type !== "text/html") return undefined
  return /<meta[^>]{0,200}charset=["']?([\w-]{1,40})/i.exec(bytes.subarray(0, 4096).toString("latin1"))?.[1]
}

function decodeText(bytes: Buffer, charset = "utf-8"): string {
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes) // no such encoding: most pages are UTF-8, whatever they say
  }
}
