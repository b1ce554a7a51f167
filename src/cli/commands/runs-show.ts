import { type Request, type RunRecord, readRun } from "../../index.ts"
import { openRequestLines } from "../answers/request-line.ts"
import type { OutputFlags } from "../command-line/options.ts"
import { openState } from "../configuration/settings.ts"
import type { Io } from "../io.ts"
import { raisingOption } from "../limits/raised-limit.ts"
import { EXIT } from "../output/exit-code.ts"
import type { Output } from "../output/output.ts"
import { createProgress } from "../output/progress.ts"
import { reportOf } from "../output/report.ts"
import { resumeCommand } from "../output/resume-command.ts"
import { sameRun } from "../state/halted-json.ts"
import { holderLine } from "../state/holder-line.ts"
import { findRunFile } from "../state/saved-run.ts"
import { escapeText } from "../terminal/escape.ts"
import { callLine } from "../words/call-line.ts"
import { counted } from "../words/counted.ts"
import { homePath } from "../words/home-path.ts"
import { jsonLine } from "../words/json-line.ts"
import { localTime } from "../words/local-time.ts"
import { shortened } from "../words/shortened.ts"

/** `toolnexus runs show`: what a run file says; nothing is changed and no lock is taken. */
export async function runsShowCommand(
  given: { file: string; flags: OutputFlags },
  io: Io,
  output: Output,
): Promise<number> {
  const saved = findRunFile(given.file, io.cwd, openState(io))
  const record = await readRun(saved.file)
  for (const line of [...record.warnings, ...sameRun(saved, record)]) output.say(line)
  if (given.flags.output === "json") output.printer.out(jsonLine(wholeRun(record, saved.file)))
  else if (given.flags.output === "jsonl") {
    for (const event of record.events) output.printer.out(jsonLine(event))
  } else {
    const calls = given.flags.verbose ? "whole" : "short"
    const facts = factsOf(record, { file: homePath(saved.file, io), calls, nowMs: io.clock.now() })
    for (const [name, text] of facts) printFact(name, text, output)
  }
  if (record.status !== "done" && !record.holder && given.flags.quiet !== true)
    output.last(resumeCommand(saved.shown, io, raisingOption(record.result, record.events)))
  return EXIT.done
}

function wholeRun(record: RunRecord, file: string): object {
  const { prompt, startedAt, updatedAt, status, drafts, recorded, setup, holder } = record
  const { messages, toolCalls } = record.result
  return {
    ...reportOf(record.result, file),
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
}

type Fact = readonly [name: string, text: string]

interface Showing {
  file: string
  calls: "short" | "whole"
  nowMs: number
}

function factsOf(record: RunRecord, { file, calls, nowMs }: Showing): Fact[] {
  const { runId, setup, prompt, startedAt, updatedAt, result, drafts, recorded, holder } = record
  const { turns, toolCallCount, usage, suspended = [] } = result
  const amounts = [
    counted(turns, "turn"),
    counted(toolCallCount, "call"),
    ...(usage.totalTokens > 0 ? [counted(usage.totalTokens, "token")] : []),
  ]
  return [
    ["run", runId],
    ["file", file],
    ["status", statusText(record)],
    ...(holder ? [["in use", `by ${holderLine(holder)}`] as const] : []),
    ["model", setup.model],
    ["began", `${localTime(startedAt)}, last change ${localTime(updatedAt)}`],
    ["so far", amounts.join(", ")],
    ["prompt", prompt],
    ...result.toolCalls.map((call) => ["call", calls === "whole" ? wholeCall(call) : shortCall(call)] as const),
    ...grantsIn(record).map((grant) => ["granted", grant] as const),
    ...recorded.map(({ id, ok }) => ["answered", `${id}: ${ok ? "ok" : "declined"}, not used yet`] as const),
    ...(suspended.length === 0 ? [] : [["open", openText(suspended, record, nowMs)] as const]),
    ...Object.entries(drafts).map(([id, draft]) => ["draft", `${id}: ${draft}`] as const),
    ...(result.text === "" ? [] : [["text", result.text] as const]),
  ]
}

function grantsIn({ events }: RunRecord): string[] {
  const progress = createProgress()
  for (const event of events) progress.see(event)
  return progress.grants()
}

/** While a process writes it, the file does not say yet what it comes to. */
function statusText({ status, result, error, holder }: RunRecord): string {
  if (holder) return `at work (pid ${holder.pid})`
  return `${status}${result.limit ? ` (${result.limit})` : ""}${error ? ` (${error.message})` : ""}`
}

/** Below each other, from the margin on. */
function openText(open: readonly Request[], { holder }: RunRecord, nowMs: number): string {
  return openRequestLines(open, { extent: "whole", nowMs, writer: holder ? "at work" : "none" })
    .map((line) => line.replace(/^ {2}/, ""))
    .join("\n")
}

type Call = RunRecord["result"]["toolCalls"][number]

function shortCall({ name, input, output, isError }: Call): string {
  const call = callLine(name, input)
  if (output === undefined) return `${call}: no result yet`
  if (isError === true && isDecline(output)) return `${call}: ${declineText(output)}`
  return `${call}: ${isError === true ? "failed: " : ""}${shortened(output)}`
}

function wholeCall({ name, input, output, isError }: Call): string {
  const outcome = output === undefined ? "no result yet" : output.trim()
  return `${name} ${JSON.stringify(input)}\n${isError === true && !isDecline(outcome) ? "failed: " : ""}${outcome}`
}

/** What a person decided is no failure of the tool. */
function isDecline(output: string): boolean {
  return output.startsWith("declined/expired: ")
}

function declineText(output: string): string {
  const how = output.includes("nobody answered in time") ? "nobody answered in time" : "declined"
  const note = /^The person's note: (.*)$/m.exec(output)?.[1]
  return note === undefined ? how : `${how} (${shortened(note)})`
}

/** Further lines of a text stand below its first one. */
function printFact(name: string, text: string, output: Output): void {
  const [first = "", ...more] = escapeText(text.trim()).split("\n")
  const lines = [name.padEnd(10) + first, ...more.map((line) => (line === "" ? "" : " ".repeat(10) + line))]
  for (const line of lines) output.printer.out(`${line}\n`)
}
