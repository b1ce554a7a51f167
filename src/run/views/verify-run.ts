import { styleNamed } from "../../endpoint/styles.ts"
import type { RunEvent } from "../../event/event.ts"
import { isKnownKind } from "../../event/event-kind.ts"
import { readLines } from "../../journal/file.ts"
import type { Answer } from "../../suspension/answer.ts"
import type { Request } from "../../suspension/request.ts"
import { isToolnexusError } from "../../tool/error.ts"
import { imbalanceOf } from "../balance.ts"
import { holdsNothing, notBegun, stateFrom } from "../fold/read-events.ts"
import { type AgentState, dueCalls, type RunState } from "../fold/state.ts"
import { holderOf, inFile } from "../run-file.ts"
import { recordFrom } from "./record.ts"
import type { RunRecord } from "./run-result.ts"

/** Everything that can be said about the soundness of a run file. */
export interface RunVerdict {
  /** It can be read, shown, answered and resumed. */
  sound: boolean
  /** What is damaged, naming the line; empty where it is sound. */
  damage: string[]
  /** What is odd and does no harm: a last line that was cut off. */
  warnings: string[]
  /** Of the format, where the file could be read. */
  version?: number
  lines?: number
  /** Events of a later release: kept and skipped. */
  unknown: { line: number; type: string }[]
  /** The open requests, those about calls in doubt among them (`data.call.by` is `engine`). */
  open: Request[]
  /** Recorded answers that no call has used yet. */
  unused: Answer[]
  holder?: NonNullable<RunRecord["holder"]>
}

/**
 * Looks a run file over without changing it or taking its lock.
 *
 * @param file its path
 * @throws ToolnexusError `no_run` for what is no run file, `newer_version`, `usage` where it cannot be read; damage is no error here
 * @example const { sound, damage } = await verifyRun("deploy.run.jsonl")
 */
export async function verifyRun(file: string): Promise<RunVerdict> {
  const nothing = { unknown: [], open: [], unused: [], warnings: [] }
  try {
    const { lines, warnings } = await readLines<RunEvent>(file)
    return { ...nothing, warnings, ...countsOf(lines), ...(await contentOf(file, lines)) }
  } catch (error) {
    if (!isDamage(error)) throw error
    return { ...nothing, sound: false, damage: [error.message] } // a line that is no JSON: what follows means nothing
  }
}

function countsOf(lines: readonly RunEvent[]): Pick<RunVerdict, "version" | "lines" | "unknown"> {
  const [first] = lines
  const version = first?.type === "run.started" ? { version: first.v } : {}
  const unknown = lines.flatMap(({ type }, at) =>
    typeof type !== "string" || isKnownKind(type) ? [] : [{ line: at + 1, type: String(type) }],
  )
  return { ...version, lines: lines.length, unknown }
}

async function contentOf(file: string, lines: readonly RunEvent[]) {
  const holder = await holderOf(file)
  try {
    const state = stateFrom(lines)
    if (!holder && holdsNothing(state)) throw notBegun()
    const damage = imbalances(state)
    const { result, recorded } = recordFrom(lines, [], holder ? "at work" : "left")
    const found = { sound: damage.length === 0, damage, open: result.suspended ?? [], unused: recorded }
    return holder ? { ...found, holder } : found
  } catch (error) {
    const named = inFile(file, error)
    if (!isDamage(named)) throw named
    return { sound: false, damage: [named.message] }
  }
}

function imbalances({ agents }: RunState): string[] {
  return [...agents.values()].flatMap((agent) => {
    const problem = imbalanceOf(settledMessages(agent), styleNamed(agent.style))
    return problem === undefined ? [] : [`the transcript of ${agent.key} is not balanced: ${problem}`]
  })
}

/** Without the calls of the latest reply, which need not have their results yet. */
function settledMessages(agent: AgentState) {
  return dueCalls(agent).length > 0 ? agent.messages.slice(0, -1) : agent.messages
}

function isDamage(error: unknown): error is Error {
  return isToolnexusError(error) && error.code === "damaged"
}
