import { Command, CommanderError, Help, type Option } from "commander"
import { addCompletion } from "../completion/completion-command.ts"
import { addConfig } from "../configuration/config-options.ts"
import { addDoctor } from "../doctor/doctor-command.ts"
import { addInit } from "../init/options.ts"
import { addPrune } from "../prune/options.ts"
import { ANSWER_HELP, PROGRAM_HELP, RESUME_HELP, RUN_HELP, RUNS_HELP } from "./help-text.ts"
import { addInspection } from "./inspection-commands.ts"
import { type Invocation, type Take, withoutHelpOn } from "./invocation.ts"
import { orderOptions } from "./option-order.ts"
import {
  addAnswerOptions,
  addOutputOptions,
  addRunOptions,
  type OutputFlags,
  type RecordFlags,
  type RunFlags,
} from "./options.ts"

/** A mistake on the command line. It is found before the library is loaded, so it is no error of the library's yet. */
export class UsageError extends Error {}

/**
 * Reads the command line. Nothing is run, printed or loaded here.
 *
 * @param argv the arguments, without the program's name
 * @throws UsageError one line that says what to do
 */
export function parseCommandLine(argv: readonly string[]): Invocation {
  let invocation: Invocation | undefined
  let shown = ""
  const show = (text: string) => {
    shown += text
  }
  const program = buildProgram(show, (it) => {
    invocation = it
  })
  try {
    program.parse(orderOptions(argv, program), { from: "user" })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.code === "commander.version") return { command: "version" }
    if (error.code === "commander.help" || error.code === "commander.helpDisplayed") {
      return { command: "help", text: shown, asked: error.exitCode === 0 ? "for it" : "for nothing" }
    }
    throw new UsageError(usageMessage(error, program, argv))
  }
  if (!invocation) throw new UsageError("no command was given: see toolnexus --help")
  return invocation
}

/** The program with all of its commands and options, to be looked at. */
export function describedProgram(): Command {
  return buildProgram(
    () => {},
    () => {},
  )
}

function buildProgram(show: (text: string) => void, take: Take): Command {
  const program = new Command("toolnexus")
    .description(
      "Agent runs with a person in them: a run halts into one file, anyone answers it, and it goes on exactly once.",
    )
    .usage("<command> [options]")
    .version("0", "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help, or that of a command")
    .addHelpText("after", PROGRAM_HELP)
    .configureHelp({ optionDescription: describeOption })
    .exitOverride()
    .configureOutput({ writeOut: show, writeErr: show, getOutHelpWidth: () => 100, getErrHelpWidth: () => 100 })
  addRun(program, take)
  addResume(program, take)
  addAnswer(program, take)
  addRuns(program, take)
  addInspection(program, take)
  addConfig(program, take)
  addInit(program, take)
  addDoctor(program, take)
  addCompletion(program, take)
  return program
}

/** That a list is empty by default goes without saying. */
function describeOption(option: Option): string {
  return new Help().optionDescription(option).replace(" (default: [])", "")
}

function addRun(program: Command, take: Take): void {
  const command = program
    .command("run")
    .summary("run an agent on a prompt")
    .description(
      "Runs an agent on a prompt. What needs a person is asked at the terminal; with nobody there the run is saved.",
    )
    .argument("[prompt]", "what to do; - reads it from stdin")
    .addHelpText("after", RUN_HELP)
  // There is nothing to answer yet. They are read all the same: the refusal says where they belong.
  const answers = ["--answer", "--answer-env", "--answers", "--approve", "--decline", "--note", "--in-doubt"]
  withoutHelpOn(addRunOptions(command), [...answers, "--accept-recorded"]).action(
    (prompt: string | undefined, flags: RunFlags) => take({ command: "run", prompt, flags }),
  )
}

function addResume(program: Command, take: Take): void {
  const command = program
    .command("resume")
    .summary("go on with a saved run")
    .description("Goes on with a run that was saved: halted for a person, interrupted, crashed, or stopped by a limit.")
    .argument("<file>", FILE)
    .addHelpText("after", RESUME_HELP)
  withoutHelpOn(addRunOptions(command), ["--file"]).action((file: string, flags: RunFlags) =>
    take({ command: "resume", file, flags }),
  )
}

