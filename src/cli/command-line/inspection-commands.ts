import { type Command, Option } from "commander"
import { POLICY_HELP, TOOLS_HELP, TRUST_HELP } from "./help-text.ts"
import { type Take, withoutHelpOn } from "./invocation.ts"
import {
  addOutputOptions,
  addToolOptions,
  type InspectionFlags,
  type ToolCallFlags,
  type TrustFlags,
} from "./options.ts"

/** The commands that show what a run would be made with, and what of it counts. */
export function addInspection(program: Command, take: Take): void {
  addTools(program, take)
  addPolicy(program, take)
  addTrust(program, take)
}

function addTools(program: Command, take: Take): void {
  const tools = program
    .command("tools")
    .summary("list the tools that a run would have, or run one by hand")
    .description("Lists the tools that a run would have, with where each comes from, and runs one by hand.")
    .usage("[list | call <name>] [options]")
    .addHelpText("after", TOOLS_HELP)
  addOutputOptions(
    addToolOptions(
      tools
        .command("list")
        .summary("list the tools that a run would have")
        .description(
          "Lists every tool that a run would have: where it comes from, and what the rules say of its calls.",
        ),
    ),
    "the rules about each tool",
  ).action((flags: InspectionFlags) => take({ command: "tools list", flags }))
  const call = tools
    .command("call")
    .summary("run one tool by hand")
    .description("Runs one tool by hand, under the same rules as a model's call. Exit 1 where its result is an error.")
    .argument("<name>", "the tool's name")
    .option("--args <json>", "its arguments, a JSON object", "{}")
    .option("--no-input", "ask nobody: what needs a person is not run")
  addOutputOptions(addToolOptions(call)).action((name: string, flags: ToolCallFlags) =>
    take({ command: "tools call", name, flags }),
  )
}

function addPolicy(program: Command, take: Take): void {
  const test = program
    .command("policy")
    .summary("say what the rules decide about a call")
    .description("Says what the permission rules decide about a call of a tool. Nothing is asked or run.")
    .usage("test <tool> <args> [options]")
    .addHelpText("after", POLICY_HELP)
    .command("test")
    .summary("say what the rules decide about a call")
    .description("Says what would happen to a call, which rule says so, and why others do not. Needs no endpoint.")
    .argument("<tool>", "its name, or mcp:SERVER/TOOL")
    .argument("<args>", "a JSON object, or the text that it is mainly given: a command, a path, an address")
    .addHelpText("after", POLICY_HELP)
  withoutHelpOn(addOutputOptions(addToolOptions(test)), ["--verbose"]).action(
    (tool: string, args: string, flags: InspectionFlags) => take({ command: "policy test", tool, args, flags }),
  )
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
