import { constants, type Stats } from "node:fs"
import { type FileHandle, open, realpath, stat } from "node:fs/promises"
import type { ToolContext } from "../../../tool/tool.ts"
import { Refusal } from "../../refusal.ts"
import { fileProblem } from "./file-problem.ts"

/**
 * Opens a regular file for reading. Folders, devices, pipes and sockets are refused, before they are opened and after:
 * reading one may never end.
 *
 * @param path as the model names it
 * @param file absolute, symbolic links resolved: what is opened is no other file
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
      await requireItself(path, file, stats)
      return { handle, stats }
    } catch (error) {
      await handle.close()
      throw error
    }
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal(fileProblem(path, error))
  }
}

/** A link that was put on the way between looking and opening leads elsewhere. */
async function requireItself(path: string, file: string, opened: Stats): Promise<void> {
  const there = await stat(file)
  if ((await realpath(file)) === file && there.ino === opened.ino && there.dev === opened.dev) return
  throw new Refusal(movedProblem(path))
}

/** @throws Refusal where a rule that let the call pass does not any more: its path leads elsewhere by now */
export async function requireStillPassing(path: string, ctx: ToolContext): Promise<void> {
  if ((await ctx.stillPasses?.()) === false) throw new Refusal(movedProblem(path))
}

export function movedProblem(path: string): string {
  return `${path} leads elsewhere than when it was looked at, as a link on its way was changed meanwhile: try it again`
}

type Kind = Pick<Stats, "isFile" | "isDirectory" | "isFIFO" | "isSocket">

/** @throws Refusal where it is something else than a regular file */
export function requireRegular(path: string, stats: Kind): void {
  if (stats.isFile()) return
  if (stats.isDirectory()) throw new Refusal(`${path} is a folder: list it with glob`)
  const kind = stats.isFIFO() ? "pipe" : stats.isSocket() ? "socket" : "device"
  throw new Refusal(`${path} is a ${kind}, no regular file`)
}
