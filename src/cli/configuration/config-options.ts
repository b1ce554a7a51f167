import { type Command, Option } from "commander"
import { type Take, withoutHelpOn } from "../command-line/invocation.ts"
import { addOutputOptions, filled, type OutputFlags } from "../command-line/options.ts"
import { CONFIG_HELP, CONFIG_SET_HELP } from "./config-help.ts"

/** What `config list` and `config get` take. */
export interface ConfigFlags extends OutputFlags {
  cwd?: string
}

/** What commands take that are about one of the files. */
export interface ConfigFileFlags extends ConfigFlags {
  project?: boolean
  user?: boolean
}

/** What a `config` command says. */
export type ConfigInvocation =
  | { command: "config list"; flags: ConfigFlags }
  | { command: "config get"; name: string; flags: ConfigFlags }
  | { command: "config set"; name: string; value: string; flags: ConfigFileFlags }
  | { command: "config unset"; name: string; flags: ConfigFileFlags }
  | { command: "config path"; flags: ConfigFileFlags }
  | { command: "config edit"; flags: ConfigFileFlags }

const NAME = "a dotted name: limits.maxTurns, profiles.work.model, permissions.allow"

/** Adds `config` and what it does. */
export function addConfig(program: Command, take: Take): void {
  const config = program
    .command("config")
    .summary("show and change settings")
    .description("Shows every setting in force and where it comes from, and changes your configuration or a project's.")
    .usage("[list | get <name> | set <name> <value> | unset <name> | path | edit] [options]")
    .addHelpText("after", CONFIG_HELP)
  finished(
    config
      .command("list")
      .summary("list every setting in force, and where it comes from")
      .description(
        "Lists every setting in force with its value and where it comes from: a variable, a project's file and whether it is trusted, yours, or a default. What does not count is listed below, with the reason. Secrets are not shown.",
      ),
  ).action((flags: ConfigFlags) => take({ command: "config list", flags }))
  finished(
    config
      .command("get")
      .summary("print the value of one setting in force")
      .description("Prints the value of one setting in force: a text as it is, anything else as JSON. Exit 2: not set.")
      .argument("<name>", NAME),
  ).action((name: string, flags: ConfigFlags) => take({ command: "config get", name, flags }))
  addChanges(config, take)
  const path = config
    .command("path")
    .summary("print where the files are")
    .description("Prints where the configuration's files are; with --user or --project one path alone, for a script.")
    .addOption(new Option("--user", "the path of your configuration alone").conflicts("project"))
    .option("--project", "the path of the project's configuration alone, whether it is there or not")
  finished(path).action((flags: ConfigFileFlags) => take({ command: "config path", flags }))
}

function addChanges(config: Command, take: Take): void {
  const set = config
    .command("set")
    .summary("change one setting of your configuration, or of a project's")
    .description(
      "Changes one setting. What a run would refuse is not written. The rest of the file stays as it is. No key is stored: a profile names the variable that holds it.",
    )
    .argument("<name>", NAME)
    .argument(
      "<value>",
      "a text as it is; a number, a list or an object as JSON (put -- before one that begins with -)",
    )
    .addHelpText("after", CONFIG_SET_HELP)
  changing(set).action((name: string, value: string, flags: ConfigFileFlags) =>
    take({ command: "config set", name, value, flags }),
  )
  const unset = config
    .command("unset")
    .summary("remove one setting from your configuration, or from a project's")
    .description("Removes one setting; also one that is misspelt or broken. The rest of the file stays as it is.")
    .argument("<name>", NAME)
  changing(unset).action((name: string, flags: ConfigFileFlags) => take({ command: "config unset", name, flags }))
  const edit = config
    .command("edit")
    .summary("edit your configuration, or a project's, in $VISUAL or $EDITOR")
    .description(
      "Opens the file in $VISUAL or $EDITOR (else vi). What is saved is checked before it replaces the file: what a run would refuse can be edited again.",
    )
  changing(edit).action((flags: ConfigFileFlags) => take({ command: "config edit", flags }))
}

function changing(command: Command): Command {
  return finished(command.option("--project", "the project's file instead of yours: its trust is asked anew"))
}

function finished(command: Command): Command {
  command.option("--cwd <dir>", "the folder whose projects count", filled)
  return withoutHelpOn(addOutputOptions(command), ["--verbose"])
}
