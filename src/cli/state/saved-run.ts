import { accessSync, constants, existsSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { type Request, type RunEvent, type RunRecord, ToolnexusError } from "../../index.ts"
import { besideOf, type PlainHalted, readHalted, unreadable } from "./halted-json.ts"
import type { RememberedRun } from "./remembered-run.ts"
import { isRememberedFile, isThatFile, type StateFolder } from "./state-folder.ts"

/** What FILE of `resume`, `answer` and `runs show` names. */
export type SavedRun =
  /** `of`: the halted result that was named, and that this file lies beside. */
  | { kind: "journal"; file: string; shown: string; of?: { given: string; halted: PlainHalted } }
  /** A halted result as plain JSON; the run goes on in `file`, which holds no more of it than how it begins. */
  | { kind: "plain"; halted: PlainHalted; file: string; shown: string }

/**
 * Finds a saved run: a run file, a halted result as plain JSON, or the id of a run that was made here.
 *
 * @throws ToolnexusError `no_run` when there is nothing to read
 */
export function findSavedRun(given: string, cwd: string, state: StateFolder): SavedRun {
  const file = resolve(cwd, given)
  if (!existsSync(file)) {
    const remembered = state.find(given)
    if (remembered) {
      state.requireOwnRun(remembered.file, "by id")
      return { kind: "journal", file: remembered.file, shown: remembered.file }
    }
  }
  requireReadable(file, given)
  state.requireOwnRun(file, "by path")
  const halted = readHalted(file, given)
  if (!halted) return { kind: "journal", file, shown: given }
  const { isBegun, ...beside } = besideOf(file, given, halted)
  return isBegun ? { kind: "journal", ...beside, of: { given, halted } } : { kind: "plain", halted, ...beside }
}

/**
 * The run file that was named, for commands that work on one.
 *
 * @throws ToolnexusError `no_run` for a halted result as plain JSON
 */
export function findRunFile(given: string, cwd: string, state: StateFolder): SavedRun & { kind: "journal" } {
  const saved = findSavedRun(given, cwd, state)
  if (saved.kind === "journal") return saved
  throw new ToolnexusError("no_run", `${given} is a halted result and no run file: toolnexus resume goes on with it`)
}

function requireReadable(file: string, given: string): void {
  try {
    const stat = statSync(file)
    if (stat.isDirectory()) throw Object.assign(new Error(), { code: "EISDIR" })
    if (!stat.isFile()) throw new Error("it is no regular file") // a device may never end
    accessSync(file, constants.R_OK)
  } catch (error) {
    throw unreadable(given, error)
  }
}

/** The requests that were answered, oldest first, with as much about their calls as reading an answer takes. */
export function answeredIn({ events }: RunRecord): Request[] {
  const asked = new Map(events.flatMap(requestsIn).map((request) => [request.id, request]))
  return events.flatMap((event: RunEvent) =>
    event.type === "request.answered" ? [asked.get(event.answer.id) ?? doubt(event.answer.id)] : [],
  )
}

function requestsIn(event: RunEvent): readonly Request[] {
  if (event.type === "run.imported") return event.requests ?? []
  if (event.type !== "call.suspended") return []
  const { request, by, indexes } = event
  const about = by === "relay" ? { calls: indexes.map(() => ({})) } : { call: { by } }
  return [{ ...request, data: { ...request.data, ...about } }]
}

/** What no event made is about a call in doubt. */
function doubt(id: string): Request {
  return { id, kind: "in_doubt", prompt: "", data: { call: { by: "engine" } } }
}

/** The requests that a resume finds open where recorded answers do not count, with as much as reading an answer takes. */
export function openAnew(record: RunRecord): Request[] {
  const answered = new Map(answeredIn(record).map((request) => [request.id, request]))
  return [...(record.result.suspended ?? []), ...record.recorded.map(({ id }) => answered.get(id) ?? doubt(id))]
}

/** The ids of answers that count in a file from elsewhere only where somebody here stands by them. */
export function uncountedIn({ recorded, held }: RunRecord): string[] {
  return [...recorded, ...held].map(({ id }) => id)
}

/** What is known here of a run: only what this user's own state folder says. */
export type Origin =
  | { from: "here"; remembered: RememberedRun }
  /** Its file may hold what others wrote: what is remembered counts, what the file grants does not. */
  | { from: "elsewhere"; remembered?: RememberedRun }

/** What is remembered of a run, whatever others may have written into its file. */
export function rememberedOf(runId: string, file: string | undefined, state: StateFolder): RememberedRun | undefined {
  const here = state.recall(runId)
  if (here && file !== undefined && isThatFile(here, file)) return here
  return (file === undefined ? undefined : state.recallElsewhere(runId, file)) ?? here
}

/**
 * Whether a run was written here alone. What is asked while nobody else can write it stays true.
 *
 * @param runId as the file says it
 * @param file `undefined` where the run has no file of its own yet
 */
export function originOf(runId: string, file: string | undefined, state: StateFolder): Origin {
  const here = state.recall(runId)
  if (here && file !== undefined && isRememberedFile(here, file)) return { from: "here", remembered: here }
  const remembered = (file === undefined ? undefined : state.recallElsewhere(runId, file)) ?? here
  return { from: "elsewhere", ...(remembered ? { remembered } : {}) }
}
