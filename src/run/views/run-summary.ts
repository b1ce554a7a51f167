import { problemOfEvent } from "../../event/check-event.ts"
import type { AgentPath, LimitName, RunEvent, Usage } from "../../event/event.ts"
import { readEnds } from "../../journal/read-ends.ts"
import { FORMAT_VERSION, isVersion } from "../fold/read-events.ts"
import { holderOf, readRun } from "../run-file.ts"
import { beginningOf } from "./prompt-text.ts"
import type { RunRecord } from "./run-result.ts"

/** What a listing shows of a run. */
export interface RunSummary {
  runId: string
  status: RunRecord["status"]
  /** The beginning of the last prompt. */
  prompt: string
  /** RFC 3339. */
  startedAt: string
  updatedAt: string
  text: string
  turns: number
  toolCallCount: number
  usage: Usage
  /** The open requests in call order, with what names them. */
  open: { id: string; kind: string; prompt: string; agent?: AgentPath }[]
  limit?: LimitName
  error?: { code: string; message: string }
  /** The process that writes it now, where there is one. */
  holder?: NonNullable<RunRecord["holder"]>
}

/**
 * What a listing shows of a run file. Of a finished or halted run the first and the last line say all of it, however long the file
 * is; any other is read whole, as its calls in doubt are in no line.
 *
 * @param file its path
 * @throws ToolnexusError as `readRun`
 * @example const { status, open } = await readRunSummary("deploy.run.jsonl")
 */
export async function readRunSummary(file: string): Promise<RunSummary> {
  const ends = await readEnds(file)
  const short = ends && isSound(ends.first) && isSound(ends.last) ? summaryOfEnds(ends.first, ends.last) : undefined
  if (!short) return summaryOfRecord(await readRun(file))
  const holder = await holderOf(file)
  return holder ? { ...short, holder } : short
}

function isSound(line: object): line is RunEvent {
  const event = line as Record<string, unknown>
  return typeof event.type === "string" && typeof event.at === "string" && problemOfEvent(event) === undefined
}

function summaryOfEnds(first: RunEvent, last: RunEvent): RunSummary | undefined {
  if (first.type !== "run.started" || !isVersion(first.v) || first.v > FORMAT_VERSION) return undefined
  if (last.type !== "run.finished" && last.type !== "run.halted") return undefined
  const { text, turns, toolCallCount, usage, prompt, open = [], at: updatedAt } = last
  if (prompt === undefined) return undefined // of an earlier release
  const { runId, at: startedAt } = first
  const status = last.type === "run.finished" ? "done" : "pending"
  return { runId, status, prompt, startedAt, updatedAt, text, turns, toolCallCount, usage, open }
}

function summaryOfRecord(record: RunRecord): RunSummary {
  const { runId, status, prompt, startedAt, updatedAt, error, holder } = record
  const { text, turns, toolCallCount, usage, suspended = [], limit } = record.result
  const open = suspended.map(({ id, kind, prompt, data }) => {
    const agent = data?.agent
    return { id, kind, prompt, ...(Array.isArray(agent) ? { agent } : {}) }
  })
  return {
    runId,
    status,
    prompt: beginningOf(prompt),
    startedAt,
    updatedAt,
    text,
    turns,
    toolCallCount,
    usage,
    open,
    ...(limit ? { limit } : {}),
    ...(error ? { error } : {}),
    ...(holder ? { holder } : {}),
  }
}
