import type { Limits, RunEvent, RunOptions, RunResult } from "../index.ts"
import { readRun } from "../index.ts"
import { openRequestLines } from "./answers/request-line.ts"
import { inWordsOfOptions } from "./command-line/option-words.ts"
import type { RunFlags } from "./command-line/options.ts"
import { askToGoOn } from "./limits/limit-question.ts"
import { type RaisedLimit, raisedLimit } from "./limits/raised-limit.ts"
import { EXIT, exitCodeOfError, exitCodeOfStatus } from "./output/exit-code.ts"
import type { Output } from "./output/output.ts"
import type { Progress } from "./output/progress.ts"
import { reportOf } from "./output/report.ts"
import type { Person } from "./terminal/person.ts"

/** A run in its file, and everybody around it. */
export interface Conduct {
  flags: RunFlags
  output: Output
  person: Person
  progress: Progress
  /** Absolute. */
  file: string
  /** Empty for a new run: its first event says it. */
  runId: string
  /** The command that resumes it, with these options. */
  resumeCommand(options?: readonly string[]): string
  /** The command that shows it, where the end of the run is to say so. */
  showCommand: string | undefined
  /** Goes on with it after a limit, in the same process. */
  goOn(limits: Limits, options: WatchedOptions): Promise<RunResult>
  /** Closes the journal and the tools: what is printed last is printed when the file is free. */
  close(): Promise<void>
}

/** What a client's `run` and `resume` are given. */
export type WatchedOptions = Required<Pick<RunOptions, "signal" | "onEvent">> & Pick<RunOptions, "onText">

/**
 * Lets a run go on, shows it while it does, and says what it came to.
 *
 * @param conduct the run and everybody around it
 * @param work starts it
 * @returns the exit code
 */
export async function conductRun(
  conduct: Conduct,
  work: (options: WatchedOptions) => Promise<RunResult>,
): Promise<number> {
  let result: RunResult
  // A run that has begun before can be resumed whatever happens now.
  if (conduct.runId !== "") conduct.person.sayAtOnce(conduct.resumeCommand())
  try {
    const options = watched(conduct)
    result = await work(options)
    result = await beyondLimits(conduct, result, options)
  } catch (error) {
    await conduct.close()
    return await sayFailure(conduct, error)
  }
  await conduct.close()
  const raised = result.status === "incomplete" ? raisedLimit(result, (await readRun(conduct.file)).events) : undefined
  return sayResult(conduct, result, raised)
}

/** A limit that a person raises is no end. */
async function beyondLimits(conduct: Conduct, reached: RunResult, options: WatchedOptions): Promise<RunResult> {
  let result = reached
  while (result.status === "incomplete") {
    const limits = await askToGoOn(result, conduct)
    if (!limits) break
    result = await conduct.goOn(limits, options)
  }
  return result
}

function watched({ output, person, progress, flags, file, runId: known, resumeCommand }: Conduct): WatchedOptions {
  let runId = known
  const isStreamed = flags.output === "text" && flags.stream && output.printer.outIsTerminal
  return {
    signal: person.signal,
    ...(isStreamed ? { onText: output.text } : {}),
    onEvent(event: RunEvent) {
      if (event.type === "run.started") {
        runId = event.runId
        person.sayAtOnce(resumeCommand())
      }
      for (const { level, text } of progress.lines(event)) output[level](text)
      output.event(event, { runId, file })
    },
  }
}

function sayResult(conduct: Conduct, result: RunResult, raised: RaisedLimit | undefined): number {
  const { output, person, file, resumeCommand, showCommand } = conduct
  output.result(reportOf(result, file))
  if (result.stopped)
    output.say(`the last reply is no ordinary end: ${STOPPED[result.stopped.kind]} (${result.stopped.reason})`)
  switch (result.status) {
    case "done":
      if (showCommand !== undefined) output.notice(`the run: ${showCommand}`)
      return EXIT.done
    case "pending": {
      const open = result.suspended ?? []
      const several = open.length > 1 ? `, ${open.length} requests are open` : ""
      output.say(`halted: waiting for a person${several}${reasonOf(person)}`)
      for (const line of openRequestLines(open)) output.say(line)
      output.say("to go on, at a terminal or with an answer:")
      break
    }
    case "incomplete":
      output.say(`${LIMITS[result.limit ?? "context"]}${raised ? `; to go on with ${raised.step} more:` : ""}`)
      break
    case "interrupted":
      output.say(`stopped by ${person.stoppedBy() ?? "a signal"}; what was done is saved`)
  }
  output.last(resumeCommand(raised?.option))
  return exitCodeOfStatus(result.status, person.stoppedBy())
}

/** Why it was left open, behind what is said of it. */
function reasonOf(person: Person): string {
  const why = person.whyOpen()
  return why === undefined ? "" : ` (${why})`
}

const STOPPED: Record<NonNullable<RunResult["stopped"]>["kind"], string> = {
  pause: "the endpoint paused it",
  length: "it was cut off at its length",
  context: "the model's context is full",
  filter: "a content filter ended it",
  refusal: "the model refused",
  error: "the endpoint says that it failed",
  unknown: "for a reason that is not known here",
}

const LIMITS: Record<NonNullable<RunResult["limit"]>, string> = {
  maxTurns: "stopped at --max-turns: what was done is kept",
  maxTokens: "stopped at --max-tokens: what was done is kept",
  timeoutMs: "stopped at --timeout: what was done is kept",
  maxToolCalls: "stopped at --max-tool-calls: the calls that are too many were not run",
  maxRepeats: "stopped at --max-repeats: the same call came too often in a row",
  maxOutputTokens:
    "stopped: the reply was cut off at the most tokens of one reply; what was done is kept; to ask for it again:",
  context:
    "stopped: the conversation does not fit the model's context any more; what was done is kept; a model that takes more may go on (add --model NAME):",
}

async function sayFailure({ output, file, resumeCommand }: Conduct, error: unknown): Promise<number> {
  const record = await readRun(file).catch(() => undefined) // whatever is wrong with it too, the first error is the one to say
  output.about({ file, record })
  output.failure(inWordsOfOptions(error))
  const exitCode = exitCodeOfError(error)
  if (record && exitCode !== EXIT.refused) {
    output.say("what was done is kept; once that is mended, this goes on:")
    output.last(resumeCommand())
  }
  return exitCode
}
