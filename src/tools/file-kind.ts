/** What a file's first bytes say it is, where that is no text that can be shown. */
export function binaryKind(head: Buffer): string | undefined {
  const known = SIGNATURES.find(({ at = 0, bytes }) => head.subarray(at, at + bytes.length).equals(bytes))
  if (known) return known.kind
  return head.includes(0) ? "binary data" : undefined
}

/** So many bytes are enough to tell. */
export const HEAD_BYTES = 8192

export const UTF16 = "UTF-16 text"

const SIGNATURES: readonly { kind: string; bytes: Buffer; at?: number }[] = [
  { kind: "image/png", bytes: Buffer.from("89504e470d0a1a0a", "hex") },
  { kind: "image/jpeg", bytes: Buffer.from("ffd8ff", "hex") },
  { kind: "image/gif", bytes: Buffer.from("GIF87a") },
  { kind: "image/gif", bytes: Buffer.from("GIF89a") },
  { kind: "image/webp", bytes: Buffer.from("WEBP"), at: 8 },
  { kind: "image/tiff", bytes: Buffer.from("49492a00", "hex") },
  { kind: "image/x-icon", bytes: Buffer.from("00000100", "hex") },
  { kind: "application/pdf", bytes: Buffer.from("%PDF-") },
  { kind: "application/zip", bytes: Buffer.from("504b0304", "hex") },
  { kind: "application/gzip", bytes: Buffer.from("1f8b08", "hex") },
  { kind: "application/x-executable", bytes: Buffer.from("7f454c46", "hex") },
  { kind: UTF16, bytes: Buffer.from("fffe", "hex") },
  { kind: UTF16, bytes: Buffer.from("feff", "hex") },
]
