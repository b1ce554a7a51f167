import { type Command, Option } from "commander"
import { TRUST_HELP } from "./help-text.ts"
import { type Take, withoutHelpOn } from "./invocation.ts"
import { addOutputOptions, type TrustFlags } from "./options.ts"

/** The commands that show what a run would be made with, and what of it counts. */
export function addInspection(program: Command, take: Take): void {
  addTrust(program, take)
}

function addTrust(program: Command, take: Take): void {
  const command = program
    .command("trust")
    .summary("let a project's own configuration count")
    .description(
      "Shows everything that a project's configuration would let (its endpoint, servers, modules, rules), and asks whether it may. Until then it can only restrict.",
    )
    .argument("[dir]", "a folder of the project; by default the one that the command is typed in")
    .addHelpText("after", TRUST_HELP)
    .addOption(new Option("--list", "the folders that are trusted").conflicts("revoke"))
    .option("--revoke", "do not trust it any more")
    .option("--no-input", "ask nobody: nothing is trusted")
  withoutHelpOn(addOutputOptions(command), ["--verbose"]).action((folder: string | undefined, flags: TrustFlags) =>
    take({ command: "trust", folder, flags }),
  )
}
