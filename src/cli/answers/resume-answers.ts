import type { Answer, Request, RunRecord } from "../../index.ts"
import type { RunFlags } from "../command-line/options.ts"
import type { Io } from "../io.ts"
import type { Output } from "../output/output.ts"
import { openIn } from "../state/halted-json.ts"
import { answeredIn, type Origin, openAnew, type SavedRun, uncountedIn } from "../state/saved-run.ts"
import { answersFrom, repeatLines } from "./answer-flags.ts"
import { ownWordLines } from "./own-words.ts"

/** What the answers that a resume is given are read against. */
export interface ResumedRun {
  saved: SavedRun
  /** What its file says; `undefined` where it has none yet. */
  record: RunRecord | undefined
  origin: Origin
  /** What the files of `--answers` hold. */
  listed: readonly Answer[]
}

/** The answers of the options. What is recorded in a file from elsewhere and does not count is said. */
export function answersForResume(given: ResumedRun & { flags: RunFlags; io: Io; output: Output }): Answer[] {
  const { record, origin, listed, flags, io, output } = given
  const open = openRequests(given, flags)
  const answered = record ? answeredIn(record) : []
  const unused = record?.recorded.map(({ id }) => id) ?? []
  const answers = answersFrom(flags, { open, answered, unused, listed, env: io.env })
  output.withhold(open, answers)
  const lines = [...repeatLines(answers, { open, answered }), ...ownWordLines(open, answers)]
  for (const line of lines) output.notice(line)
  if (record && origin.from === "elsewhere") sayUncounted(record, answers, flags, output)
  return answers
}

function openRequests({ saved, record, origin }: ResumedRun, flags: RunFlags): readonly Request[] {
  if (saved.kind === "plain") return openIn(saved.halted)
  if (!record) return []
  const isAnew = origin.from === "elsewhere" && !flags.acceptRecorded
  return isAnew ? openAnew(record) : (record.result.suspended ?? [])
}

/** Answers of elsewhere that are in the file and that nobody here stood by or gave himself. */
function sayUncounted(record: RunRecord, given: readonly Answer[], flags: RunFlags, output: Output): void {
  const ids = uncountedIn(record).filter((id) => !given.some((answer) => answer.id === id))
  if (flags.acceptRecorded || ids.length === 0) return
  output.say(`this file is from elsewhere, and what is recorded in it does not count (${ids.join(", ")}):`)
  output.say("it is asked again; --accept-recorded stands by it")
}
