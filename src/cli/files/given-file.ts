import { constants, openSync, statSync } from "node:fs"
import { Socket } from "node:net"
import { systemFact } from "../../index.ts"
import { type LookedAt, lookAtFile, tooLarge } from "./look-at-file.ts"

/**
 * Reads a file that the user names in the command: a pipe too, as `<(...)` of a shell is one. It is waited for without keeping
 * the process from hearing signals.
 *
 * @param maxBytes more than that is no file for us
 */
export async function readGivenFile(path: string, maxBytes: number): Promise<LookedAt> {
  return isPipe(path) ? readPipe(path, maxBytes) : lookAtFile(path, maxBytes)
}

/** All that comes, unless it is more than `maxBytes`. */
export async function readToEnd(pieces: AsyncIterable<Uint8Array>, maxBytes: number): Promise<LookedAt> {
  const read: Uint8Array[] = []
  let length = 0
  for await (const piece of pieces) {
    read.push(piece)
    length += piece.length
    if (length > maxBytes) return tooLarge(maxBytes)
  }
  return { is: "file", bytes: Buffer.concat(read) }
}

function isPipe(path: string): boolean {
  try {
    return statSync(path).isFIFO()
  } catch {
    return false // whoever opens it says why
  }
}

async function readPipe(path: string, maxBytes: number): Promise<LookedAt> {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    return await readToEnd(new Socket({ fd, readable: true, writable: false }), maxBytes)
  } catch (error) {
    return { is: "unusable", fact: systemFact(error) }
  }
}
