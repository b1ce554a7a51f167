import { constants } from "node:fs"
import { access, link, mkdir, rename, rmdir, unlink } from "node:fs/promises"
import { dirname } from "node:path"
import { codeOf, systemFact } from "../../../tool/system-fact.ts"
import { Refusal } from "../../refusal.ts"
import type { Change, Content } from "./change.ts"
import { fileProblem } from "./file-problem.ts"
import { locate } from "./locate.ts"
import { movedProblem } from "./open-file.ts"
import { type Snapshot, stampOf } from "./snapshot.ts"
import { writeTemporary } from "./temporary-file.ts"

/**
 * Carries changes out, all or none: new contents are written beside their files first, every file is looked at once more, and
 * what was changed is put back when a later change fails. A file changes its content in one step.
 *
 * @throws Refusal what the model is told; then nothing is changed, or it says what is
 */
export async function commitChanges(changes: readonly Change[], signal: AbortSignal | undefined): Promise<void> {
  const undo: Undo[] = []
  try {
    const staged = []
    for (const change of changes) staged.push({ change, temporary: await stage(change, undo) })
    signal?.throwIfAborted()
    for (const { change } of staged) await requireUntouched(change)
    for (const { change, temporary } of staged) await carryOut(change, temporary, undo)
  } catch (error) {
    const left = await putBack(undo)
    const why = error instanceof Refusal ? error.message : systemFact(error)
    throw new Refusal(left.length === 0 ? `${why}. Nothing was changed` : `${why}. NOT put back: ${left.join("; ")}`)
  }
}

/** A step back, and what it is about. */
interface Undo {
  about: string
  back(): Promise<void>
}

async function putBack(undo: readonly Undo[]): Promise<string[]> {
  const left: string[] = []
  for (const { about, back } of undo.toReversed()) {
    try {
      await back()
    } catch (error) {
      left.push(`${about} (${systemFact(error)})`)
    }
  }
  return left
}

/** Writes the new content beside its place, for the move that cannot fail halfway. */
async function stage({ path, file, before, after, movedFrom }: Change, undo: Undo[]): Promise<string | undefined> {
  try {
    if (before) await requireWritable(path, file)
    if (!after) return undefined
    await requirePlace(path, file)
    await makeFolders(dirname(file), undo)
    return await writeBeside(file, after, before ?? movedFrom?.before, undo)
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal(fileProblem(path, error))
  }
}

/** The file, and the folder in which another one takes its name. */
async function requireWritable(path: string, file: string): Promise<void> {
  await access(file, constants.W_OK)
  try {
    await access(dirname(file), constants.W_OK)
  } catch (error) {
    if (codeOf(error) !== "EACCES") throw error
    throw new Refusal(`${path} can be neither replaced nor deleted: permission to change its folder is denied`)
  }
}

async function makeFolders(folder: string, undo: Undo[]): Promise<void> {
  const first = await mkdir(folder, { recursive: true })
  if (first === undefined) return
  const made: string[] = []
  for (let at = folder; at.length >= first.length; at = dirname(at)) made.unshift(at)
  undo.push(...made.map((each) => ({ about: each, back: () => rmdir(each) })))
}

async function writeBeside(file: string, content: Content, as: Snapshot | undefined, undo: Undo[]): Promise<string> {
  return await writeTemporary(dirname(file), content, as, (temporary) =>
    undo.push({ about: temporary, back: () => unlink(temporary).catch(ignoreAbsent) }),
  )
}

/** A link that was put on the way would lead the change elsewhere. */
async function requirePlace(path: string, file: string): Promise<void> {
  if ((await locate("/", file)).file !== file) throw new Refusal(movedProblem(path))
}

async function requireUntouched({ path, file, before }: Change): Promise<void> {
  await requirePlace(path, file)
  if ((await stampOf(path, file)) === before?.stamp) return
  throw new Refusal(`${path} was changed by someone else meanwhile: read it again`)
}

async function carryOut(change: Change, temporary: string | undefined, undo: Undo[]): Promise<void> {
  const { path, file, before } = change
  try {
    if (temporary === undefined) await unlink(file)
    else if (before) await rename(temporary, file)
    else await makeNew(temporary, file)
  } catch (error) {
    throw new Refusal(fileProblem(path, error))
  }
  undo.push({ about: path, back: () => (before ? writeBack(change) : unlink(file)) })
}

/** Takes the name only where nobody else has it. */
async function makeNew(temporary: string, file: string): Promise<void> {
  try {
    await link(temporary, file)
  } catch (error) {
    if (!WITHOUT_LINKS.has(codeOf(error))) throw error
    // A file system without hard links: the name was free a moment ago.
    return rename(temporary, file)
  }
  await unlink(temporary)
}

const WITHOUT_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"])

async function writeBack({ file, before }: Change): Promise<void> {
  if (!before?.bytes) throw new Error("it was too large to be kept")
  const undo: Undo[] = []
  await rename(await writeBeside(file, { bytes: before.bytes }, before, undo), file)
}

function ignoreAbsent(error: unknown): void {
  if (codeOf(error) !== "ENOENT") throw error
}
