import { constants } from "node:fs"
import { type JournalHandle, systemFs } from "./journal-fs.ts"
import { parseObject } from "./lines.ts"
import { requirePath } from "./real-file.ts"

/** The first and the last line of a file. */
export interface Ends {
  first: object
  last: object
}

/** A longer line is not looked for: whoever needs it reads the file. */
const END_BYTES = 1 << 16

/**
 * The first and the last line of a file of JSON objects, one a line, without reading what is between them.
 *
 * @param file its path
 * @returns `undefined` where they cannot be told alone (too long, cut off, damaged, or no file): reading all of it says why
 */
export async function readEnds(file: string): Promise<Ends | undefined> {
  requirePath(file)
  let handle: JournalHandle
  try {
    handle = await systemFs.open(file, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch {
    return undefined // whoever reads the file says why
  }
  try {
    const stat = await handle.stat()
    if (!stat.isFile()) return undefined
    const start = await textAt(handle, 0, Math.min(END_BYTES, stat.size))
    const end = await textAt(handle, Math.max(0, stat.size - END_BYTES), Math.min(END_BYTES, stat.size))
    const first = start.includes("\n") ? parseObject(start.slice(0, start.indexOf("\n"))) : undefined
    const last = end.endsWith("\n") ? parseObject(end.slice(end.lastIndexOf("\n", end.length - 2) + 1)) : undefined
    return first && last ? { first, last } : undefined
  } catch {
    return undefined // likewise
  } finally {
    await handle.close()
  }
}

async function textAt(handle: JournalHandle, position: number, length: number): Promise<string> {
  const bytes = Buffer.alloc(length)
  const { bytesRead } = await handle.read(bytes, 0, length, position)
  return bytes.toString("utf8", 0, bytesRead)
}
