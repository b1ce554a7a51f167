import { ToolnexusError } from "../../index.ts"
import { openState } from "../configuration/settings.ts"
import type { Io } from "../io.ts"
import { errorText } from "../output/error-text.ts"
import { EXIT } from "../output/exit-code.ts"
import type { Output } from "../output/output.ts"
import { programWords, shellQuote } from "../output/resume-command.ts"
import { type Choice, chooseByRule, chooseNamed } from "../prune/choice.ts"
import { deleteEntry, deleteRun } from "../prune/delete-run.ts"
import type { PruneFlags } from "../prune/options.ts"
import { type Done, exitCodeOfDone, printReport, sayDone } from "../prune/outcome.ts"
import { type OwnRuns, readOwnRuns } from "../prune/own-runs.ts"
import { amountText, chosenLines, sayKept } from "../prune/text.ts"
import { attendPerson, type Person } from "../terminal/person.ts"
import { durationText } from "../words/duration.ts"

const DEFAULT_AGE_MS = 30 * 86_400_000

interface Given {
  named: readonly string[]
  flags: PruneFlags
}

/** `toolnexus runs prune`: deletes runs of the state folder that are over and old, or that are named; never without a yes. */
export async function runsPruneCommand(given: Given, io: Io, output: Output): Promise<number> {
  const { flags } = given
  refuseBoth(given)
  const found = await readOwnRuns(openState(io), io.uid, (problem) => output.say(errorText(problem)))
  const choice = choose(found, given, io)
  sayKept(choice, flags.olderThan ?? DEFAULT_AGE_MS, { io, output })
  const person = attendPerson({ asks: flags.input ? "at the terminal" : "nobody", cwd: io.cwd, io, output })
  try {
    return await prune(choice, { given, person, io, output })
  } finally {
    person.close()
  }
}

interface Around {
  given: Given
  person: Person
  io: Io
  output: Output
}

async function prune(choice: Choice, around: Around): Promise<number> {
  const { given, person, io, output } = around
  const { named, flags } = given
  const isNothing = choice.runs.length + choice.entries.length === 0
  if (isNothing || flags.dryRun) {
    if (isNothing) output.notice("there is nothing to delete")
    else print([...listOf(choice, io), `would be deleted: ${amountText(choice)}`], output)
    printReport({ status: "listed", choice, done: [] }, output)
    return EXIT.done
  }
  const said = flags.yes ? "yes" : await ask(choice, person, io)
  if (flags.yes || said === "nobody") print(listOf(choice, io), output)
  if (said !== "yes") {
    printReport({ status: said === "no" ? "declined" : "pending", choice, done: [] }, output)
    return sayUndone(said, choice, around)
  }
  const done = await deleteAll(choice, person)
  sayDone(done, io, output)
  printReport({ status: "deleted", choice, done }, output)
  return person.stoppedBy() ? person.exitCode() : exitCodeOfDone(done, named.length > 0 ? "by name" : "by rule")
}

function listOf(choice: Choice, io: Io): string[] {
  return chosenLines(choice, io.stdout.stream?.columns, io)
}

function print(lines: readonly string[], output: Output): void {
  if (output.mode === "text") for (const line of lines) output.printer.out(`${line}\n`)
}

/** @throws ToolnexusError `usage` where runs are named, and chosen by a rule too */
function refuseBoth({ named, flags }: Given): void {
  if (named.length === 0 || (flags.olderThan === undefined && flags.status.length === 0 && !flags.all)) return
  throw new ToolnexusError(
    "usage",
    "runs that are named are deleted whatever their age and status: leave --older-than, --status and --all out, or the names",
  )
}

function choose(found: OwnRuns, { named, flags }: Given, io: Io): Choice {
  if (named.length > 0) return chooseNamed(found, named, { cwd: io.cwd, state: openState(io) })
  const statuses = flags.all ? "any" : flags.status.length > 0 ? flags.status : "over"
  return chooseByRule(found, { olderThanMs: flags.olderThan ?? DEFAULT_AGE_MS, statuses }, io.clock.now())
}

type Said = "yes" | "no" | "left" | "nobody"

const YES = "Delete for good"
const NO = "Keep everything"

async function ask(choice: Choice, { waitFor, signal, whyOpen }: Person, io: Io): Promise<Said> {
  const room = (io.stdout.stream?.columns || 80) - MARGIN
  const prompt = [
    `These would be deleted for good: ${amountText(choice)}`,
    ...chosenLines(choice, room, io),
    "",
    "Delete them?",
  ].join("\n")
  // A closed choice, nothing highlighted: there is nothing else that could be typed.
  const schema = { type: "string", enum: [YES, NO] }
  const answer = await waitFor?.(
    { id: "prune", kind: "input", prompt, data: { schema } },
    { signal, saveDraft: () => {} },
  )
  if (answer) return answer.ok && answer.data?.output === YES ? "yes" : "no"
  return whyOpen() === undefined ? "left" : "nobody"
}

/** What a question's text is shown behind. */
const MARGIN = 4

function sayUndone(said: Exclude<Said, "yes">, choice: Choice, { given, person, io, output }: Around): number {
  const why = person.whyOpen()
  output.say(`nothing is deleted${said === "nobody" ? `: nobody could be asked (${why})` : ""}`)
  if (said === "no") return EXIT.refused
  if (person.stoppedBy()) return person.exitCode()
  output.notice(`to delete ${amountText(choice)} without being asked:`)
  output.last([...programWords(io), "runs", "prune", ...wordsOf(given), "--yes"].map(shellQuote).join(" "))
  return EXIT.halted
}

/** What chooses the same runs again. */
function wordsOf({ named, flags: { olderThan, status, all } }: Given): string[] {
  return [
    ...named.map((it) => (it.startsWith("-") ? `./${it}` : it)),
    ...(olderThan === undefined ? [] : ["--older-than", durationText(olderThan)]),
    ...(status.length === 0 ? [] : ["--status", status.join(",")]),
    ...(all ? ["--all"] : []),
  ]
}

/** One after the other: a signal stops after the one under way. */
async function deleteAll({ runs, entries }: Choice, { signal }: Person): Promise<Done[]> {
  const done: Done[] = []
  for (const run of runs) if (!signal.aborted) done.push({ of: run, deletion: await deleteRun(run) })
  for (const entry of entries) if (!signal.aborted) done.push({ of: entry, deletion: deleteEntry(entry) })
  return done
}
