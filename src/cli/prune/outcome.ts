import type { Io } from "../io.ts"
import { errorText } from "../output/error-text.ts"
import { EXIT, exitCodeOfError } from "../output/exit-code.ts"
import type { Output } from "../output/output.ts"
import { failureReport } from "../output/report.ts"
import { withUnlockCommand } from "../state/in-use.ts"
import { jsonLine } from "../words/json-line.ts"
import type { Choice } from "./choice.ts"
import type { Deletion } from "./delete-run.ts"
import type { Entry, OwnRun } from "./own-runs.ts"
import { amountText } from "./text.ts"

/** What became of a run, or of what was remembered of one. */
export interface Done {
  of: OwnRun | Entry
  deletion: Deletion
}

/** Says what was deleted, and why the rest was not. */
export function sayDone(done: readonly Done[], io: Io, output: Output): void {
  const deleted = deletedOf(done)
  const runs = deleted.flatMap((it) => ("run" in it ? [it] : []))
  const entries = deleted.flatMap((it) => ("run" in it ? [] : [it]))
  if (deleted.length === 0) output.say("nothing is deleted")
  else if (output.mode === "text") output.printer.out(`deleted: ${amountText({ runs, entries })}\n`)
  for (const { of, deletion } of done) {
    if (deletion.is === "gone") output.notice(`gone already: ${fileOf(of)}`)
    if (deletion.is === "changed") output.say(`kept: ${fileOf(of)} was written to after it was looked at`)
    if (deletion.is === "failed") {
      const start = deletion.error.code === "journal" ? "toolnexus" : "kept" // what others do with a run is no failure
      output.say(`${start}: ${errorText(withUnlockCommand(deletion.error, io))}`)
    }
  }
}

/**
 * The exit code of a prune: a run that somebody works with meanwhile stays by the rule, and is refused where it was named.
 *
 * @param chosen how the runs were
 */
export function exitCodeOfDone(done: readonly Done[], chosen: "by name" | "by rule"): number {
  return Math.max(EXIT.done, ...done.map(({ deletion }) => codeOf(deletion, chosen)))
}

function codeOf(deletion: Deletion, chosen: "by name" | "by rule"): number {
  if (deletion.is === "failed") {
    return chosen === "by name" || deletion.error.code === "journal" ? exitCodeOfError(deletion.error) : EXIT.done
  }
  return deletion.is === "changed" && chosen === "by name" ? EXIT.refused : EXIT.done
}

function deletedOf(done: readonly Done[]): (OwnRun | Entry)[] {
  return done.flatMap(({ of, deletion }) => (deletion.is === "deleted" ? [of] : []))
}

function fileOf(it: OwnRun | Entry): string {
  return "run" in it ? it.file : it.remembered.file
}

/** What a program is told: all that was chosen, with what became of it, and what was kept. */
export interface PruneReport {
  /** `listed`: only looked at; `pending`: nobody has said yes. */
  status: "deleted" | "listed" | "declined" | "pending"
  choice: Choice
  done: readonly Done[]
}

/** One object, or a line for each run that was chosen. */
export function printReport({ status, choice, done }: PruneReport, output: Output): void {
  if (output.mode === "text") return
  const became = new Map(done.map(({ of, deletion }) => [of, deletion]))
  const runs = choice.runs.map((it) => ({ ...aboutRun(it), ...outcomeOf(became.get(it)) }))
  const entries = choice.entries.map((it) => {
    const { runId, file } = it.remembered
    return { runId, file, bytes: it.bytes, ...outcomeOf(became.get(it)) }
  })
  if (output.mode === "jsonl") {
    for (const it of [...runs, ...entries]) output.printer.out(jsonLine(it))
    return
  }
  const kept = [
    ...choice.kept.map(({ run, why }) => ({ ...aboutRun(run), why })),
    ...choice.unreadable.map(({ file, error }) => ({ file, why: "unreadable", error: failureReport(error).error })),
    ...choice.foreign.map(({ file, fact }) => ({ file, why: "foreign", fact })),
  ]
  const freedBytes = deletedOf(done).reduce((all, { bytes }) => all + bytes, 0)
  output.printer.out(jsonLine({ status, freedBytes, runs, remembered: entries, kept }))
}

function aboutRun({ file, run, bytes }: OwnRun): object {
  const { runId, status, prompt, startedAt, updatedAt } = run
  return { runId, file, status, prompt, startedAt, updatedAt, bytes }
}

function outcomeOf(deletion: Deletion | undefined): object {
  if (!deletion || deletion.is === "deleted") return { deleted: deletion !== undefined }
  const error = deletion.is === "failed" ? { error: failureReport(deletion.error).error } : {}
  return { deleted: false, why: deletion.is, ...error }
}
