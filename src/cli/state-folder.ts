import { randomBytes } from "node:crypto"
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { ToolnexusError } from "../index.ts"
import type { Rules } from "./configuration.ts"
import type { Endpoint } from "./endpoint-settings.ts"
import { fileProblem } from "./error-text.ts"
import type { StatePlace } from "./place.ts"

/** What this machine remembers of a run that this user made on it: what a run file must not decide. */
export interface RememberedRun {
  runId: string
  /** Of a run from elsewhere only what its user named here is remembered, for the same file. */
  made: "here" | "elsewhere"
  /** Absolute, links resolved. */
  file: string
  /** Of the file, so that one that was moved is still known. */
  inode: string
  endpoint: Endpoint
  /** Absolute paths. */
  tools: string[]
  relay: string[]
  builtins: boolean
  rules: Rules
  /** Where the agent works. */
  cwd: string
}

/** Where runs are kept and remembered. */
export interface StateFolder {
  path: string
  /** A new name for a run file; its folder is made. */
  newRunFile(nowMs: number): string
  remember(run: Omit<RememberedRun, "inode">): void
  /** What is remembered of a run, or `undefined`: then it is from elsewhere. */
  recall(runId: string): RememberedRun | undefined
  all(): RememberedRun[]
  /** The run files in the folder. */
  runFiles(): string[]
}

// A run id comes from a run file, which is data from elsewhere: no path is made of anything else.
const RUN_ID = /^[A-Za-z0-9_-]{1,128}$/

/**
 * The state folder. Nothing is made before something is written to it. A link, or a folder or file of another user in
 * the place of ours is refused: what is remembered decides where keys go and what code is loaded.
 *
 * @param uid the user, or `undefined` where the system has none
 */
export function stateFolder({ path, named }: StatePlace, uid: number | undefined): StateFolder {
  const runs = join(path, "runs")
  const known = join(path, "known")

  const made = (folder: string) => {
    if (!existsSync(path)) makeFolder(path)
    if (named === "by default") requireOurs(path, uid)
    if (!existsSync(folder)) makeFolder(folder)
    requireOurs(folder, uid)
    return folder
  }
  const readable = (folder: string) => {
    if (!existsSync(folder)) return false
    if (named === "by default") requireOurs(path, uid)
    requireOurs(folder, uid)
    return true
  }
  const recall = (runId: string) =>
    RUN_ID.test(runId) && readable(known) ? readRemembered(join(known, `${runId}.json`), runId, uid) : undefined

  return {
    path,
    recall,
    newRunFile: (nowMs) => {
      const time = new Date(nowMs).toISOString().slice(0, 19).replaceAll(":", "")
      return join(made(runs), `${time}-${randomBytes(3).toString("hex")}.run.jsonl`)
    },
    remember: (run) => {
      if (!RUN_ID.test(run.runId)) return // an id that no file can be named after is not remembered
      const file = realpathSync(run.file)
      const remembered: RememberedRun = { ...run, file, inode: inodeOf(file) }
      writeAtOnce(join(made(known), `${run.runId}.json`), `${JSON.stringify(remembered, null, 2)}\n`)
    },
    all: () =>
      readable(known)
        ? readdirSync(known).flatMap((name) => (name.endsWith(".json") ? (recall(name.slice(0, -5)) ?? []) : []))
        : [],
    runFiles: () =>
      readable(runs)
        ? readdirSync(runs).flatMap((name) => (name.endsWith(".run.jsonl") ? [join(runs, name)] : []))
        : [],
  }
}

/** Whether a file is the one that was remembered: at its place, or moved. A copy is not. */
export function isRememberedFile(run: RememberedRun, file: string): boolean {
  const path = realpathSync(file)
  return path === run.file || inodeOf(path) === run.inode
}

function inodeOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true })
  return `${dev}:${ino}`
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw refused(folder, `cannot be made (${fileProblem(error)})`)
  }
}

function requireOurs(folder: string, uid: number | undefined): void {
  const stat = lstatSync(folder)
  if (stat.isSymbolicLink()) throw refused(folder, "is a symbolic link")
  if (!stat.isDirectory()) throw refused(folder, "is no folder")
  requireOwner(folder, stat, uid)
}

function requireOwner(path: string, stat: Stats, uid: number | undefined): void {
  if (uid === undefined) return
  if (stat.uid !== uid) throw refused(path, `belongs to another user (${stat.uid})`)
  if ((stat.mode & 0o022) !== 0) throw refused(path, "can be written by other users")
}

function refused(path: string, fact: string): ToolnexusError {
  return new ToolnexusError(
    "configuration",
    `the state folder is not used: ${path} ${fact}: mend that, or name another folder with TOOLNEXUS_STATE_DIR`,
  )
}

function writeAtOnce(path: string, text: string): void {
  const draft = join(dirname(path), `.${randomBytes(6).toString("hex")}.tmp`)
  writeFileSync(draft, text, { mode: 0o600, flag: "wx" })
  renameSync(draft, path)
}

function readRemembered(path: string, runId: string, uid: number | undefined): RememberedRun | undefined {
  const text = readOurs(path, uid)
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    if (isRemembered(value) && value.runId === runId) return value
  } catch (error) {
    throw refused(path, `is not JSON (${fileProblem(error)})`)
  }
  throw refused(path, "does not hold what it should")
}

function readOurs(path: string, uid: number | undefined): string | undefined {
  let file: number
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined // not remembered
    throw refused(path, `cannot be read (${fileProblem(error)})`)
  }
  try {
    requireOwner(path, fstatSync(file), uid)
    return readFileSync(file, "utf8")
  } finally {
    closeSync(file)
  }
}

function isRemembered(value: unknown): value is RememberedRun {
  if (typeof value !== "object" || value === null) return false
  const { runId, file, made, inode, endpoint, tools, relay, builtins, rules, cwd } = value as Partial<RememberedRun>
  const lists = [tools, relay, rules?.allow, rules?.ask, rules?.deny]
  return (
    [runId, file, inode, cwd].every((text) => typeof text === "string") &&
    lists.every((list) => Array.isArray(list) && list.every((entry) => typeof entry === "string")) &&
    typeof builtins === "boolean" &&
    (made === "here" || made === "elsewhere") &&
    (endpoint?.kind === "demo" || (endpoint?.kind === "http" && typeof endpoint.baseUrl === "string"))
  )
}
