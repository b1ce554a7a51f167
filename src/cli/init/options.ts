import type { Command } from "commander"
import { type Take, withoutHelpOn } from "../command-line/invocation.ts"
import { add, addOutputOptions, count, duration, filled, type OutputFlags } from "../command-line/options.ts"
import { INIT_HELP } from "./help.ts"

/** What `init` takes. */
export interface InitFlags extends OutputFlags {
  cwd?: string
  allow: string[]
  ask: string[]
  deny: string[]
  maxTurns?: number
  /** Milliseconds. */
  timeout?: number
  exampleTools?: boolean
  yes?: boolean
  input: boolean
}

/** Adds `init`. */
export function addInit(program: Command, take: Take): void {
  const command = program
    .command("init")
    .summary("make a project ready")
    .description(
      "Writes a project's .toolnexus/config.json, at the root of its repository: rules and limits to start with, on request an example of a tools module. It asks first, shows everything, and writes nothing over.",
    )
    .addHelpText("after", INIT_HELP)
    .option("--cwd <dir>", "the folder that gets it, instead of the repository's root", filled)
    .optionsGroup("What is written (what is given here is not asked):")
    .option("--allow <rule>", "run without asking, instead of what is suggested (repeatable)", add, [])
    .option("--ask <rule>", "ask before it runs (repeatable)", add, [])
    .option("--deny <rule>", "never run (repeatable)", add, [])
    .option("--max-turns <n>", "replies of the model (100 where nothing says otherwise)", count)
    .option("--timeout <duration>", "time with a model or a tool at work, for instance 10m", duration)
    .option("--example-tools", "also .toolnexus/tools.mjs, an example of a tools module")
    .optionsGroup("Whether:")
    .option("--yes", "write what is suggested without asking; it is not trusted before toolnexus trust")
    .option("--no-input", "ask nobody: without --yes nothing is written")
  withoutHelpOn(addOutputOptions(command), ["--verbose"]).action((flags: InitFlags) => take({ command: "init", flags }))
}
