import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs"
import { systemFact } from "../../index.ts"

/** What is at a path that others chose: a regular file within a limit, or no such thing. */
export type LookedAt = { is: "file"; bytes: Buffer } | { is: "absent" } | { is: "unusable"; fact: string }

/**
 * Reads a file whose path or content is from elsewhere: a pipe or a device is not waited for, and nothing is read past the limit.
 *
 * @param maxBytes more than that is no file for us
 */
export function lookAtFile(path: string, maxBytes: number): LookedAt {
  let file: number
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "ENOENT" || code === "ENOTDIR") return { is: "absent" }
    return { is: "unusable", fact: systemFact(error) }
  }
  try {
    const stat = fstatSync(file)
    if (stat.isDirectory()) return { is: "unusable", fact: "it is a folder" }
    if (!stat.isFile()) return { is: "unusable", fact: "it is no regular file" }
    return readUpTo(file, maxBytes)
  } catch (error) {
    return { is: "unusable", fact: systemFact(error) }
  } finally {
    closeSync(file)
  }
}

function readUpTo(file: number, maxBytes: number): LookedAt {
  const pieces: Buffer[] = []
  let length = 0
  while (length <= maxBytes) {
    const piece = Buffer.alloc(Math.min(64 * 1024, maxBytes + 1 - length))
    const read = readSync(file, piece)
    if (read === 0) return { is: "file", bytes: Buffer.concat(pieces) }
    pieces.push(piece.subarray(0, read))
    length += read
  }
  return tooLarge(maxBytes)
}

export function tooLarge(maxBytes: number): LookedAt {
  return { is: "unusable", fact: `it is larger than ${maxBytes / 1024 / 1024} MiB` }
}
