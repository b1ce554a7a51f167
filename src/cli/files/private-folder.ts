import { randomBytes } from "node:crypto"
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { systemFact, ToolnexusError } from "../../index.ts"

/** The user, or `undefined` where the system has none. */
export type Uid = number | undefined

/** @throws ToolnexusError `configuration` */
export function makeFolder(folder: string): void {
  try {
    makeWithParents(folder)
  } catch (error) {
    throw refused(folder, `cannot be made (${systemFact(error)})`)
  }
}

// One by one: `recursive` says of a file system that is read-only, and of others, that the folder is not there.
function makeWithParents(folder: string): void {
  if (existsSync(folder)) return
  makeWithParents(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (!existsSync(folder)) throw error // else another process was faster
  }
}

/** Why no new file can be made in a folder, with the next step; `undefined`: one can. */
export function problemOfFolder(folder: string): string | undefined {
  try {
    if (!statSync(folder).isDirectory()) return `${folder} is no folder: name another file`
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === "ENOENT"
    if (isAbsent) return `there is no folder ${folder}: make it first`
    return `the folder ${folder} cannot be used (${systemFact(error)}): name another file`
  }
  const fact = unwritable(folder)
  return fact === undefined ? undefined : `the folder ${folder} cannot be written to (${fact}): name another file`
}

function unwritable(folder: string): string | undefined {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return systemFact(error)
  }
}

/** @throws ToolnexusError `configuration` for what nothing can be written into */
export function requireWritable(folder: string): void {
  const fact = unwritable(folder)
  if (fact !== undefined) throw refused(folder, `cannot be written to (${fact})`)
}

/** @throws ToolnexusError `configuration` for what is there and no folder */
export function requireFolder(path: string): void {
  if (!statSync(path).isDirectory()) throw refused(path, "is no folder")
}

/** @throws ToolnexusError `configuration` for a link, and for what others own or may write */
export function requireOurs(folder: string, uid: Uid): void {
  const stat = lstatSync(folder)
  if (stat.isSymbolicLink()) throw refused(folder, "is a symbolic link")
  if (!stat.isDirectory()) throw refused(folder, "is no folder")
  const others = factOfOthers(stat, uid)
  if (others !== undefined) throw refused(folder, others)
}

/**
 * @param what the file holds, for messages
 * @returns `undefined` where there is no such file
 * @throws ToolnexusError `configuration` for a link, and for what others own or may write
 */
export function readOurs(path: string, uid: Uid, what?: string): string | undefined {
  let file: number
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined // not remembered
    throw unusable(path, `cannot be read (${systemFact(error)})`, what)
  }
  try {
    const stat = fstatSync(file)
    if (!stat.isFile()) throw unusable(path, "is no file", what)
    const others = factOfOthers(stat, uid)
    if (others !== undefined) throw unusable(path, others, what)
    return readFileSync(file, "utf8")
  } finally {
    closeSync(file)
  }
}

/** Why a file is not one that this user made, or `undefined`: it is, or there is none. */
export function foreignFact(path: string, uid: Uid): string | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return undefined
  if (stat.isSymbolicLink()) return "it is a symbolic link"
  if (!stat.isFile()) return "it is no regular file"
  return uid === undefined || stat.uid === uid ? undefined : `it belongs to another user (${stat.uid})`
}

/** The whole of it or nothing, for this user alone. */
export function writeAtOnce(path: string, text: string): void {
  const draft = join(dirname(path), `.${randomBytes(6).toString("hex")}.tmp`)
  writeFileSync(draft, text, { mode: 0o600, flag: "wx" })
  renameSync(draft, path)
}

/**
 * A file in it that is not used; the others are.
 *
 * @param what the file holds
 */
export function unusable(path: string, fact: string, what = "what is remembered of a run"): ToolnexusError {
  return new ToolnexusError("configuration", `${what} is not used: ${path} ${fact}: mend or remove it`)
}

function refused(path: string, fact: string): ToolnexusError {
  return new ToolnexusError(
    "configuration",
    `the state folder is not used: ${path} ${fact}: mend that, or name another folder with TOOLNEXUS_STATE_DIR`,
  )
}

/** What is remembered decides where keys go and what code is loaded. */
function factOfOthers({ uid: owner, mode }: Stats, uid: Uid): string | undefined {
  if (uid === undefined) return undefined
  if (owner !== uid) return `belongs to another user (${owner})`
  return (mode & 0o022) === 0 ? undefined : "can be written by other users"
}
