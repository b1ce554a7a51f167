import { isToolnexusError, ToolnexusError } from "../../index.ts"
import { type StartedAs, unlockCommand } from "../output/resume-command.ts"
import { holderLine } from "./holder-line.ts"

/** Where a run file is held by a process that cannot be seen from here, what to type if it does not run any more. */
export function withUnlockCommand(error: unknown, started: StartedAs): unknown {
  if (!isToolnexusError(error) || error.code !== "in_use" || error.details.life !== "unknown") return error
  const { file, pid, host, time } = error.details
  const fact = `${file} is in use by ${holderLine({ pid: Number(pid), host: String(host), time: String(time) })}`
  const wayOn = `if it does not run any more, which cannot be seen from here: ${unlockCommand(String(file), started)}`
  return new ToolnexusError("in_use", `${fact}: ${wayOn}`, { details: error.details, cause: error })
}
