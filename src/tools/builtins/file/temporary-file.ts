import { randomBytes } from "node:crypto"
import { type FileHandle, open } from "node:fs/promises"
import { join } from "node:path"
import { codeOf } from "../../../tool/system-fact.ts"
import type { Content } from "./change.ts"
import type { Owner, Snapshot } from "./snapshot.ts"

/**
 * Writes a content into a new file that will take another one's name.
 *
 * @param as the file whose permissions and owner it gets, as far as the system lets us
 * @param onMade told of its path before anything can fail
 * @returns its path
 */
export async function writeTemporary(
  folder: string,
  { bytes, mode }: Content,
  as: Pick<Snapshot, "mode" | "owner"> | undefined,
  onMade: (path: string) => void,
): Promise<string> {
  const path = join(folder, `.toolnexus-${randomBytes(8).toString("hex")}.tmp`)
  const handle = await open(path, "wx", 0o666)
  onMade(path)
  try {
    await handle.writeFile(bytes)
    const ownership = as ? await keepOwner(handle, as.owner) : "kept"
    const wanted = mode ?? as?.mode
    // Whose file it is decides as whom a program with the other bits runs.
    if (wanted !== undefined) await handle.chmod(ownership === "kept" ? wanted : wanted & 0o777)
    await handle.sync()
  } finally {
    await handle.close()
  }
  return path
}

/** Gives a file to the owner and group that another one has; where it may not have the owner, to the group alone. */
async function keepOwner(handle: FileHandle, { uid, gid }: Owner): Promise<"kept" | "lost"> {
  const own = await handle.stat()
  if (own.uid === uid && own.gid === gid) return "kept"
  if (await changeOwner(handle, uid, gid)) return "kept"
  await changeOwner(handle, own.uid, gid)
  return "lost"
}

async function changeOwner(handle: FileHandle, uid: number, gid: number): Promise<boolean> {
  try {
    await handle.chown(uid, gid)
    return true
  } catch (error) {
    if (codeOf(error) !== "EPERM") throw error
    return false // somebody else's, and we are not root
  }
}
