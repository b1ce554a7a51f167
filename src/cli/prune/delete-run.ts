import { rmSync } from "node:fs"
import { isToolnexusError, openRun, type RunFile, readRun, systemFact, ToolnexusError } from "../../index.ts"
import { type Entry, isGone, lockFileOf, markOf, type OwnRun } from "./own-runs.ts"

/** What became of something that was to be deleted. */
export type Deletion =
  | { is: "deleted" }
  /** Another process was faster. */
  | { is: "gone" }
  /** It was written to after it was looked at: kept. */
  | { is: "changed" }
  | { is: "failed"; error: ToolnexusError }

/** Removes a file; one that is gone already is fine. */
export type Remove = (path: string) => void

const removeFile: Remove = (path) => rmSync(path, { force: true })

/**
 * Deletes a run as it was looked at, while nobody else can open it: one that is open, that was gone on with meanwhile, or that
 * cannot be read to its end is kept. The file goes first and what is remembered of it last, so that what an end in the middle
 * leaves is found by that.
 */
export async function deleteRun(run: OwnRun, remove: Remove = removeFile): Promise<Deletion> {
  const { file } = run
  let journal: RunFile
  try {
    journal = await openRun(file, { mode: "existing" })
  } catch (error) {
    if (!isGone(file)) return failed(file, error)
    removeStrayLock(file, remove)
    return { is: "gone" }
  }
  try {
    return await deleteOpened(run, remove).finally(() => journal.close())
  } catch (error) {
    return failed(file, error)
  }
}

async function deleteOpened({ file, mark, paths }: OwnRun, remove: Remove): Promise<Deletion> {
  if (isGone(file)) return { is: "gone" }
  if (markOf(file) !== mark) return { is: "changed" }
  await readRun(file) // to its end: a listing looks at less
  for (const path of paths) remove(path)
  return { is: "deleted" }
}

/** Deletes what is remembered of a run whose file is gone. */
export function deleteEntry({ path, remembered, mark, paths }: Entry, remove: Remove = removeFile): Deletion {
  try {
    if (isGone(path)) return { is: "gone" }
    if (!isGone(remembered.file) || markOf(path) !== mark) return { is: "changed" }
    for (const it of paths) remove(it)
    return { is: "deleted" }
  } catch (error) {
    return failed(path, error)
  }
}

/** One that was made by opening what another process had just deleted. Nobody makes a run file of this name again. */
function removeStrayLock(file: string, remove: Remove): void {
  try {
    remove(lockFileOf(file))
  } catch {
    // an empty file stays behind
  }
}

function failed(file: string, error: unknown): Deletion {
  if (isToolnexusError(error)) return { is: "failed", error }
  const fact = isGone(file)
    ? `${file} is deleted, but not all that belongs to it (${systemFact(error)}): mend that, and prune again`
    : `${file} cannot be deleted (${systemFact(error)}): mend that, and prune again`
  return { is: "failed", error: new ToolnexusError("journal", fact, { cause: error }) }
}
