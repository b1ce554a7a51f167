import { createHash } from "node:crypto"
import { stat } from "node:fs/promises"
import { Refusal } from "../../refusal.ts"
import { fileProblem } from "./file-problem.ts"
import { absent } from "./locate.ts"
import { openFile } from "./open-file.ts"

/** Larger files are neither edited nor shown as a diff. */
export const MAX_EDIT_BYTES: number = 10 * 1024 * 1024

export interface Owner {
  uid: number
  gid: number
}

/** A file as it was when it was looked at. */
export interface Snapshot {
  sha256: string
  size: number
  mode: number
  owner: Owner
  /** Another one says that the file was touched since. */
  stamp: string
  /** The content; of a file over {@link MAX_EDIT_BYTES} only the hash is kept. */
  bytes: Buffer | undefined
}

/**
 * @param path as the model names it
 * @param file absolute
 * @returns `undefined` where there is no file
 * @throws Refusal where it is no regular file, or cannot be read
 */
export async function takeSnapshot(
  path: string,
  file: string,
  signal: AbortSignal | undefined,
): Promise<Snapshot | undefined> {
  const stamp = await stampOf(path, file)
  if (stamp === undefined) return undefined
  const { handle, stats } = await openFile(path, file)
  try {
    const hash = createHash("sha256")
    const kept: Buffer[] = []
    let size = 0
    for await (const chunk of handle.createReadStream({ autoClose: false, highWaterMark: 1 << 20 })) {
      signal?.throwIfAborted()
      hash.update(chunk)
      size += chunk.length
      if (size <= MAX_EDIT_BYTES) kept.push(chunk)
    }
    const bytes = size <= MAX_EDIT_BYTES ? Buffer.concat(kept) : undefined
    const owner = { uid: stats.uid, gid: stats.gid }
    return { sha256: hash.digest("hex"), size, mode: stats.mode & 0o7777, owner, stamp, bytes }
  } finally {
    await handle.close()
  }
}

/** What tells one state of a file from another without reading it; `undefined` where there is none. */
export async function stampOf(path: string, file: string): Promise<string | undefined> {
  try {
    const stats = await stat(file, { bigint: true }).catch(absent)
    return stats && [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs, stats.mode].join(":")
  } catch (error) {
    throw new Refusal(fileProblem(path, error))
  }
}
