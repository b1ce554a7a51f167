import { exitCodeOfError } from "./exit-code.ts"
import type { Io } from "./io.ts"
import type { OutputFlags } from "./options.ts"
import { createOutput, type Output, outputModeIn } from "./output.ts"
import { createPrinter } from "./printer.ts"
import { type Invocation, parseCommandLine } from "./program.ts"

export { type Io, processIo } from "./io.ts"

/**
 * The command line.
 *
 * @param argv the arguments, without the program's name
 * @param io everything it touches
 * @returns the exit code
 */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const printer = createPrinter(io.stdout, io.stderr)
  const beforeParsing: OutputFlags = {
    output: outputModeIn(argv),
    ...(argv.includes("--debug") ? { debug: true } : {}),
  }
  let output = createOutput(beforeParsing, printer)
  let exitCode: number
  try {
    const invocation = parseCommandLine(argv)
    if ("flags" in invocation) output = createOutput(invocation.flags, printer)
    exitCode = await carryOut(invocation, io, output)
  } catch (error) {
    output.failure(error)
    exitCode = exitCodeOfError(error)
  }
  await Promise.all([io.stdout.flush(), io.stderr.flush()])
  return exitCode
}

async function carryOut(invocation: Invocation, io: Io, output: Output): Promise<number> {
  switch (invocation.command) {
    case "help":
      if (invocation.asked === "for it") output.printer.out(invocation.text)
      else output.printer.err(invocation.text.trimEnd())
      return invocation.asked === "for it" ? 0 : 2
    case "version":
      output.printer.out(`${process.env.TOOLNEXUS_VERSION ?? "unreleased"}\n`)
      return 0
    case "run":
      return (await import("./commands/run.ts")).runCommand(invocation, io, output)
    case "resume":
      return (await import("./commands/resume.ts")).resumeCommand(invocation, io, output)
    case "answer":
      return (await import("./commands/answer.ts")).answerCommand(invocation, io, output)
    case "runs list":
      return (await import("./commands/runs.ts")).runsListCommand(invocation.flags, io, output)
    case "runs show":
      return (await import("./commands/runs.ts")).runsShowCommand(invocation, io, output)
  }
}
