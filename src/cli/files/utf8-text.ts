import { isUtf8 } from "node:buffer"

/** The text of a file or stream, without a byte order mark; `undefined`: it is no UTF-8, and would be read as another one. */
export function utf8Text(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString("utf8").replace(/^\uFEFF/, "") : undefined
}

/** Why {@link utf8Text} gives none. */
export const NO_UTF8 = "it is no UTF-8 text"
