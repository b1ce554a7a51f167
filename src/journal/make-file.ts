import { constants, rmSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { codeOf, existsError, makeError } from "./journal-error.ts"
import type { JournalFs, JournalHandle } from "./journal-fs.ts"

export const APPENDING: number = constants.O_RDWR | constants.O_APPEND
const NEW = APPENDING | constants.O_CREAT | constants.O_EXCL

/** Makes a file that must not be there, mode 0600. @throws ToolnexusError `exists`, `journal` */
export async function makeFile(file: string, fs: JournalFs): Promise<JournalHandle> {
  let handle: JournalHandle
  try {
    handle = await fs.open(file, NEW, 0o600)
  } catch (error) {
    throw codeOf(error) === "EEXIST" ? existsError(file) : makeError(file, error)
  }
  try {
    await syncFolder(dirname(file), fs)
    return handle
  } catch (error) {
    await takeBack(file, handle)
    await handle.close()
    throw makeError(file, error)
  }
}

// The file's name is in its folder: without this a power cut could take the whole file.
async function syncFolder(folder: string, fs: JournalFs): Promise<void> {
  if (process.platform === "win32") return // folders cannot be opened there
  const handle = await fs.open(folder, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Removes a file that was made here and that nothing was written to, where it is still the one under its name. */
export async function takeBack(file: string, handle: JournalHandle): Promise<void> {
  const own = await handle.stat()
  try {
    const { dev, ino } = statSync(file)
    if (dev === own.dev && ino === own.ino) rmSync(file)
  } catch {
    // it is gone, or stays behind as an empty file
  }
}
