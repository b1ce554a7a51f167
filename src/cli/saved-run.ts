import { accessSync, closeSync, constants, existsSync, openSync, readFileSync, readSync, statSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import {
  type Halted,
  parseRequest,
  type Request,
  type RunEvent,
  type RunRecord,
  systemFact,
  ToolnexusError,
} from "../index.ts"
import { errorText } from "./error-text.ts"
import type { RememberedRun } from "./remembered-run.ts"
import { isRememberedFile, isThatFile, type StateFolder } from "./state-folder.ts"

/** What FILE of `resume`, `answer` and `runs show` names. */
export type SavedRun =
  | { kind: "journal"; file: string; shown: string }
  /** A halted result as plain JSON; the run goes on in `file`, which is not there yet, or is empty. */
  | { kind: "plain"; halted: PlainHalted; file: string; shown: string }

/** A halted `RunResult` that went through JSON. */
export type PlainHalted = Exclude<Halted, { read(): unknown }>

/**
 * Finds a saved run: a run file, a halted result as plain JSON, or the id of a run that was made here.
 *
 * @throws ToolnexusError `no_run` when there is nothing to read
 */
export function findSavedRun(given: string, cwd: string, state: StateFolder): SavedRun {
  const file = resolve(cwd, given)
  if (!existsSync(file)) {
    const remembered = state.find(given)
    if (remembered) return { kind: "journal", file: remembered.file, shown: remembered.file }
  }
  requireReadable(file, given)
  if (isOfSeveralLines(file)) return { kind: "journal", file, shown: given }
  const value = oneObject(readFileSync(file, "utf8"))
  requireNoReport(value, given)
  const halted = plainHalted(value)
  if (!halted) return { kind: "journal", file, shown: given }
  const name = `${basename(file).replace(/\.json$/, "")}.run.jsonl`
  const [beside, shown] = [join(dirname(file), name), join(dirname(given), name)]
  return isBegun(beside) ? { kind: "journal", file: beside, shown } : { kind: "plain", halted, file: beside, shown }
}

/** Whoever made it may be about to begin, or was ended before: an empty one holds no run yet. */
function isBegun(file: string): boolean {
  return existsSync(file) && statSync(file).size > 0
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
    throw new ToolnexusError("no_run", `${given} cannot be read (${systemFact(error)}): ${NAME_A_RUN}`)
  }
}

const NAME_A_RUN = "name a run file, or the id of a run that toolnexus runs lists"

const HEAD_BYTES = 1 << 16

/** Whether the first line is a whole object and others follow: then it is a journal, and need not be read to its end for that. */
function isOfSeveralLines(file: string): boolean {
  const bytes = Buffer.alloc(HEAD_BYTES)
  const handle = openSync(file, "r")
  try {
    const head = bytes.toString("utf8", 0, readSync(handle, bytes, 0, HEAD_BYTES, 0))
    const end = head.indexOf("\n")
    return end > 0 && head.slice(end).trim() !== "" && oneObject(head.slice(0, end)) !== undefined
  } finally {
    closeSync(handle)
  }
}

function oneObject(text: string): Record<string, unknown> | undefined {
  if (!text.trimStart().startsWith("{")) return undefined
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return undefined // several lines: a journal, or it says itself what is wrong with it
  }
}

/** A journal's first line is an object too; what makes a halted result is its messages. */
function plainHalted(value: Record<string, unknown> | undefined): PlainHalted | undefined {
  return value?.type === undefined && Array.isArray(value?.messages) ? (value as unknown as PlainHalted) : undefined
}

/** @throws ToolnexusError `no_run` for what `--output json` or `jsonl` printed: it tells about a run and does not hold it */
function requireNoReport(value: Record<string, unknown> | undefined, given: string): void {
  if (!value || typeof value.status !== "string" || "messages" in value) return
  const named = typeof value.file === "string" ? `resume its file, ${value.file}` : "resume the run's own file"
  throw new ToolnexusError("no_run", `${given} is what --output json printed of a run, without its messages: ${named}`)
}

/** The open requests of a halted result. */
export function openIn({ suspended, pending }: PlainHalted): readonly Request[] {
  const requests: unknown = suspended ?? (pending ? [pending] : [])
  try {
    if (Array.isArray(requests)) return requests.map(parseRequest)
  } catch (error) {
    throw noHalted(errorText(error))
  }
  throw noHalted("suspended must be a list of requests")
}

function noHalted(fact: string): ToolnexusError {
  return new ToolnexusError("no_run", `it is no halted result: ${fact}; give the whole RunResult as JSON, unchanged`)
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
