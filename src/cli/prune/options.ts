import { type Command, InvalidArgumentError, Option } from "commander"
import type { RunSummary } from "../../index.ts"
import { PRUNE_HELP } from "../command-line/help-text.ts"
import { type Take, withoutHelpOn } from "../command-line/invocation.ts"
import { addOutputOptions, duration, type OutputFlags } from "../command-line/options.ts"

/** What a run that nobody is at may have come to, as `runs list` says it. */
export type LeftStatus = Exclude<RunSummary["status"], "at work">

export const STATUSES: readonly LeftStatus[] = ["done", "failed", "pending", "incomplete", "interrupted"]

/** What `runs prune` takes. */
export interface PruneFlags extends OutputFlags {
  /** Milliseconds. */
  olderThan?: number
  status: LeftStatus[]
  all?: boolean
  dryRun?: boolean
  yes?: boolean
  input: boolean
}

/** Adds `prune` to `runs`. */
export function addPrune(runs: Command, take: Take): void {
  const command = runs
    .command("prune")
    .summary("delete runs that are over, and old")
    .description(
      "Deletes runs that toolnexus keeps in its state folder, with what is remembered of them: those that are done and have not changed for 30 days, or the ones that are named. They are shown first, and nothing is deleted without a yes.",
    )
    .argument("[file...]", "runs to delete, whatever their age and status: ids, their beginnings, or files")
    .addHelpText("after", PRUNE_HELP)
    .optionsGroup("Which runs:")
    .option("--older-than <duration>", "since their last change, for instance 12h or 90d (default 30d)", duration)
    .option("--status <list>", `what they came to: ${STATUSES.join(", ")} (default done)`, statuses, [])
    .addOption(new Option("--all", "whatever they came to, also those that could be resumed").conflicts("status"))
    .optionsGroup("Whether:")
    .addOption(new Option("--dry-run", "only show what would be deleted").conflicts("yes"))
    .option("--yes", "delete without asking")
    .option("--no-input", "ask nobody: without --yes nothing is deleted")
  withoutHelpOn(addOutputOptions(command), ["--verbose"]).action((named: string[], flags: PruneFlags) =>
    take({ command: "runs prune", named, flags }),
  )
}

function statuses(value: string, previous: LeftStatus[]): LeftStatus[] {
  return [...previous, ...value.split(",").map((word) => status(word.trim()))]
}

function status(word: string): LeftStatus {
  const known = STATUSES.find((it) => it === word)
  if (known) return known
  throw new InvalidArgumentError(`It must be of ${STATUSES.join(", ")}, with commas between several.`)
}
