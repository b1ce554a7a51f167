import { constants, type Stats } from "node:fs"
import { type FileHandle, open, stat } from "node:fs/promises"
import { fileProblem, Refusal } from "./file-problem.ts"

/**
 * Opens a regular file for reading. Folders, devices, pipes and sockets are refused, before they are opened and after:
 * reading one may never end.
 *
 * @param path as the model names it
 * @param file absolute
 * @throws Refusal what the model is told
 */
export async function openFile(path: string, file: string): Promise<{ handle: FileHandle; stats: Stats }> {
  try {
    requireRegular(path, await stat(file))
    // A pipe put there meanwhile is not waited for.
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const stats = await handle.stat()
      requireRegular(path, stats)
      return { handle, stats }
    } catch (error) {
      await handle.close()
      throw error
    }
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal(fileProblem(path, error))
  }
}

type Kind = Pick<Stats, "isFile" | "isDirectory" | "isFIFO" | "isSocket">

/** @throws Refusal where it is something else than a regular file */
export function requireRegular(path: string, stats: Kind): void {
  if (stats.isFile()) return
  if (stats.isDirectory()) throw new Refusal(`${path} is a folder: list it with glob`)
  const kind = stats.isFIFO() ? "pipe" : stats.isSocket() ? "socket" : "device"
  throw new Refusal(`${path} is a ${kind}, no regular file`)
}
