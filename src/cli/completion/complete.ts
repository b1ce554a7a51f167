import { describedProgram } from "../command-line/program.ts"
import type { Io } from "../io.ts"
import { answerShell } from "./answer-shell.ts"

/**
 * The hidden command: what may stand at the end of a command line, for the script of a shell. It prints nothing else, and where something
 * is broken nothing.
 */
export async function complete(args: readonly string[], io: Io): Promise<number> {
  const text = await answerShell(args, describedProgram(), async (wanted) => {
    // The library is loaded where its files are asked for alone.
    const { findHere } = await import("./find-here.ts")
    return findHere(wanted, io)
  }).catch(() => "\n") // in the middle of a command line there is nobody to tell
  io.stdout.onError(() => {})
  io.stdout.write(text)
  await io.stdout.flush()
  io.done()
  return 0
}
