import { constants } from "node:fs"
import { cutOffError, damagedError, noRun, readError } from "./journal-error.ts"
import { type JournalHandle, systemFs } from "./journal-fs.ts"
import { canBeStart, DamagedLine, type ReadLines, readAllLines } from "./lines.ts"
import { requirePath } from "./real-file.ts"

/**
 * Reads a file of JSON objects, one a line. It takes no lock, and a line that is being written meanwhile is left out.
 *
 * @param file its path
 * @returns the lines; `tornAt` in bytes, where a cut-off last line begins
 * @throws ToolnexusError `no_run`, `damaged` (naming the line), `usage` when it cannot be read
 */
export async function readLines<E = object>(
  file: string,
): Promise<{ lines: E[]; warnings: string[]; tornAt?: number }> {
  requirePath(file)
  let handle: JournalHandle
  try {
    handle = await systemFs.open(file, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    throw readError(file, error)
  }
  try {
    const read = await readHandle(file, handle)
    requireLines(file, read)
    const torn = read.tail === "torn" ? { tornAt: read.wholeBytes } : {}
    return { lines: read.lines as E[], warnings: await warningsOf(file, handle, read), ...torn }
  } finally {
    await handle.close()
  }
}

const START_BYTES = 1 << 16

/** Whether a file can be one of lines at all, from its first bytes. @throws ToolnexusError `no_run` */
export async function requireStart(file: string, handle: JournalHandle): Promise<void> {
  await requireRegular(file, handle)
  const start = Buffer.allocUnsafe(START_BYTES)
  const { bytesRead } = await handle.read(start, 0, START_BYTES, 0).catch((error: unknown) => {
    throw readError(file, error)
  })
  if (!canBeStart(start.subarray(0, bytesRead))) throw noRun(file, "line 1: it is no JSON object")
}

/** @throws ToolnexusError `damaged`, or `no_run` where already the first line is none, or it is no file */
export async function readHandle(file: string, handle: JournalHandle): Promise<ReadLines> {
  const { size } = await requireRegular(file, handle)
  try {
    return await readAllLines(handle, size)
  } catch (error) {
    if (!(error instanceof DamagedLine)) throw readError(file, error)
    if (error.line === 1) throw noRun(file, `line 1: ${error.message}`, error)
    throw damagedError(file, error.line, error.message)
  }
}

// A pipe or a device could be read for ever.
async function requireRegular(file: string, handle: JournalHandle): Promise<{ size: number }> {
  const stat = await handle.stat()
  if (stat.isDirectory()) throw noRun(file, "it is a folder")
  if (!stat.isFile()) throw noRun(file, "it is no regular file")
  return stat
}

/** What has not one whole line is no run: nothing of it may be taken away. */
export function requireLines(file: string, { lines, bytes }: ReadLines): void {
  if (lines.length > 0) return
  if (bytes === 0) throw noRun(file, "it is empty")
  throw cutOffError(file)
}

/** What is odd about a file that can be used all the same. */
export async function warningsOf(file: string, handle: JournalHandle, read: ReadLines): Promise<string[]> {
  const { lines, bytes, wholeBytes, tail } = read
  const { mode, nlink } = await handle.stat()
  const cut = `${bytes - wholeBytes} bytes after line ${lines.length}`
  const torn =
    lines.length > 0
      ? `${file}: the last line was cut off while it was written (${cut}); it is left out`
      : `${file}: its first line was cut off while it was written (${bytes} bytes), so nothing of a run is in it; it is begun anew`
  const shared = `${file}: other users can write it, so what it says may be theirs; chmod go-w keeps them out`
  const linked = `${file}: it has ${nlink} names (hard links), and a lock holds one of them; go on with a copy, or under this name only`
  return [
    ...(tail === "torn" ? [torn] : []),
    ...(process.platform !== "win32" && (mode & 0o022) !== 0 ? [shared] : []),
    ...(nlink > 1 ? [linked] : []),
  ]
}
