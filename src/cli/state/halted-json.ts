import { closeSync, lstatSync, openSync, readFileSync, readSync, type Stats, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { type Halted, parseRequest, type Request, type RunRecord, systemFact, ToolnexusError } from "../../index.ts"
import { errorText } from "../output/error-text.ts"
import { jsonProblem } from "../words/json-problem.ts"

/** A halted `RunResult` that went through JSON. */
export type PlainHalted = Exclude<Halted, { read(): unknown }>

/**
 * Reads a halted result as plain JSON.
 *
 * @param given how the file was named, for messages
 * @returns `undefined` for what is a journal, or says itself what is wrong with it
 * @throws ToolnexusError `no_run` for JSON that is cut off, and for what `--output json` printed
 */
export function readHalted(file: string, given: string): PlainHalted | undefined {
  const text = textOf(file, given)
  if (text === undefined) return undefined
  let value: Record<string, unknown> | undefined
  try {
    value = parsedObject(text)
  } catch {
    const cut = cutJson(text, given)
    if (cut) throw cut
  }
  requireNoReport(value, given)
  const halted = plainHalted(value)
  const runId: unknown = halted?.runId
  if (runId === undefined || typeof runId === "string") return halted
  throw new ToolnexusError(
    "no_run",
    `${given} is no halted run: its runId is no text; give the whole RunResult as it was`,
  )
}

/** @returns `undefined` for a journal of several lines */
function textOf(file: string, given: string): string | undefined {
  try {
    return isOfSeveralLines(file) ? undefined : withoutMark(readFileSync(file, "utf8"))
  } catch (error) {
    throw unreadable(given, error)
  }
}

/** What a file that cannot be read is told as. */
export function unreadable(given: string, error: unknown): ToolnexusError {
  const next = "name a run file, or the id of a run that toolnexus runs lists"
  return new ToolnexusError("no_run", `${given} cannot be read (${systemFact(error)}): ${next}`)
}

const HEAD_BYTES = 1 << 16

/** Whether the first line is a whole object and others follow: then it is a journal, and need not be read to its end for that. */
function isOfSeveralLines(file: string): boolean {
  const head = withoutMark(headOf(file))
  const end = head.indexOf("\n")
  return end > 0 && head.slice(end).trim() !== "" && oneObject(head.slice(0, end)) !== undefined
}

function headOf(file: string): string {
  const bytes = Buffer.alloc(HEAD_BYTES)
  const handle = openSync(file, "r")
  try {
    return bytes.toString("utf8", 0, readSync(handle, bytes, 0, HEAD_BYTES, 0))
  } finally {
    closeSync(handle)
  }
}

/** A byte order mark before JSON says nothing. */
function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text
}

function oneObject(text: string): Record<string, unknown> | undefined {
  try {
    return parsedObject(text)
  } catch {
    return undefined // the caller asks whether it is one, not why not
  }
}

/** @throws SyntaxError for what begins as an object and is none */
function parsedObject(text: string): Record<string, unknown> | undefined {
  return text.trimStart().startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : undefined
}

/** What is no whole object and not the beginning of a run file either may be the only copy of a result. */
function cutJson(text: string, given: string): ToolnexusError | undefined {
  if (beginsARun(text) || oneObject(text.split("\n", 1)[0] ?? "") !== undefined) return undefined
  const fact = `is JSON that is cut off or broken (${jsonProblem(text)})`
  return new ToolnexusError("no_run", `${given} ${fact}: nothing was changed, give a whole copy of it`)
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

/** The run file beside it, in which it goes on. */
export interface Beside {
  file: string
  shown: string
  /** Whether anything of a run is in it. */
  isBegun: boolean
}

/** @throws ToolnexusError `no_run` where no file can be made there */
export function besideOf(file: string, given: string, { runId }: PlainHalted): Beside {
  const name = `${basename(file).replace(/\.json$/, "")}.run.jsonl`
  const beside = { file: join(dirname(file), name), shown: join(dirname(given), name) }
  const there = lstatSync(beside.file, { throwIfNoEntry: false }) // one look: another process may be making it
  if (!there) return { ...beside, isBegun: false }
  const stat = there.isSymbolicLink() ? statOf(beside.file) : there
  if (stat?.isFile()) return { ...beside, isBegun: !isUnbegun(beside.file, stat.size, runId) }
  const what = !stat ? "a link that leads to no file" : stat.isDirectory() ? "a folder" : "no regular file"
  throw new ToolnexusError(
    "no_run",
    `${given} goes on in ${beside.shown}, and that is ${what}: move it away and resume`,
  )
}

function statOf(file: string): Stats | undefined {
  try {
    return statSync(file)
  } catch {
    return undefined // nothing is there, or links that lead nowhere
  }
}

/** Whoever made it may be about to begin, or was ended while it began: all of the run is in the JSON. */
function isUnbegun(file: string, size: number, runId: string | undefined): boolean {
  if (size === 0) return true
  try {
    return headOf(file).split("\n").length < 3 && isOpening(readFileSync(file, "utf8"), runId)
  } catch {
    return false // whoever reads it as a run says why it cannot be read
  }
}

/** A part of the line that opens the run, or that line and a part of the next one. */
function isOpening(text: string, runId: string | undefined): boolean {
  const end = text.indexOf("\n")
  const [first, rest] = end < 0 ? [text, ""] : [text.slice(0, end), text.slice(end + 1)]
  if (!beginsARun(first) || rest.includes("\n") || oneObject(rest) !== undefined) return false
  const opening = oneObject(first)
  return opening === undefined ? end < 0 : runId === undefined || opening.runId === runId
}

const START = '{"type":"run.started"'

function beginsARun(text: string): boolean {
  return text.startsWith(START) || START.startsWith(text)
}

/**
 * Where a halted result led to the run file beside it, both are of one run.
 *
 * @param saved the result, where one was named
 * @returns what is to be said of it: an id that is missing proves nothing
 * @throws ToolnexusError `ambiguous` where they are of two runs
 */
export function sameRun(
  saved: { of?: { given: string; halted: PlainHalted }; shown: string },
  record: RunRecord,
): string[] {
  const { of, shown } = saved
  if (!of) return []
  const { runId } = of.halted
  if (runId === undefined)
    return [`${of.given} has no run id: what counts is ${shown} beside it, the run ${record.runId}`]
  if (runId === record.runId) return []
  throw new ToolnexusError(
    "ambiguous",
    `${of.given} is of ${runId}, and ${shown} beside it of another run, ${record.runId}: move one of them to another folder`,
  )
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
