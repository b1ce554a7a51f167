import { ToolnexusError } from "../index.ts"
import { answerCommand } from "./commands/answer.ts"
import { configSetCommand, configUnsetCommand } from "./commands/config-change.ts"
import { configEditCommand } from "./commands/config-edit.ts"
import { configGetCommand, configListCommand, configPathCommand } from "./commands/config-show.ts"
import { initCommand } from "./commands/init.ts"
import { policyTestCommand } from "./commands/policy-test.ts"
import { resumeCommand } from "./commands/resume.ts"
import { runCommand } from "./commands/run.ts"
import { runsListCommand } from "./commands/runs-list.ts"
import { runsPruneCommand } from "./commands/runs-prune.ts"
import { runsShowCommand } from "./commands/runs-show.ts"
import { runsUnlockCommand } from "./commands/runs-unlock.ts"
import { runsVerifyCommand } from "./commands/runs-verify.ts"
import { toolsCallCommand } from "./commands/tools-call.ts"
import { toolsListCommand } from "./commands/tools-list.ts"
import { trustCommand } from "./commands/trust.ts"
import { EXIT, exitCodeOfError } from "./exit-code.ts"
import { withUnlockCommand } from "./in-use.ts"
import type { Invocation } from "./invocation.ts"
import type { Io } from "./io.ts"
import { createOutput, type Output, outputModeIn } from "./output.ts"
import type { Printer } from "./printer.ts"
import type { UsageError } from "./program.ts"
import { killedAtTerminal, openNoted } from "./raw-terminal.ts"
import { openState } from "./settings.ts"

/** A command that does something. */
export type Command = Extract<Invocation, { flags: unknown }>

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
    case "runs list":
      return runsListCommand(command.flags, io, output)
    case "runs show":
      return runsShowCommand(command, io, output)
    case "runs prune":
      return runsPruneCommand(command, io, output)
    case "runs verify":
      return runsVerifyCommand(command, io, output)
    case "runs unlock":
      return runsUnlockCommand(command, io, output)
    case "tools list":
      return toolsListCommand(command.flags, io, output)
    case "tools call":
      return toolsCallCommand(command, io, output)
    case "policy test":
      return policyTestCommand(command, io, output)
    case "doctor":
      return (await import("./commands/doctor.ts")).doctorCommand(command.flags, io, output)
    case "trust":
      return trustCommand(command, io, output)
    case "config list":
      return configListCommand(command.flags, io, output)
    case "config get":
      return configGetCommand(command, io, output)
    case "config set":
      return configSetCommand(command, io, output)
    case "config unset":
      return configUnsetCommand(command, io, output)
    case "config path":
      return configPathCommand(command.flags, io, output)
    case "config edit":
      return configEditCommand(command.flags, io, output)
    case "init":
      return initCommand(command.flags, io, output)
  }
}

/** Says a mistake on the command line, in the form that it asks for as far as that can be read. */
export function refuse(mistake: UsageError, argv: readonly string[], printer: Printer): number {
  const output = createOutput({ output: outputModeIn(argv) }, printer)
  output.failure(new ToolnexusError("usage", mistake.message))
  return EXIT.usage
}
