import { Argument, type Command } from "commander"
import type { Take } from "../command-line/invocation.ts"
import { SHELLS, type Shell } from "./shell.ts"

const COMPLETION_HELP = `
To have it from the next shell on:
  bash  toolnexus completion bash > ~/.local/share/bash-completion/completions/toolnexus
        or, without the package bash-completion, in ~/.bashrc:
        source <(toolnexus completion bash)
  zsh   in ~/.zshrc, behind compinit:
        source <(toolnexus completion zsh)
  fish  toolnexus completion fish > ~/.config/fish/completions/toolnexus.fish

Examples:
  $ source <(toolnexus completion bash)
      for this shell alone; then: toolnexus resume <Tab>
  $ toolnexus completion fish | source

What is offered comes from the program each time: commands, options and their values, the runs that wait,
profiles, agents and tools. Nothing is started for it, and a project that is not trusted adds nothing.
The script calls the program toolnexus that your PATH has.
`

/** Adds `completion`. Without a shell it says which there are. */
export function addCompletion(program: Command, take: Take): void {
  const command = program
    .command("completion")
    .summary("print the script that completes command lines in a shell")
    .description(`Prints the script that makes a shell complete the command line with Tab: ${SHELLS.join(", ")}.`)
    .addArgument(new Argument("[shell]", "the shell").choices(SHELLS))
    .addHelpText("after", COMPLETION_HELP)
  command.action((shell: Shell | undefined) =>
    shell === undefined ? command.help({ error: true }) : take({ command: "completion", shell }),
  )
}