function addAnswer(program: Command, take: Take): void {
  const command = program
    .command("answer")
    .summary("record an answer without going on")
    .description("Records answers in a run file without going on with it. It needs no endpoint, no key and no tools.")
    .argument("<file>", FILE)
    .addHelpText("after", ANSWER_HELP)
  withoutHelpOn(addOutputOptions(addAnswerOptions(command)), ["--verbose"])
    .option("--no-input", "ask nobody: record only what the options answer")
    .action((file: string, flags: RecordFlags) => take({ command: "answer", file, flags }))
}

function addRuns(program: Command, take: Take): void {
  const runs = program
    .command("runs")
    .summary("list, show, delete, verify and unlock runs")
    .description(
      "Lists and shows runs, deletes old ones, looks their files over, and lets go of one that another machine held.",
    )
    .usage("[list | show <file> | prune | verify <file> | unlock <file>] [options]")
    .addHelpText("after", RUNS_HELP)
  withoutHelpOn(
    addOutputOptions(
      runs
        .command("list")
        .summary("list the runs that were made here")
        .description("Lists the runs that were made here, the newest first."),
    ),
    ["--verbose"],
  ).action((flags: OutputFlags) => take({ command: "runs list", flags }))
  addOutputOptions(
    runs
      .command("show")
      .summary("show one run, without changing it")
      .description("Shows a run: its prompt, its calls, what is open and how to answer it. Nothing is changed.")
      .argument("<file>", FILE),
    "arguments and results of calls in full",
  ).action((file: string, flags: OutputFlags) => take({ command: "runs show", file, flags }))
  addPrune(runs, take)
  withoutHelpOn(
    addOutputOptions(
      runs
        .command("verify")
        .summary("look a run file over: damage, a torn end, doubts")
        .description(
          "Tells everything about a run file: format, damage with its line, a torn last line, unknown events, what is open or in doubt, answers not used yet. Exit 0 when it is sound, 5 when not. Nothing is changed.",
        )
        .argument("<file>", FILE),
    ),
    ["--verbose"],
  ).action((file: string, flags: OutputFlags) => take({ command: "runs verify", file, flags }))
  withoutHelpOn(
    addOutputOptions(
      runs
        .command("unlock")
        .summary("let go of a run file that a process elsewhere holds")
        .description(
          "Lets go of a run file that a process on another machine, or in another container, holds or held: make sure that it does not run any more. A process that is alive here is never overruled.",
        )
        .argument("<file>", FILE),
    ),
    ["--verbose"],
  ).action((file: string, flags: OutputFlags) => take({ command: "runs unlock", file, flags }))
}

const FILE = "the run file (or the id of a run that was made here; its beginning is enough)"

const HINTS: Record<string, string> = {
  "commander.unknownCommand": 'to run a prompt: toolnexus run "..."',
  "commander.excessArguments": "put quotes around a text or name with spaces in it",
  "commander.missingArgument": "name it (see --help)",
  "commander.optionMissingArgument": "it takes a value, put one behind it",
  "commander.unknownOption": "see --help",
  "commander.invalidArgument": "correct it",
  "commander.conflictingOption": "leave one of them out",
}

function usageMessage({ code, message }: CommanderError, program: Command, [first = ""]: readonly string[]): string {
  const fact = message
    .replace(/^error: (command-argument value )?/, "")
    .replace(/\n\((Did you mean [^)]*)\)/, ": $1")
    .replace(
      / is invalid( for argument '\S+')?\. (.)/,
      (_, of = "", letter) => ` is invalid${of}: ${letter.toLowerCase()}`,
    )
  if (fact.includes(": Did you mean")) return fact
  const isInGroup = program.commands.some((command) => command.name() === first && command.commands.length > 0)
  const hint = code === "commander.unknownCommand" && isInGroup ? `see toolnexus ${first} --help` : HINTS[code]
  return hint === undefined ? fact : `${fact.replace(/\.$/, "")}: ${hint}`
}
