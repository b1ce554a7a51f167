import type { Io } from "../io.ts"
import { errorText } from "../output/error-text.ts"
import type { Output } from "../output/output.ts"
import { withUnlockCommand } from "../state/in-use.ts"
import { escapeLine } from "../terminal/escape.ts"
import { ageText, bytesText } from "../words/amounts.ts"
import { counted } from "../words/counted.ts"
import { durationText } from "../words/duration.ts"
import { homePath } from "../words/home-path.ts"
import { shortId } from "../words/short-id.ts"
import { shortened } from "../words/shortened.ts"
import { cellText, type Row, tableLines } from "../words/table.ts"
import { type Choice, inUse, type Kept } from "./choice.ts"
import type { Entry, OwnRun } from "./own-runs.ts"

/** What may be deleted, or was. */
export interface Chosen {
  runs: readonly OwnRun[]
  entries: readonly Entry[]
}

const HEADER: Row = { cells: ["ID", "STATUS", "AGE", "SIZE", "PROMPT"], below: [] }

/** Everything that is to be deleted, harmless: what a run file says is from elsewhere. */
export function chosenLines({ runs, entries }: Chosen, columns: number | undefined, io: Io): string[] {
  const table = runs.length === 0 ? [] : tableLines([HEADER, ...runs.map((run) => rowOf(run, io))], columns)
  const gone = entries.map(({ remembered: { runId, file } }) => `${shortId(runId)}  ${escapeLine(homePath(file, io))}`)
  return [...table, ...(gone.length === 0 ? [] : ["remembered, though the file is gone:"]), ...gone]
}

function rowOf({ file, run, entries, bytes }: OwnRun, io: Io): Row {
  const { runId, status, updatedAt, prompt, open } = run
  const [pending] = open
  return {
    cells: [
      entries.length > 0 ? shortId(runId) : "-",
      status,
      ageText(io.clock.now() - Date.parse(updatedAt)),
      bytesText(bytes),
      cellText(prompt),
    ],
    below: [
      ...(pending ? [`asks: ${shortened(cellText(pending.prompt), 50)}`] : []),
      ...(entries.length > 0 ? [] : [escapeLine(homePath(file, io))]),
    ],
  }
}

/** How much it is. @example "2 runs and what is remembered of 1 run whose file is gone, 12 KiB" */
export function amountText({ runs, entries }: Chosen): string {
  const bytes = [...runs, ...entries].reduce((all, it) => all + it.bytes, 0)
  const files = entries.length === 1 ? "whose file is gone" : "whose files are gone"
  const parts = [
    ...(runs.length > 0 ? [counted(runs.length, "run")] : []),
    ...(entries.length > 0 ? [`what is remembered of ${counted(entries.length, "run")} ${files}`] : []),
  ]
  return `${parts.join(" and ")}, ${bytesText(bytes)}`
}

/** Says what stays, and why. */
export function sayKept(
  { kept, unreadable, foreign }: Choice,
  olderThanMs: number,
  { io, output }: { io: Io; output: Output },
): void {
  const of = (why: Kept["why"]) => kept.flatMap((it) => (it.why === why ? [it.run] : []))
  const [young, others] = [of("young"), of("status")]
  const statuses = [...new Set(others.map(({ run }) => run.status))].sort().join(", ")
  if (young.length > 0)
    output.notice(`kept: ${counted(young.length, "run")}, changed in the last ${spanText(olderThanMs)}`)
  if (others.length > 0)
    output.notice(`kept: ${counted(others.length, "run")}, ${statuses}: --status LIST or --all chooses such too`)
  for (const run of of("in use")) output.say(`kept: ${errorText(withUnlockCommand(inUse(run), io))}`)
  for (const { error } of unreadable) output.say(`kept: ${errorText(error)}`)
  for (const { file, fact } of foreign) output.notice(`kept: ${file}: ${fact}`)
}

const DAY_MS = 86_400_000

function spanText(ms: number): string {
  return ms % DAY_MS === 0 ? `${ms / DAY_MS}d` : durationText(ms)
}
