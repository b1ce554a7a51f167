import type { Command } from "commander"
import type { Shell } from "../completion/shell.ts"
import type { ConfigInvocation } from "../configuration/config-options.ts"
import type { DoctorFlags } from "../doctor/doctor-command.ts"
import type { InitFlags } from "../init/options.ts"
import type { PruneFlags } from "../prune/options.ts"
import type { InspectionFlags, OutputFlags, RecordFlags, RunFlags, ToolCallFlags, TrustFlags } from "./options.ts"

/** What the command line says. */
export type Invocation =
  | { command: "help"; text: string; asked: "for it" | "for nothing" }
  | { command: "version" }
  | { command: "completion"; shell: Shell }
  | { command: "run"; prompt: string | undefined; flags: RunFlags }
  | { command: "resume"; file: string; flags: RunFlags }
  | { command: "answer"; file: string; flags: RecordFlags }
  | { command: "runs list"; flags: OutputFlags }
  | { command: "runs show"; file: string; flags: OutputFlags }
  | { command: "runs prune"; named: string[]; flags: PruneFlags }
  | { command: "runs verify"; file: string; flags: OutputFlags }
  | { command: "runs unlock"; file: string; flags: OutputFlags }
  | { command: "tools list"; flags: InspectionFlags }
  | { command: "tools call"; name: string; flags: ToolCallFlags }
  | { command: "policy test"; tool: string; args: string; flags: InspectionFlags }
  | { command: "doctor"; flags: DoctorFlags }
  | { command: "trust"; folder: string | undefined; flags: TrustFlags }
  | ConfigInvocation
  | { command: "init"; flags: InitFlags }

/** Told what a command line says. */
export type Take = (invocation: Invocation) => void

/** Options that the command takes, and that say nothing to who reads its help. */
export function withoutHelpOn(command: Command, names: readonly string[]): Command {
  for (const option of command.options) if (names.includes(option.long ?? "")) option.hideHelp()
  return command
}
