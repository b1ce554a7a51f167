import { existsSync, realpathSync } from "node:fs"
import { type RunSummary, readRunSummary } from "../../index.ts"
import { errorText } from "../error-text.ts"
import { EXIT } from "../exit-code.ts"
import { holderLine } from "../holder-line.ts"
import { homePath } from "../home-path.ts"
import type { Io } from "../io.ts"
import { jsonLine } from "../json-line.ts"
import { localTime } from "../local-time.ts"
import type { OutputFlags } from "../options.ts"
import type { Output } from "../output.ts"
import type { RememberedRun } from "../remembered-run.ts"
import { failureReport } from "../report.ts"
import { programWords } from "../resume-command.ts"
import { openState } from "../settings.ts"
import { shortened } from "../shortened.ts"
import { isThatFile } from "../state-folder.ts"
import { escapeLine } from "../terminal/escape.ts"

type Listed = { file: string; run: RunSummary } | { file: string; error: unknown }

/** `toolnexus runs list`: the runs that were made here, the newest first. */
export async function runsListCommand(flags: OutputFlags, io: Io, output: Output): Promise<number> {
  const state = openState(io)
  const remembered = state.all((problem) => output.say(errorText(problem)))
  const files = [
    ...new Set(
      [...state.runFiles(), ...remembered.map(({ file }) => file)]
        .filter((file) => existsSync(file))
        .map((file) => realpathSync(file)),
    ),
  ]
  const listed = (await listedRuns(files)).sort((a, b) => timeOf(b).localeCompare(timeOf(a)))
  if (flags.output === "json") output.printer.out(jsonLine({ runs: listed.map(entryOf) }))
  else if (flags.output === "jsonl") for (const run of listed) output.printer.out(jsonLine(entryOf(run)))
  else if (listed.length > 0) {
    for (const line of tableOf(listed, remembered, io)) output.printer.out(`${line}\n`)
    output.notice(`to see one: ${[...programWords(io), "runs", "show"].join(" ")} ID`)
  }
  if (listed.length === 0) output.notice(`no runs in ${homePath(state.path, io)}`)
  return EXIT.done
}

/** A process may have so many files open, and there may be more runs. */
const AT_ONCE = 16

async function listedRuns(files: readonly string[]): Promise<Listed[]> {
  const listed: Listed[] = []
  for (let at = 0; at < files.length; at += AT_ONCE)
    listed.push(...(await Promise.all(files.slice(at, at + AT_ONCE).map(listedRun))))
  return listed
}

async function listedRun(file: string): Promise<Listed> {
  try {
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

/** A run in the table: the cells of its row, and what stands below the last of them. */
interface Entry {
  cells: readonly [id: string, status: string, changed: string, prompt: string]
  below: readonly string[]
}

const HEADER: Entry = { cells: ["ID", "STATUS", "LAST CHANGE", "PROMPT"], below: [] }

/** Harmless lines: what a run file says is from elsewhere. */
function tableOf(listed: readonly Listed[], remembered: readonly RememberedRun[], io: Io): string[] {
  const entries = [HEADER, ...listed.map((run) => tableEntry(run, remembered, io))]
  const widths = [0, 1, 2].map((at) => Math.max(...entries.map(({ cells }) => (cells[at] ?? "").length)))
  const before = widths.reduce((all, width) => all + width + 2, 0)
  const room = Math.max(30, (io.stdout.stream?.columns || 100) - before - 1)
  return entries.flatMap(({ cells: [id, status, changed, prompt], below }) => {
    const [first, ...more] = [shortened(prompt, room), ...below]
    const start = [id, status, changed].map((cell, at) => cell.padEnd((widths[at] ?? 0) + 2)).join("")
    return [start + first, ...more.map((line) => " ".repeat(before) + line)]
  })
}

function tableEntry(listed: Listed, remembered: readonly RememberedRun[], io: Io): Entry {
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
      harmless(prompt),
    ],
    below: [
      ...(pending ? [`asks: ${shortened(harmless(pending.prompt), 50)}`] : []),
      ...(holder ? [`in use by ${escapeLine(holderLine(holder))}`] : []),
      ...(named ? [] : [path]),
    ],
  }
}

/** The file is named below. */
function errorLine(error: unknown, file: string): string {
  return harmless(errorText(error).replace(`${file}: `, "").replace(`${file} `, ""))
}

function harmless(text: string): string {
  return escapeLine(text.trim().replace(/\s*\n\s*/g, " "))
}

/** As much of an id as a person wants to type; the beginning of one is enough wherever a FILE is named. */
function shortId(runId: string): string {
  return /^run_([0-9a-f]{8})-/.exec(runId)?.[1] ?? escapeLine(runId)
}
