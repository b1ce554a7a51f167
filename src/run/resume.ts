import { styleIn } from "../endpoint/styles.ts"
import { problemOfEvent, problemOfMessages } from "../event/check-event.ts"
import type { Message } from "../event/event.ts"
import { type Answer, parseAnswer, sameAnswer } from "../suspension/answer.ts"
import { isRecord, parseRequest, type Request, typeName } from "../suspension/request.ts"
import { ToolnexusError } from "../tool/error.ts"
import { type AnswerCheck, checkAnswer, requireInTime } from "./answers/check-answer.ts"
import { isRecordedAlready } from "./answers/record-answer.ts"
import type { Engine } from "./engine.ts"
import { holdsNothing, notBegun } from "./fold/read-events.ts"
import { dueCalls, isOpen, openRequests, type RequestState, type RunState, specOf, walk } from "./fold/state.ts"
import { begin, driven, foldNew, goOn, type Loop, limitsOf, type Opened, seated } from "./loop.ts"
import { findMark } from "./masks/marks.ts"
import type { Hidden } from "./masks/secrets.ts"
import { memoryJournal } from "./memory.ts"
import type { NewEvent } from "./new-event.ts"
import type { Halted, ResumeOptions, RunJournal } from "./options.ts"
import { gotInstead, isJournal, requireJournal } from "./require-journal.ts"
import { recordAnswer } from "./steps/ask-person.ts"
import { requireTool } from "./steps/decide.ts"
import type { RunResult } from "./views/run-result.ts"

/** Goes on with a halted run. Nothing is written or sent before every answer was found to fit. */
export async function resumeRun(
  loop: Loop,
  halted: Halted,
  answers: readonly unknown[],
  options: ResumeOptions,
): Promise<RunResult> {
  const opened = await openHalted(loop, halted, options)
  const engine = seated(loop, opened, options)
  const check = { now: () => loop.clock.now(), schemas: loop.schemas, hidden: loop }
  const held = accepted(opened.state, options)
  const fitting = await fittingAnswers(opened.state, answers, { ...check, held })
  requireDueTools(engine, [...fitting, ...held])
  return driven(engine, Promise.all([accept(engine, held), recordFitting(engine, fitting)]))
}

/** An answer and the open request that it fits. */
export interface Fitting {
  request: RequestState
  answer: Answer
}

/**
 * All answers, checked before any is applied. One that is recorded already changes nothing and is left out.
 *
 * @param held recorded elsewhere, and stood by here
 * @throws ToolnexusError for the first that does not fit
 */
export async function fittingAnswers(
  state: RunState,
  answers: readonly unknown[],
  { hidden, held = [], ...check }: Omit<AnswerCheck, "findMark"> & { hidden: Hidden; held?: readonly Fitting[] },
): Promise<Fitting[]> {
  if (!Array.isArray(answers)) throw new ToolnexusError("usage", `The answers must be a list, got ${typeName(answers)}`)
  const fitting = new Map<string, Fitting>()
  const marks = findMark(state, hidden.masks)
  for (const value of answers) {
    const answer = parseAnswer(value)
    const asked = state.requests.get(answer.id)
    if (!asked) throw notAsked(state, answer)
    const standing = held.find(({ request }) => request === asked)?.answer
    const request = standing ? { ...asked, answer: standing } : asked
    const earlier = fitting.get(answer.id)?.answer
    if (isRecordedAlready(request, answer, hidden) || (earlier && sameAnswer(earlier, answer))) continue
    if (request.answer || earlier) throw differs(request)
    if (!isOpen(request))
      throw new ToolnexusError("unknown_answer", `The request ${answer.id} is not open any more: leave the answer out`)
    fitting.set(answer.id, { request, answer: await checkAnswer(request, answer, { ...check, findMark: marks }) })
  }
  for (const { request } of fitting.values()) requireInTime(request, check.now()) // they are recorded at once now
  return [...fitting.values()]
}

function notAsked(state: RunState, { id }: Answer): ToolnexusError {
  const open = openRequests(state).map(({ request }) => request.id)
  const next = open.length === 0 ? "none is open, leave the answer out" : `answer one that is open (${open.join(", ")})`
  return new ToolnexusError("unknown_answer", `No request of this run has the id ${id}: ${next}`, {
    details: { id, open },
  })
}

function differs({ request, withheld }: RequestState): ToolnexusError {
  const fact = withheld ? "was answered with a secret already" : "was answered already, and differently"
  return new ToolnexusError(
    "answer_differs",
    `The request ${request.id} ${fact}: a second answer is not taken, leave it out`,
  )
}

/**
 * Records answers that were found to fit. One that something else answered meanwhile stays as it is.
 *
 * @throws ToolnexusError `answer_differs` where that was another answer
 */
export async function recordFitting(engine: Engine, fitting: readonly Fitting[]): Promise<void> {
  await Promise.all(
    fitting.map(({ request, answer }) => {
      if (isOpen(request)) return recordAnswer(engine, request, answer, "resume")
      // the grant of an answer before it in the list may have settled this one
      if (request.via === "grant" || isRecordedAlready(request, answer, engine.parts)) return undefined
      throw differs(request)
    }),
  )
}

