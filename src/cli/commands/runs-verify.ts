import { type RunVerdict, verifyRun } from "../../index.ts"
import { openRequestLines } from "../answers/request-line.ts"
import type { OutputFlags } from "../command-line/options.ts"
import { openState } from "../configuration/settings.ts"
import type { Io } from "../io.ts"
import { EXIT } from "../output/exit-code.ts"
import type { Output } from "../output/output.ts"
import { holderLine } from "../state/holder-line.ts"
import { findRunFile } from "../state/saved-run.ts"
import { escapeLine } from "../terminal/escape.ts"
import { jsonLine } from "../words/json-line.ts"

/** `toolnexus runs verify`: everything about the soundness of a run file; nothing is changed and no lock is taken. */
export async function runsVerifyCommand(
  given: { file: string; flags: OutputFlags },
  io: Io,
  output: Output,
): Promise<number> {
  const { file } = findRunFile(given.file, io.cwd, openState(io))
  output.about({ file })
  const verdict = await verifyRun(file)
  if (given.flags.output === "text")
    for (const line of linesOf(verdict, file, io.clock.now())) output.printer.out(`${escapeLine(line)}\n`)
  else output.printer.out(jsonLine({ file, ...verdict }))
  return verdict.sound ? EXIT.done : EXIT.refused
}

function linesOf(verdict: RunVerdict, file: string, nowMs: number): string[] {
  const { sound, damage, warnings, version, lines, unknown, open, unused, holder } = verdict
  const look = { extent: "whole", nowMs, writer: holder ? "at work" : "none" } as const
  return [
    `file      ${file}`,
    ...(version === undefined ? [] : [`format    version ${version}, ${lines} lines`]),
    ...(holder ? [`in use    ${holderLine(holder)}`] : []),
    ...warnings.map((warning) => `warning   ${warning}`),
    ...unknown.map(({ line, type }) => `unknown   line ${line}: ${type}, of a later release; it is kept and skipped`),
    ...openRequestLines(open, look).map((line, at) => `${at === 0 ? "open    " : "        "}${line}`),
    ...unused.map(({ id, ok }) => `answered  ${id}: ${ok ? "ok" : "declined"}, not used yet`),
    ...damage.map((fact) => `damaged   ${fact}`),
    sound ? "sound     it can be shown, answered and resumed" : "unsound   it cannot be resumed; nothing was changed",
  ]
}
