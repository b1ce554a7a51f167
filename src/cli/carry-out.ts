import { ToolnexusError } from "../index.ts"
import type { Invocation } from "./command-line/invocation.ts"
import type { UsageError } from "./command-line/program.ts"
import { answerCommand } from "./commands/answer.ts"
import { resumeCommand } from "./commands/resume.ts"
import { runCommand } from "./commands/run.ts"
import { openState } from "./configuration/settings.ts"
import type { Io } from "./io.ts"
import { EXIT, exitCodeOfError } from "./output/exit-code.ts"
import { createOutput, type Output, outputModeIn } from "./output/output.ts"
import type { Printer } from "./output/printer.ts"
import { withUnlockCommand } from "./state/in-use.ts"
import { killedAtTerminal, openNoted } from "./terminal/raw-terminal.ts"

/** A command that does something. */
export type Command = Extract<Invocation, { flags: unknown }>
/** One that stands around runs, and neither makes nor resumes nor answers one. */
export type SideCommand = Exclude<Command, { command: "run" | "resume" | "answer" }>

/**
 * Carries out a command, and says what made it fail.
 *
 * @returns the exit code
 */
export async function carryOut(command: Command, io: Io, printer: Printer): Promise<number> {
  const output = createOutput(command.flags, printer)
  try {
    const state = openState(io)
    const killed = killedAtTerminal(state)
    if (killed !== undefined) output.say(killed)
    const terminal = { ...io.terminal, open: openNoted(io.terminal.open, state) }
    return await start(command, { ...io, terminal }, output)
  } catch (error) {
    output.failure(withUnlockCommand(error, io))
    return exitCodeOfError(error)
  }
}

async function start(command: Command, io: Io, output: Output): Promise<number> {
  switch (command.command) {
    case "run":
      return runCommand(command, io, output)
    case "resume":
      return resumeCommand(command, io, output)
    case "answer":
      return answerCommand(command, io, output)
    default: // what stands around a run is loaded by who needs it
      return (await import("./side-commands.ts")).startSideCommand(command, io, output)
  }
}

/** Says a mistake on the command line, in the form that it asks for as far as that can be read. */
export function refuse(mistake: UsageError, argv: readonly string[], printer: Printer): number {
  const output = createOutput({ output: outputModeIn(argv) }, printer)
  output.failure(new ToolnexusError("usage", mistake.message))
  return EXIT.usage
}
