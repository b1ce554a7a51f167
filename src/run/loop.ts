import { randomUUID } from "node:crypto"
import { styleIn } from "../endpoint/styles.ts"
import { problemOfMessages } from "../event/check-event.ts"
import type { Clock } from "../event/clock.ts"
import type { AgentSetup, Limits, RunEvent } from "../event/event.ts"
import type { Answer } from "../suspension/answer.ts"
import { typeName } from "../suspension/request.ts"
import { ToolnexusError } from "../tool/error.ts"
import { toolSpec } from "../tool/tool.ts"
import type { SchemaCheck } from "../tools/schema-check.ts"
import { Engine } from "./engine.ts"
import { fold } from "./fold/fold.ts"
import { stateFrom } from "./fold/read-events.ts"
import { emptyState, type RunState } from "./fold/state.ts"
import type { Masker } from "./masks/masks.ts"
import { memoryJournal } from "./memory.ts"
import { type NewEvent, stampEvent } from "./new-event.ts"
import type { LoopParts, RunJournal, RunOptions, ToolSet } from "./options.ts"
import { requireJournal } from "./require-journal.ts"
import type { Seat } from "./seat.ts"
import { resultFrom } from "./views/result.ts"
import type { RunResult } from "./views/run-result.ts"

/** What every run of a client shares. */
export interface Loop extends Omit<LoopParts, "masks"> {
  readonly clock: Clock
  readonly gate: Seat["gate"]
  readonly schemas: SchemaCheck
  readonly secrets: Map<string, Answer>
  readonly masks: Masker
}

/** A journal as it was found, and what is to be said before anything else. */
export interface Opened {
  readonly journal: RunJournal
  readonly state: RunState
  readonly lines: number
  readonly unwritten: readonly RunEvent[]
}

/** One prompt, from its recording to a final text, a halt or a limit. */
export async function runPrompt(loop: Loop, prompt: string, options: RunOptions): Promise<RunResult> {
  if (typeof prompt !== "string")
    throw new ToolnexusError("usage", `The prompt must be a string, got ${typeName(prompt)}`)
  const journal = options.journal ?? memoryJournal()
  requireJournal(journal, "options.journal")
  const lines = await journal.read()
  const opened = lines.length === 0 ? begin(loop, journal, options) : goOn(loop, journal, lines, {})
  if (lines.length > 0 && options.history)
    throw new ToolnexusError("usage", "history is for a new run: this journal holds one already")
  const engine = seated(loop, opened, options)
  const { style } = loop.model
  const other = opened.state.root?.style === style.name ? {} : { style: style.name }
  const limits = lines.length === 0 ? {} : limitsOf(loop) // a new run's stand in its first line
  return driven(
    engine,
    engine.emit([{ type: "user.said", message: style.renderUser(prompt), ...other, ...limits }], { flush: false }),
  )
}

/** The opening lines of a new run. */
export function begin(
  loop: Loop,
  journal: RunJournal,
  options: RunOptions,
  runId: string = `run_${randomUUID()}`,
): Opened {
  const state = emptyState()
  const opening: NewEvent[] = [{ type: "run.started", v: 1, runId, ...setupOf(loop, options.toolkit) }]
  if (options.history?.length) {
    const problem = problemOfMessages(options.history)
    if (problem !== undefined) throw new ToolnexusError("usage", `history cannot be used: ${problem}`)
    opening.push({
      type: "run.imported",
      style: styleIn(options.history, loop.model.style).name,
      messages: structuredClone([...options.history]),
    })
  }
  return { journal, state, lines: 0, unwritten: foldNew(loop, state, opening) }
}

/** A journal of another process: the border is crossed in memory; it is written before the first line that follows. */
export function goOn(
  loop: Pick<Loop, "clock">,
  journal: RunJournal,
  lines: readonly RunEvent[],
  border: { limits?: Limits; foreign?: true },
): Opened {
  const state = stateFrom(lines)
  return { journal, state, lines: lines.length, unwritten: foldNew(loop, state, [{ type: "run.resumed", ...border }]) }
}

/** Folds events that are written later. */
export function foldNew({ clock }: Pick<Loop, "clock">, state: RunState, events: readonly NewEvent[]): RunEvent[] {
  const stamp = { time: clock.now(), workMs: state.workMs }
  const stampedEvents = events.map((event) => stampEvent(event, stamp))
  for (const event of stampedEvents) fold(state, event)
  return stampedEvents
}

/** An engine over a journal, with what this process has in its one seat. */
export function seated(loop: Loop, opened: Opened, options: RunOptions): Engine {
  const { toolkit, signal, onText, onEvent } = options
  if (toolkit && typeof toolkit.tools !== "function") {
    throw new ToolnexusError("usage", "The toolkit must be one that createToolkit made")
  }
  const seat: Seat = {
    model: loop.model,
    tools: toolkit,
    gate: loop.gate,
    hooks: loop.hooks ?? {},
    waitFor: loop.waitFor ?? toolkit?.waitFor,
  }
  return new Engine({ ...loop, ...opened, seatOf: () => seat, signal, onText, onEvent })
}

/** Goes on until nothing is left to do, and says what the run came to. */
export async function driven(engine: Engine, first: Promise<unknown>): Promise<RunResult> {
  await first.catch((error: unknown) => engine.stop({ why: "failure", error }))
  await engine.drive()
  const { root } = engine.state
  if (!root) throw new ToolnexusError("no_run", "The journal holds no run: begin one with client.run")
  return { ...resultFrom(engine.state, root, engine.ending), model: engine.parts.seatOf(root.path).model.name }
}

function setupOf(loop: Loop, toolkit: ToolSet | undefined): AgentSetup {
  const systemPrompt = [loop.systemPrompt, toolkit?.skillsPrompt?.()].filter(Boolean).join("\n\n")
  return {
    model: loop.model.name,
    style: loop.model.style.name,
    ...(systemPrompt ? { systemPrompt } : {}),
    ...limitsOf(loop),
    tools: toolkit?.tools().map(toolSpec) ?? [],
  }
}

/** The `limits` member of an event, absent where there are none. */
export function limitsOf(given: Limits): { limits?: Limits } {
  const limits: Limits = {}
  for (const name of LIMITS) {
    const value = given[name]
    requireLimit(name, value)
    if (value !== undefined) limits[name] = value
  }
  return Object.keys(limits).length === 0 ? {} : { limits }
}

const LIMITS: readonly (keyof Limits)[] = ["maxTurns", "maxTokens", "timeoutMs", "maxToolCalls", "maxRepeats"]

function requireLimit(name: string, value: unknown): void {
  if (value === undefined || (typeof value === "number" && value > 0 && Number.isFinite(value))) return
  const got = typeof value === "number" ? String(value) : (JSON.stringify(value) ?? typeName(value))
  throw new ToolnexusError("usage", `${name} must be a number above 0, got ${got}: leave it out where there is none`)
}
