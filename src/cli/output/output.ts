import type { Answer, Request, RunEvent } from "../../index.ts"
import type { OutputFlags, OutputMode } from "../command-line/options.ts"
import { escapeLine, escapeText } from "../terminal/escape.ts"
import { jsonLine } from "../words/json-line.ts"
import type { Printer } from "./printer.ts"
import { failureReport, type Report, type RunSoFar } from "./report.ts"
import { waysOn } from "./ways-on.ts"
import { createWithheld } from "./withheld.ts"

/** stdout is the result, stderr what is said about it. */
export interface Output {
  readonly mode: OutputMode
  readonly printer: Printer
  /** Whether something may move while a reply is waited for. */
  readonly movement: boolean
  /** A piece of the model's text, as it comes. */
  text(piece: string): void
  /** An event of the run, once it is recorded. */
  event(event: RunEvent, more: { runId: string; file: string }): void
  /** A line that only `--verbose` shows. */
  detail(line: string): void
  /** A line that `--quiet` leaves out. */
  notice(line: string): void
  /** A line that is always shown. */
  say(line: string): void
  /** The command that goes on: nothing follows it. */
  last(line: string): void
  /** The result, once. */
  result(report: Report): void
  /** The run that the command is about: the report of a failure says so. */
  about(run: RunSoFar): void
  /** A failure, in the form that stdout has, and as one line. */
  failure(error: unknown): void
  /** A text without the secrets that this process was given, where it is changed before it is shown. */
  hide(text: string): string
  /** Secrets among these answers are not shown from now on; what the model says is never altered. */
  withhold(requests: readonly Request[], answers: readonly Answer[]): void
}

/**
 * @param flags how much is said, and in which form
 * @param printer where to
 */
export function createOutput(flags: OutputFlags, printer: Printer): Output {
  const streamed = createStreamedText(printer)
  let isFirst = true
  const withheld = createWithheld()
  const clean = (line: string) => escapeLine(withheld.hide(line))
  const say = (line: string) => printer.err(clean(line))
  let known: RunSoFar = {}
  const result = (report: Report) => {
    if (flags.output === "json") printer.out(jsonLine(report))
    else if (flags.output === "jsonl") printer.out(jsonLine({ type: "run.result", ...report }))
    else if (report.status === "done" || report.status === "incomplete") streamed.finish(report.text)
  }
  const notice = flags.quiet ? () => {} : say
  return {
    mode: flags.output,
    printer,
    movement: printer.errIsTerminal && flags.quiet !== true,
    text: streamed.add,
    event(event, { runId, file }) {
      if (event.type === "model.replied") streamed.endTurn()
      if (flags.output !== "jsonl") return
      const { type, at, ...rest } = event
      printer.out(jsonLine(isFirst ? { type, at, runId, file, ...rest } : event))
      isFirst = false
    },
    detail: flags.verbose || flags.debug ? say : () => {},
    notice,
    say,
    last: (line) => printer.last(clean(line)),
    result,
    about(run) {
      known = run
    },
    failure(error) {
      const report = failureReport(error, known)
      if (flags.output !== "text") result(report)
      const several = flags.output === "text" ? waysOn(error) : undefined
      say(`toolnexus: ${several ? `${several.fact}; one of these helps:` : report.error?.message}`)
      for (const way of several?.ways ?? []) say(`  - ${way}`)
      const stack = error instanceof Error ? error.stack : undefined
      if (flags.debug && stack !== undefined) printer.err(escapeText(withheld.hide(stack)))
    },
    hide: withheld.hide,
    withhold: withheld.add,
  }
}

type Turn = "streamed" | "silent"

/** Text that is shown as it comes, and is not shown again at the end. */
function createStreamedText(printer: Printer) {
  let held = ""
  let midLine = false
  let lastTurn: Turn = "silent"
  let turn: Turn = "silent"
  const write = (text: string) => {
    if (text === "") return
    midLine = !text.endsWith("\n")
    printer.out(text)
  }
  const endLine = () => {
    write(held)
    held = ""
    if (midLine) write("\n")
  }
  return {
    add(piece: string) {
      const text = held + piece
      // Half of a character waits for its other half.
      held = /[\uD800-\uDBFF]$/.test(text) ? text.slice(-1) : ""
      turn = "streamed"
      write(held === "" ? text : text.slice(0, -1))
    },
    endTurn() {
      endLine()
      lastTurn = turn
      turn = "silent"
    },
    finish(text: string) {
      if (lastTurn === "streamed" || turn === "streamed") return endLine()
      write(text)
      endLine()
    },
  }
}

/** The output form that a command line asks for, also one that cannot be parsed. */
export function outputModeIn(argv: readonly string[]): OutputMode {
  for (const [at, word] of argv.entries()) {
    if (word === "--") break
    const value = word === "--output" ? argv[at + 1] : word.startsWith("--output=") ? word.slice(9) : undefined
    if (value === "json" || value === "jsonl") return value
  }
  return "text"
}