/** A person stands by what a file of elsewhere recorded. */
async function accept(engine: Engine, held: readonly Fitting[]): Promise<void> {
  if (held.length === 0) return
  await engine.emit(
    held.map(({ request: { request } }) => ({ type: "request.accepted", id: request.id })),
    { flush: true },
  )
}

function accepted(state: RunState, { foreign }: ResumeOptions): Fitting[] {
  if (foreign !== "accept recorded") return []
  return [...state.requests.values()].flatMap((request) => (request.held ? [{ request, answer: request.held }] : []))
}

/** @throws ToolnexusError `unknown_tool` for a due call whose tool this process does not have, before anything is written */
function requireDueTools(engine: Engine, fitting: readonly Fitting[]): void {
  const answered = new Set(fitting.flatMap(({ request, answer }) => (answer.ok ? request.calls : [])))
  for (const agent of walk(engine.state.root)) {
    for (const call of dueCalls(agent)) {
      const due = DUE.has(call.phase.is) || answered.has(call)
      // a tool that nobody knew is told to the model when the call is decided
      if (due && (specOf(call) || call.phase.is !== "new")) requireTool(engine, call)
    }
  }
}

const DUE: ReadonlySet<string> = new Set(["new", "allowed", "answered"])

async function openHalted(loop: Loop, halted: Halted, options: ResumeOptions): Promise<Opened> {
  if (!isRecord(halted) || halted instanceof Promise)
    throw new ToolnexusError("usage", `What is resumed must be a journal or a RunResult, got ${gotInstead(halted)}`)
  if (isJournal(halted)) {
    const { foreign } = options
    const border = { ...limitsOf({ ...loop, ...options.limits }), ...(foreign ? { foreign: true as const } : {}) }
    const opened = goOn(loop, halted, await halted.read(), border)
    if (holdsNothing(opened.state)) throw notBegun()
    return opened
  }
  const journal = options.journal ?? memoryJournal()
  requireJournal(journal, "options.journal")
  const imported = importedFrom(halted, loop)
  const opened = await beginImport(loop, halted, journal, options)
  // What had started there is in doubt here, as after a crash.
  const border: NewEvent[] = imported.started ? [{ type: "run.resumed" }] : []
  return { ...opened, unwritten: [...opened.unwritten, ...foldNew(loop, opened.state, [imported, ...border])] }
}

/** A process may have been ended after the opening line: then that one opens it. */
async function beginImport(
  loop: Loop,
  { runId }: { runId?: string },
  journal: RunJournal,
  options: ResumeOptions,
): Promise<Opened> {
  const limits = { ...loop, ...options.limits }
  const lines = await journal.read()
  if (lines.length === 0) return begin(limits, journal, { ...options }, runId)
  const opened = goOn(loop, journal, lines, limitsOf(limits))
  if (holdsNothing(opened.state) && (runId === undefined || opened.state.runId === runId)) return opened
  throw new ToolnexusError(
    "usage",
    "options.journal holds a run already: resume that journal itself, or give an empty one",
  )
}

type Imported = Extract<NewEvent, { type: "run.imported" }>

/** @throws ToolnexusError `no_run` for what is no halted run, `invalid_request` */
function importedFrom(
  { messages, suspended, pending, toolCalls, toolCallCount, runId, turns, usage }: Exclude<Halted, RunJournal>,
  { model }: Loop,
): Imported {
  const problem =
    problemOfMessages(messages) ?? (runId === undefined || isId(runId) ? undefined : "runId must be a filled string")
  if (problem !== undefined) throw noHaltedRun(problem)
  const imported = {
    type: "run.imported" as const,
    style: styleIn(messages, model.style).name,
    messages: structuredClone(messages as Message[]),
    requests: requestsIn(suspended ?? (pending ? [pending] : [])),
    ...startedIn(toolCalls),
    ...(turns === undefined ? {} : { turns }),
    ...(usage === undefined ? {} : { usage }),
    ...(toolCallCount === undefined ? {} : { toolCallCount }),
  }
  const misfit = problemOfEvent(imported)
  if (misfit !== undefined) throw noHaltedRun(misfit)
  return imported
}

/** The calls of the last reply that were at work when the run was stopped. */
function startedIn(toolCalls: unknown): { started?: string[] } {
  const started = (Array.isArray(toolCalls) ? toolCalls : []).filter(isRecord).filter((call) => call.started === true)
  return started.length === 0 ? {} : { started: started.map(({ id }) => String(id)) }
}

function requestsIn(suspended: unknown): Request[] {
  if (Array.isArray(suspended)) return suspended.map(parseRequest)
  throw noHaltedRun(`suspended must be a list, got ${typeName(suspended)}`)
}

function isId(runId: unknown): boolean {
  return typeof runId === "string" && runId !== ""
}

function noHaltedRun(fact: string): ToolnexusError {
  return new ToolnexusError("no_run", `It is no halted run: ${fact}; pass the whole RunResult`)
}
