import { createHash, randomBytes } from "node:crypto"
import { existsSync, readdirSync, realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import { ToolnexusError } from "../../index.ts"
import type { StatePlace } from "../configuration/place.ts"
import { identityOf, lastingIdentityOf, sealOf } from "../files/file-identity.ts"
import {
  foreignFact,
  makeFolder,
  readOurs,
  requireFolder,
  requireOurs,
  requireWritable,
  type Uid,
  writeAtOnce,
} from "../files/private-folder.ts"
import { type RememberedRun, readRememberedRun } from "./remembered-run.ts"

/** Where runs are kept and remembered. */
export interface StateFolder {
  path: string
  /** A folder in it, by its name; it is made. */
  folder(name: string): string
  /** The same where it is there already, or `undefined`; nothing is made. */
  found(name: string): string | undefined
  /**
   * A file in it, or `undefined` where there is none.
   *
   * @param what the file holds, for messages
   * @throws ToolnexusError `configuration` for a link, and for what others own or may write
   */
  read(path: string, what: string): string | undefined
  /** A new name for a run file; its folder is made. */
  newRunFile(nowMs: number): string
  remember(run: Omit<RememberedRun, "identity" | "seal">): void
  /**
   * Of a run that was made here: what its file holds now is what we wrote (`sealed`), or we are about to write (`open`).
   */
  mark(runId: string, file: string, as: "sealed" | "open"): void
  /** What is remembered of a run that was made here, or `undefined`: then it is from elsewhere. */
  recall(runId: string): RememberedRun | undefined
  /** What was named here for a run from elsewhere, in this file. */
  recallElsewhere(runId: string, file: string): RememberedRun | undefined
  /**
   * What is remembered under an id, or under the beginning of one (4 characters or more, `run_` aside).
   *
   * @throws ToolnexusError `ambiguous` where several begin like that
   */
  find(given: string): RememberedRun | undefined
  /** @param onProblem told of each entry that cannot be used; the others are given */
  all(onProblem: (problem: unknown) => void): RememberedRun[]
  /** The run files in the folder. */
  runFiles(): string[]
  /**
   * A file that its user names by its path is opened as named, unless it lies in the folder.
   *
   * @throws ToolnexusError `no_run` for a run file that is found through the folder and is a link, or another user's
   */
  requireOwnRun(file: string, named: "by id" | "by path"): void
}

/** The names that {@link StateFolder.newRunFile} gives. */
export const RUN_FILE_NAME: RegExp = /^\d{4}-\d\d-\d\dT\d{6}-[0-9a-f]{6}\.run\.jsonl$/

// A run id comes from a run file, which is data from elsewhere: no path is made of anything else.
const RUN_ID = /^[A-Za-z0-9_-]{1,128}$/

/**
 * The state folder. Nothing is made before something is written to it. A link, or a folder or file of another user in
 * the place of ours is refused: what is remembered decides where keys go and what code is loaded.
 *
 * @param uid the user, or `undefined` where the system has none
 */
export function stateFolder({ path, named }: StatePlace, uid: Uid): StateFolder {
  const runs = join(path, "runs")
  const known = join(path, "known")

  const made = (folder: string) => {
    if (existsSync(path)) requireFolder(path)
    else makeFolder(path)
    if (named === "by default") requireOurs(path, uid)
    if (!existsSync(folder)) makeFolder(folder)
    requireOurs(folder, uid)
    requireWritable(folder)
    return folder
  }
  const readable = (folder: string) => {
    if (!existsSync(folder)) return false
    if (named === "by default") requireOurs(path, uid)
    requireOurs(folder, uid)
    return true
  }
  const entry = (name: string) =>
    readable(known) ? readRememberedRun(join(known, `${name}.json`), idIn(name), uid) : undefined
  const recall = (runId: string) => (RUN_ID.test(runId) ? entry(runId) : undefined)
  const entries = () =>
    readable(known)
      ? readdirSync(known).flatMap((name) => (name.endsWith(".json") ? [name.slice(0, -".json".length)] : []))
      : []
  const find = (given: string) => {
    const exact = recall(given)
    if (exact || given.replace(/^run_/, "").length < 4) return exact
    const begun = entries().filter((name) => name.startsWith(given) || name.startsWith(`run_${given}`))
    const ids = new Set(begun.map(idIn))
    if (ids.size > 1) throw ambiguous(`${ids.size} runs have an id that begins with ${given}: give more of it`)
    const [id = ""] = ids
    const [name, ...others] = begun.includes(id) ? [id] : begun
    if (others.length > 0) throw ambiguous(`several files hold the run ${id}: name the file`)
    return name === undefined ? undefined : entry(name)
  }

  return {
    path,
    recall,
    find,
    folder: (name) => made(join(path, name)),
    found: (name) => (readable(join(path, name)) ? join(path, name) : undefined),
    read: (file, what) => readOurs(file, uid, what),
    recallElsewhere: (runId, file) => entry(nameElsewhere(runId, identityOf(file))),
    newRunFile: (nowMs) => {
      const time = new Date(nowMs).toISOString().slice(0, 19).replaceAll(":", "")
      return join(made(runs), `${time}-${randomBytes(3).toString("hex")}.run.jsonl`)
    },
    remember: (run) => {
      const file = realpathSync(run.file)
      const identity = lastingIdentityOf(file)
      const name = run.made === "here" ? run.runId : nameElsewhere(run.runId, identity)
      const remembered: RememberedRun = { ...run, file, identity }
      writeAtOnce(join(made(known), `${name}.json`), `${JSON.stringify(remembered, null, 2)}\n`)
    },
    mark: (runId, file, as) => {
      const { seal: _seal, ...run } = recall(runId) ?? {}
      if (!("identity" in run) || identityOf(file) !== run.identity) return
      const seal = as === "sealed" ? { seal: sealOf(file) } : {}
      writeAtOnce(join(made(known), `${runId}.json`), `${JSON.stringify({ ...run, ...seal }, null, 2)}\n`)
    },
    all: (onProblem) =>
      entries().flatMap((name) => {
        try {
          return entry(name) ?? []
        } catch (error) {
          onProblem(error)
          return [] // it was told
        }
      }),
    runFiles: () =>
      readable(runs)
        ? readdirSync(runs).flatMap((name) => (name.endsWith(".run.jsonl") ? [join(runs, name)] : []))
        : [],
    requireOwnRun: (file, named) => {
      if (named === "by path" && !(existsSync(runs) && realpathSync(dirname(file)) === realpathSync(runs))) return
      const fact = foreignFact(file, uid)
      if (fact === undefined) return
      const next = "name the file that you mean by its path, outside of the state folder"
      throw new ToolnexusError("no_run", `${file} is not used: ${fact}; ${next}`)
    },
  }
}

/**
 * Whether a file is the one that was remembered: at its place, or moved. A copy is not, nor what was put in its place or
 * written into it.
 */
export function isRememberedFile(run: RememberedRun, file: string): boolean {
  return isThatFile(run, file) && (run.seal === undefined || run.seal === sealOf(file))
}

/** Whether a file is the one that the run was in, whoever has written into it since. */
export function isThatFile(run: RememberedRun, file: string): boolean {
  return identityOf(file) === run.identity
}

/** Several files may hold a run from elsewhere; what was named for one of them counts for that one. */
function nameElsewhere(runId: string, identity: string): string {
  const hash = createHash("sha256").update(`${runId}\n${identity}`).digest("hex").slice(0, 16)
  return `${RUN_ID.test(runId) ? runId : ""}.${hash}`
}

/** The run id that a name begins with; `""`: one that no file can be named after. */
function idIn(name: string): string {
  return name.split(".")[0] ?? ""
}

function ambiguous(message: string): ToolnexusError {
  return new ToolnexusError("ambiguous", message)
}
