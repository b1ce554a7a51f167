import { isUtf8 } from "node:buffer"
import { binaryKind, HEAD_BYTES } from "../../file-kind.ts"
import { Refusal } from "../../refusal.ts"
import { MAX_EDIT_BYTES, type Snapshot } from "./snapshot.ts"

const BOM = "\uFEFF"

/** A text file taken apart so that it can be put together again as it was. */
export interface TextFile {
  bom: "" | typeof BOM
  /** Without the mark, line ends as they are. */
  text: string
}

/**
 * @throws Refusal where its bytes are no UTF-8 text of bounded size: changing a part would change the rest
 */
export function readText(path: string, { bytes, size }: Snapshot): TextFile {
  if (bytes === undefined) {
    const limit = MAX_EDIT_BYTES / 1024 / 1024
    throw new Refusal(
      `${path} has ${size} bytes, and files over ${limit} MiB are not edited: use bash, for instance sed`,
    )
  }
  const kind = binaryKind(bytes.subarray(0, HEAD_BYTES))
  if (kind !== undefined) throw new Refusal(`${path} is no text that can be edited (${kind}, ${size} bytes): use bash`)
  if (!isUtf8(bytes)) throw new Refusal(`${path} is not UTF-8, and an edit would change other bytes of it: use bash`)
  const text = bytes.toString("utf8")
  return text.startsWith(BOM) ? { bom: BOM, text: text.slice(1) } : { bom: "", text }
}

export function textBytes({ bom, text }: TextFile): Buffer {
  return Buffer.from(bom + text, "utf8")
}
