import { unlockRun } from "../../index.ts"
import { EXIT } from "../exit-code.ts"
import { holderLine } from "../holder-line.ts"
import type { Io } from "../io.ts"
import { jsonLine } from "../json-line.ts"
import type { OutputFlags } from "../options.ts"
import type { Output } from "../output.ts"
import { findRunFile } from "../saved-run.ts"
import { openState } from "../settings.ts"

/** `toolnexus runs unlock`: lets go of a file that a process of another machine held. One that is alive here is never overruled. */
export async function runsUnlockCommand(
  given: { file: string; flags: OutputFlags },
  io: Io,
  output: Output,
): Promise<number> {
  const { file } = findRunFile(given.file, io.cwd, openState(io))
  output.about({ file })
  const holder = await unlockRun(file)
  if (given.flags.output !== "text") output.printer.out(jsonLine({ file, unlocked: holder ?? null }))
  else if (holder) output.printer.out(`${file} was held by ${holderLine(holder)}; it is not any more\n`)
  else output.printer.out(`${file} is held by nobody\n`)
  return EXIT.done
}
