import {
  type Answer,
  openRun,
  type Request,
  type RunFile,
  type RunRecord,
  readRun,
  recordAnswers,
} from "../../index.ts"
import { readAnswerFiles } from "../answers/answer-files.ts"
import { answersFrom, hasAnswers, repeatLines } from "../answers/answer-flags.ts"
import { ownWordLines } from "../answers/own-words.ts"
import { openRequestLines } from "../answers/request-line.ts"
import type { RecordFlags } from "../command-line/options.ts"
import { usersMasks } from "../configuration/masks.ts"
import { openState } from "../configuration/settings.ts"
import type { Io } from "../io.ts"
import { raisingOption } from "../limits/raised-limit.ts"
import { EXIT } from "../output/exit-code.ts"
import type { Output } from "../output/output.ts"
import { reportOf } from "../output/report.ts"
import { resumeCommand } from "../output/resume-command.ts"
import { sameRun } from "../state/halted-json.ts"
import { mark } from "../state/remember.ts"
import { answeredIn, findRunFile, originOf, uncountedIn } from "../state/saved-run.ts"
import { attendPerson, type Person } from "../terminal/person.ts"

/** `toolnexus answer`: records answers without going on; it needs no endpoint, no key and no tools. */
export async function answerCommand(
  given: { file: string; flags: RecordFlags },
  io: Io,
  output: Output,
): Promise<number> {
  const { flags } = given
  const state = openState(io)
  const saved = findRunFile(given.file, io.cwd, state)
  output.about({ file: saved.file })
  const listed = await readAnswerFiles(flags.answers, io.cwd)
  const journal = await openRun(saved.file, { mode: "existing" })
  let ours: { runId: string; file: string } | undefined
  try {
    const record = await readRun(saved.file)
    if (originOf(record.runId, saved.file, state).from === "here") ours = { runId: record.runId, file: saved.file }
    if (ours) mark(state, ours, "open")
    output.about({ file: saved.file, record })
    for (const line of [...record.warnings, ...sameRun(saved, record)]) output.say(line)
    if (!hasAnswers(flags))
      return await askAll({ record, journal, flags, io, output, file: saved.file, shown: saved.shown })
    const open = record.result.suspended ?? []
    const answered = answeredIn(record)
    const unused = record.recorded.map(({ id }) => id)
    const answers = answersFrom(flags, { open, answered, unused, listed, env: io.env })
    const after = await recordAnswers(journal, answers, recording(io))
    const lines = [...repeatLines(answers, { open, answered }), ...ownWordLines(open, answers)]
    for (const line of lines) output.notice(line)
    return sayRecorded(after, { file: saved.file, shown: saved.shown, io, output })
  } finally {
    if (ours) mark(state, ours, "sealed")
    await journal.close()
  }
}

/** With what answers are recorded: what relayed calls gave is masked as a run would. */
function recording(io: Io): Parameters<typeof recordAnswers>[2] {
  return { clock: io.clock, masks: usersMasks(io) }
}

interface Asking {
  record: RunRecord
  journal: RunFile
  flags: RecordFlags
  io: Io
  output: Output
  file: string
  shown: string
}

/** Each open request in call order, until the person leaves. */
async function askAll(asking: Asking): Promise<number> {
  const { record, journal, flags, io, output } = asking
  const cwd = originOf(record.runId, asking.file, openState(io)).remembered?.cwd ?? io.cwd
  const person = attendPerson({ asks: flags.input ? "at the terminal" : "nobody", cwd, io, output })
  try {
    let after = record
    for (const request of record.result.suspended ?? []) {
      if (request.kind === "secret") {
        output.say(
          `${request.id} asks for a secret, which is not recorded in a file: it is asked when the run is resumed`,
        )
        continue
      }
      const answer = await ask(request, person, record.drafts[request.id])
      if (!answer) break
      after = await recordAnswers(journal, [answer], recording(io))
    }
    const open = after.result.suspended ?? []
    const isLeft = open.length > 0 && after === record
    const exitCode = sayRecorded(after, { ...asking, why: open.length > 0 ? person.whyOpen() : undefined })
    return person.stoppedBy() ? person.exitCode() : isLeft ? EXIT.halted : exitCode
  } finally {
    person.close()
  }
}

async function ask(request: Request, person: Person, draft: string | undefined): Promise<Answer | undefined> {
  const drafts = draft === undefined ? {} : { draft }
  return person.waitFor?.(request, { signal: person.signal, saveDraft: () => {}, ...drafts })
}

interface Saying {
  file: string
  shown: string
  io: Io
  output: Output
  why?: string | undefined
}

function sayRecorded(record: RunRecord, { file, shown, io, output, why }: Saying): number {
  const open = record.result.suspended ?? []
  output.result(reportOf(record.result, file))
  if (record.status === "done") {
    output.say("this run is finished: nothing is open")
    return EXIT.done
  }
  const isElsewhere = originOf(record.runId, file, openState(io)).from === "elsewhere"
  const uncounted = isElsewhere ? uncountedIn(record) : []
  if (open.length === 0) output.say(`nothing is open any more${uncounted.length > 0 ? "" : "; this goes on with it:"}`)
  else {
    const count = open.length === 1 ? "one request is open" : `${open.length} requests are open`
    output.say(`${count}${why === undefined ? "" : ` (${why})`}:`)
    for (const line of openRequestLines(open)) output.say(line)
  }
  if (uncounted.length > 0)
    output.say(
      `the file is from elsewhere: what is recorded in it (${uncounted.join(", ")}) counts with this option only:`,
    )
  const options = [
    ...raisingOption(record.result, record.events),
    ...(uncounted.length > 0 ? ["--accept-recorded"] : []),
  ]
  output.last(resumeCommand(shown, io, options))
  return EXIT.done
}
