import type { Command } from "commander"
import type { Take } from "../command-line/invocation.ts"
import { withoutHelpOn } from "../command-line/invocation.ts"
import {
  addEndpointOptions,
  addOutputOptions,
  addToolOptions,
  type OutputFlags,
  type ToolFlags,
} from "../command-line/options.ts"
import type { EndpointFlags } from "../endpoint/endpoint-settings.ts"

/** What `doctor` takes: what `run` would be given, and whether the model is called. */
export interface DoctorFlags extends OutputFlags, EndpointFlags, ToolFlags {
  callModel?: boolean
}

const DOCTOR_HELP = `
Examples:
  $ toolnexus doctor
      everything that a run needs, a line each: ok, note (a run starts without it), problem
  $ toolnexus doctor --base-url http://localhost:11434/v1 --model llama3 --mcp .mcp.json
      the same for a run with these options
  $ toolnexus doctor --call-model
      also makes one small call of the model, which may cost a little
  $ toolnexus doctor --output json < /dev/null

It opens a connection to the endpoint (or its proxy) and closes it, loads the tools modules, and starts the MCP
servers that a run would start: those of a project only when it is trusted. Nothing takes longer than half a
minute, and no key is shown. Exit 0 where a run could start, 2 where a problem keeps it from that.
`

/** Adds `doctor`. */
export function addDoctor(program: Command, take: Take): void {
  const command = program
    .command("doctor")
    .summary("say whether a run could start here, and what keeps it from that")
    .description("Looks at everything that a run needs, says what is so, and what to do about what is not.")
    .addHelpText("after", DOCTOR_HELP)
  addToolOptions(addEndpointOptions(command))
    .optionsGroup("The model:")
    .option("--call-model", "make one small call of the model; without it none is made")
  withoutHelpOn(addOutputOptions(command), ["--verbose"]).action((flags: DoctorFlags) =>
    take({ command: "doctor", flags }),
  )
}
