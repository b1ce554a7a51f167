import type { Invocation } from "./command-line/invocation.ts"
import { parseCommandLine, UsageError } from "./command-line/program.ts"
import { complete } from "./completion/complete.ts"
import { SCRIPTS } from "./completion/scripts.ts"
import { COMPLETE } from "./completion/shell.ts"
import type { Io } from "./io.ts"
import { createPrinter } from "./output/printer.ts"
import { isHttpFile } from "./tools/tool-file-kind.ts"

export { type Io, processIo } from "./io.ts"

/**
 * The command line. Help and version load nothing but the parser; the library comes with the command.
 *
 * @param argv the arguments, without the program's name
 * @param io everything it touches
 * @returns the exit code
 */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const printer = createPrinter(io.stdout, io.stderr)
  if (argv[0] === COMPLETE) return complete(argv.slice(1), io)
  const parsed = parse(argv)
  let exitCode: number
  if (parsed instanceof UsageError) {
    exitCode = (await import("./carry-out.ts")).refuse(parsed, argv, printer)
  } else if (parsed.command === "version") {
    printer.out(`${process.env.TOOLNEXUS_VERSION ?? "unreleased"}\n`)
    exitCode = 0
  } else if (parsed.command === "completion") {
    printer.out(SCRIPTS[parsed.shell])
    exitCode = 0
  } else if (parsed.command === "help") {
    exitCode = parsed.asked === "for it" ? 0 : 2
    if (exitCode === 0) printer.out(parsed.text)
    else printer.err(parsed.text.trimEnd())
  } else {
    // It takes the longest to start, and is told what to load when the rest is known.
    if ("flags" in parsed && "tools" in parsed.flags && !parsed.flags.tools.every(isHttpFile)) io.toolHosts.warm()
    exitCode = await (await import("./carry-out.ts")).carryOut(parsed, io, printer)
    io.toolHosts.drop()
  }
  const problem = await printer.problem()
  if (problem) {
    printer.err(`toolnexus: stdout could not be written (${problem.code}); a run is saved in its file all the same`)
    exitCode ||= 1
  }
  printer.end()
  await io.stderr.flush()
  io.done()
  return exitCode
}

function parse(argv: readonly string[]): Invocation | UsageError {
  try {
    return parseCommandLine(argv)
  } catch (error) {
    if (error instanceof UsageError) return error
    throw error
  }
}
