import { unlockRun } from "../../index.ts"
import type { OutputFlags } from "../command-line/options.ts"
import { openState } from "../configuration/settings.ts"
import type { Io } from "../io.ts"
import { EXIT } from "../output/exit-code.ts"
import type { Output } from "../output/output.ts"
import { holderLine } from "../state/holder-line.ts"
import { findRunFile } from "../state/saved-run.ts"
import { jsonLine } from "../words/json-line.ts"

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
