import { existsSync } from "node:fs"
import { type RunRecord, readRun } from "../../index.ts"
import { errorText } from "../error-text.ts"
import { EXIT } from "../exit-code.ts"
import { holderLine } from "../holder-line.ts"
import type { Io } from "../io.ts"
import type { OutputFlags } from "../options.ts"
import type { Output } from "../output.ts"
import { failureReport, reportOf } from "../report.ts"
import { openRequestLines } from "../request-line.ts"
import { resumeCommand } from "../resume-command.ts"
import { findRunFile } from "../saved-run.ts"
import { openState } from "../settings.ts"
import { escapeLine, escapeText } from "../terminal/escape.ts"

type Listed = { file: string; record: RunRecord } | { file: string; error: unknown }

/** `toolnexus runs list`: the runs that were made here, the newest first. */
export async function runsListCommand(flags: OutputFlags, io: Io, output: Output): Promise<number> {
  const state = openState(io)
  const remembered = state.all().map(({ file }) => file)
  const files = [...new Set([...state.runFiles(), ...remembered.filter((file) => existsSync(file))])]
  const listed = (await Promise.all(files.map(listedRun))).sort((a, b) => timeOf(b).localeCompare(timeOf(a)))
  if (flags.output === "json") output.printer.out(`${JSON.stringify({ runs: listed.map(entryOf) })}\n`)
  else if (flags.output === "jsonl") for (const run of listed) output.printer.out(`${JSON.stringify(entryOf(run))}\n`)
  else for (const run of listed) output.printer.out(`${shown(lineOf(run), output)}\n`)
  if (listed.length === 0) output.notice(`no runs in ${state.path}`)
  return EXIT.done
}

async function listedRun(file: string): Promise<Listed> {
  try {
    return { file, record: await readRun(file) }
  } catch (error) {
    return { file, error } // one that cannot be read is listed too: it is never left out silently
  }
}

function timeOf(run: Listed): string {
  return "record" in run ? run.record.updatedAt : ""
}

function entryOf(run: Listed): object {
  if ("error" in run) return failureReport(run.error, { file: run.file })
  const { prompt, startedAt, updatedAt, status, result, holder } = run.record
  return { ...reportOf(result, run.file), status, prompt, startedAt, updatedAt, ...(holder ? { holder } : {}) }
}

function lineOf(run: Listed): string {
  if ("error" in run) return `${"unreadable".padEnd(11)} ${run.file}: ${errorText(run.error)}`
  const { status, updatedAt, prompt, result, holder } = run.record
  const asked = result.pending ? `  asks: ${oneLine(result.pending.prompt, 40)}` : ""
  const held = holder ? `  in use by ${holderLine(holder)}` : ""
  return `${status.padEnd(11)} ${updatedAt.slice(0, 16).replace("T", " ")}  ${run.file}  ${oneLine(prompt, 50)}${asked}${held}`
}

/** `toolnexus runs show`: what a run file says; nothing is changed and no lock is taken. */
export async function runsShowCommand(
  given: { file: string; flags: OutputFlags },
  io: Io,
  output: Output,
): Promise<number> {
  const saved = findRunFile(given.file, io.cwd, openState(io))
  const record = await readRun(saved.file)
  for (const warning of record.warnings) output.say(warning)
  if (given.flags.output === "json") {
    const { prompt, startedAt, updatedAt, status, drafts, recorded, setup, holder } = record
    const { messages, toolCalls } = record.result
    const all = {
      ...reportOf(record.result, saved.file),
      status,
      prompt,
      startedAt,
      updatedAt,
      setup,
      messages,
      toolCalls,
      drafts,
      recorded,
      ...(holder ? { holder } : {}),
    }
    output.printer.out(`${JSON.stringify(all)}\n`)
  } else if (given.flags.output === "jsonl") {
    for (const event of record.events) output.printer.out(`${JSON.stringify(event)}\n`)
  } else for (const line of shownRun(record, saved.file)) output.printer.out(`${shown(line, output)}\n`)
  if (record.status !== "done") output.notice(resumeCommand(saved.shown, io))
  return EXIT.done
}

function shownRun(record: RunRecord, file: string): string[] {
  const { runId, status, setup, prompt, startedAt, updatedAt, result, drafts, recorded, error, holder } = record
  const { totalTokens } = result.usage
  return [
    `run       ${runId}`,
    `file      ${file}`,
    `status    ${status}${result.limit ? ` (${result.limit})` : ""}${error ? ` (${error.message})` : ""}`,
    ...(holder ? [`in use    by ${holderLine(holder)}`] : []),
    `model     ${setup.model}`,
    `began     ${startedAt}, last change ${updatedAt}`,
    `so far    ${result.turns} turns, ${result.toolCallCount} calls, ${totalTokens} tokens`,
    `prompt    ${prompt}`,
    ...result.toolCalls.map((call) => {
      const outcome =
        call.output === undefined ? "no result yet" : `${call.isError ? "failed: " : ""}${oneLine(call.output, 100)}`
      return `call      ${call.name} ${oneLine(JSON.stringify(call.input), 100)}: ${outcome}`
    }),
    ...recorded.map(({ id, ok }) => `answered  ${id}: ${ok ? "ok" : "declined"}, not used yet`),
    ...openRequestLines(result.suspended ?? [], "whole").map((line) => `open    ${line}`),
    ...Object.entries(drafts).map(([id, draft]) => `draft     ${id}: ${draft}`),
    ...(result.text === "" ? [] : [`text      ${result.text}`]),
  ]
}

function shown(line: string, output: Output): string {
  return output.printer.outIsTerminal ? escapeText(line) : line
}

function oneLine(text: string, length: number): string {
  const line = escapeLine(text.trim())
  return line.length <= length ? line : `${line.slice(0, length)}...`
}
