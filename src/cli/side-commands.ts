import type { SideCommand } from "./carry-out.ts"
import { configSetCommand, configUnsetCommand } from "./commands/config-change.ts"
import { configEditCommand } from "./commands/config-edit.ts"
import { configGetCommand, configListCommand, configPathCommand } from "./commands/config-show.ts"
import { doctorCommand } from "./commands/doctor.ts"
import { initCommand } from "./commands/init.ts"
import { policyTestCommand } from "./commands/policy-test.ts"
import { runsListCommand } from "./commands/runs-list.ts"
import { runsPruneCommand } from "./commands/runs-prune.ts"
import { runsShowCommand } from "./commands/runs-show.ts"
import { runsUnlockCommand } from "./commands/runs-unlock.ts"
import { runsVerifyCommand } from "./commands/runs-verify.ts"
import { toolsCallCommand } from "./commands/tools-call.ts"
import { toolsListCommand } from "./commands/tools-list.ts"
import { trustCommand } from "./commands/trust.ts"
import type { Io } from "./io.ts"
import type { Output } from "./output/output.ts"

/** Carries out a command around runs. */
export async function startSideCommand(command: SideCommand, io: Io, output: Output): Promise<number> {
  switch (command.command) {
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
      return doctorCommand(command.flags, io, output)
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
