import { existsSync, realpathSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { type RunSummary, readRunSummary } from "../../index.ts"
import type { OutputFlags } from "../command-line/options.ts"
import { openState } from "../configuration/settings.ts"
import { fewAtOnce } from "../few-at-once.ts"
import type { Io } from "../io.ts"
import { errorText } from "../output/error-text.ts"
import { EXIT } from "../output/exit-code.ts"
import type { Output } from "../output/output.ts"
import { failureReport } from "../output/report.ts"
import { programWords } from "../output/resume-command.ts"
import { holderLine } from "../state/holder-line.ts"
import type { RememberedRun } from "../state/remembered-run.ts"
import { isThatFile, type StateFolder } from "../state/state-folder.ts"
import { escapeLine } from "../terminal/escape.ts"
import { homePath } from "../words/home-path.ts"
import { jsonLine } from "../words/json-line.ts"
import { localTime } from "../words/local-time.ts"
import { shortId } from "../words/short-id.ts"
import { shortened } from "../words/shortened.ts"
import { cellText, type Row, tableLines } from "../words/table.ts"

type Listed = { file: string; run: RunSummary } | { file: string; error: unknown }

/** `toolnexus runs list`: the runs that were made here, the newest first. */
export async function runsListCommand(flags: OutputFlags, io: Io, output: Output): Promise<number> {
  const state = openState(io)
  const remembered = state.all((problem) => output.say(errorText(problem)))
  const files = [...state.runFiles(), ...remembered.map(({ file }) => file)]
    .filter((file) => existsSync(file))
    .map((file) => join(realpathSync(dirname(file)), basename(file)))
  const listed = (await fewAtOnce([...new Set(files)], (file) => listedRun(file, state))).sort((a, b) =>
    timeOf(b).localeCompare(timeOf(a)),
  )
  if (flags.output === "json") output.printer.out(jsonLine({ runs: listed.map(entryOf) }))
  else if (flags.output === "jsonl") for (const run of listed) output.printer.out(jsonLine(entryOf(run)))
  else if (listed.length > 0) {
    for (const line of tableOf(listed, remembered, io)) output.printer.out(`${line}\n`)
    output.notice(`to see one: ${[...programWords(io), "runs", "show"].join(" ")} ID`)
  }
  if (listed.length === 0) output.notice(`no runs in ${homePath(state.path, io)}`)
  return EXIT.done
}

async function listedRun(found: string, state: StateFolder): Promise<Listed> {
  let file = found
  try {
    state.requireOwnRun(file, "by path")
    file = realpathSync(file)
    return { file, run: await readRunSummary(file) }
  } catch (error) {
    return { file, error } // one that cannot be read is listed too: it is never left out silently
  }
}

function timeOf(listed: Listed): string {
  return "run" in listed ? listed.run.updatedAt : ""
}

function entryOf(listed: Listed): object {
  if ("error" in listed) return failureReport(listed.error, { file: listed.file })
  const { runId, open, ...rest } = listed.run
  const [pending] = open
  return { runId, file: listed.file, ...rest, ...(pending ? { pending, suspended: open } : {}) }
}

const HEADER: Row = { cells: ["ID", "STATUS", "LAST CHANGE", "PROMPT"], below: [] }

/** Harmless lines: what a run file says is from elsewhere. */
function tableOf(listed: readonly Listed[], remembered: readonly RememberedRun[], io: Io): string[] {
  return tableLines([HEADER, ...listed.map((run) => rowOf(run, remembered, io))], io.stdout.stream?.columns)
}

function rowOf(listed: Listed, remembered: readonly RememberedRun[], io: Io): Row {
  const { file } = listed
  const path = escapeLine(homePath(file, io))
  if ("error" in listed) return { cells: ["-", "unreadable", "", errorLine(listed.error, file)], below: [path] }
  const { status, updatedAt, prompt, open, holder, runId } = listed.run
  const [pending] = open
  const same = remembered.filter((it) => it.runId === runId)
  const found = same.find(({ made }) => made === "here") ?? (same.length === 1 ? same[0] : undefined)
  const named = found !== undefined && isThatFile(found, file)
  return {
    cells: [
      named ? shortId(runId) : "-",
      holder ? "at work" : status,
      escapeLine(localTime(updatedAt)),
      cellText(prompt),
    ],
    below: [
      ...(pending ? [`asks: ${shortened(cellText(pending.prompt), 50)}`] : []),
      ...(holder ? [`in use by ${escapeLine(holderLine(holder))}`] : []),
      ...(named ? [] : [path]),
    ],
  }
}

/** The file is named below. */
function errorLine(error: unknown, file: string): string {
  return cellText(errorText(error).replace(`${file}: `, "").replace(`${file} `, ""))
}
