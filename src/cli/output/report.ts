import { isToolnexusError, type Request, type RunRecord, type RunResult } from "../../index.ts"
import { errorText } from "./error-text.ts"

/** What `--output json` prints: one object, whatever happened. */
export interface Report {
  runId?: string
  file?: string
  status: RunResult["status"] | "failed"
  text: string
  pending?: Request
  suspended?: Request[]
  turns: number
  toolCallCount: number
  usage: RunResult["usage"]
  limit?: NonNullable<RunResult["limit"]>
  stopped?: NonNullable<RunResult["stopped"]>
  error?: { code: string; message: string }
}

const NOTHING: Report = {
  status: "failed",
  text: "",
  turns: 0,
  toolCallCount: 0,
  usage: { promptTokens: 0, completionTokens: 0, totalTokens: 0 },
}

/** The report of a run that came to a result. */
export function reportOf(result: RunResult, file: string): Report {
  const { runId, status, text, pending, suspended, turns, toolCallCount, usage, limit, stopped } = result
  return {
    runId,
    file,
    status,
    text,
    ...(pending ? { pending } : {}),
    ...(suspended ? { suspended } : {}),
    turns,
    toolCallCount,
    usage,
    ...(limit ? { limit } : {}),
    ...(stopped ? { stopped } : {}),
  }
}

/** What is known of a run when something fails. */
export interface RunSoFar {
  file?: string
  record?: RunRecord | undefined
}

/**
 * The report of a failure: what is open and what was used up is said, and nothing that reads like a result.
 *
 * @param known the run so far, where there is one
 */
export function failureReport(error: unknown, known: RunSoFar = {}): Report {
  const { record, file } = known
  const { limit: _limit, stopped: _stopped, ...so } = record ? reportOf(record.result, file ?? "") : NOTHING
  return {
    ...so,
    status: "failed",
    text: "",
    ...(file === undefined ? {} : { file }),
    error: { code: errorCode(error), message: errorText(error) },
  }
}

function errorCode(error: unknown): string {
  return isToolnexusError(error) ? error.code : "failed"
}
