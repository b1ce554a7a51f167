import { statSync } from "node:fs"
import { resolve } from "node:path"
import {
  type Answer,
  type Client,
  isToolnexusError,
  openRun,
  type RunFile,
  type RunRecord,
  type RunResult,
  readRun,
  recordAnswers,
  type Toolkit,
  ToolnexusError,
} from "../../index.ts"
import { readAnswerFiles } from "../answers/answer-files.ts"
import { answersFrom, hasAnswers, repeatLines } from "../answers/answer-flags.ts"
import { answersForResume } from "../answers/resume-answers.ts"
import type { RunFlags } from "../command-line/options.ts"
import { conductRun, type WatchedOptions } from "../conduct.ts"
import { flagLimits } from "../configuration/limit-settings.ts"
import { usersMasks } from "../configuration/masks.ts"
import { flagRules, openState, readSettings, type Settings } from "../configuration/settings.ts"
import type { Io } from "../io.ts"
import { EXIT } from "../output/exit-code.ts"
import { liveOutputFor } from "../output/live-output.ts"
import type { Output } from "../output/output.ts"
import { createProgress, type Progress } from "../output/progress.ts"
import { reportOf } from "../output/report.ts"
import { resumeCommand as commandThatResumes, showCommand } from "../output/resume-command.ts"
import { sameRun } from "../state/halted-json.ts"
import { mark, remember, tellingFirst } from "../state/remember.ts"
import { planResume, requireTools } from "../state/resume-plan.ts"
import { answeredIn, findSavedRun, type Origin, originOf, rememberedOf, type SavedRun } from "../state/saved-run.ts"
import type { StateFolder } from "../state/state-folder.ts"
import { attendPerson, type Person } from "../terminal/person.ts"
import { type EquipmentOptions, equip } from "../tools/equipment.ts"

/** What the file said when it had this size. */
interface Seen {
  record: RunRecord
  bytes: number
}

interface Given {
  file: string
  flags: RunFlags
  /** What the files of `--answers` hold, once they are read. */
  listed?: readonly Answer[]
}

interface Resuming {
  flags: RunFlags
  saved: SavedRun
  listed: readonly Answer[]
  seen?: Seen
  state: StateFolder
  io: Io
  output: Output
}

/** `toolnexus resume`: goes on with a saved run. */
export async function resumeCommand(given: Given, io: Io, output: Output): Promise<number> {
  const { flags } = given
  const state = openState(io)
  const saved = findSavedRun(given.file, io.cwd, state)
  if (flags.file !== undefined && resolve(io.cwd, flags.file) !== saved.file) {
    throw new ToolnexusError("usage", "a resume writes into the file that it resumes: leave --file out")
  }
  const seen = saved.kind === "journal" ? await look(saved, output) : undefined
  // A pipe can be read once only.
  const listed = given.listed ?? (await readAnswerFiles(flags.answers, io.cwd))
  const resuming: Resuming = { flags, saved, listed, state, io, output, ...(seen ? { seen } : {}) }
  const exitCode = await (seen?.record.status === "done" ? sayAgain(resuming, seen.record) : attended(resuming))
  return exitCode === "begun meanwhile" ? resumeCommand({ ...given, listed }, io, output) : exitCode
}

async function look(saved: SavedRun & { kind: "journal" }, output: Output): Promise<Seen> {
  const { file } = saved
  output.about({ file })
  const bytes = statSync(file).size // asked before it is read: what is written meanwhile counts as later
  const record = await readRun(file)
  output.about({ file, record })
  for (const line of [...record.warnings, ...sameRun(saved, record)]) output.say(line)
  return { record, bytes }
}

/** Of a halted result as plain JSON: another process has made the run of it, and is done with it. */
type ExitCode = number | "begun meanwhile"

/** A finished run: its result again. An answer that it holds already changes nothing, any other is refused. */
async function sayAgain({ flags, saved, listed, io, output }: Resuming, record: RunRecord): Promise<number> {
  if (hasAnswers(flags)) {
    const known = { open: [], answered: answeredIn(record) }
    const answers = answersFrom(flags, { ...known, listed, env: io.env })
    const journal = await openRun(saved.file, { mode: "existing" })
    try {
      await recordAnswers(journal, answers, { clock: io.clock, masks: usersMasks(io) })
    } finally {
      await journal.close()
    }
    for (const line of repeatLines(answers, known)) output.notice(line)
  }
  output.say("this run is finished: this is its result once more")
  output.result(reportOf(record.result, saved.file))
  return EXIT.done
}

interface Attended extends Resuming {
  settings: Settings
  person: Person
}

async function attended(resuming: Resuming): Promise<ExitCode> {
  const { flags, saved, seen, state, io, output } = resuming
  const [runId, file] = seen ? [seen.record.runId, saved.file] : [plainRunId(saved), undefined]
  const settings = readSettings(flags.cwd ?? rememberedOf(runId, file, state)?.cwd ?? ".", flags, io, output)
  const person = attendPerson({ asks: flags.input ? "at the terminal" : "nobody", cwd: settings.cwd, io, output })
  try {
    return await resumeLocked({ ...resuming, settings, person })
  } finally {
    person.close()
  }
}

async function resumeLocked(attended: Attended): Promise<ExitCode> {
  const { saved } = attended
  const journal = await (saved.kind === "plain"
    ? openUnbegun(saved.file, attended.output)
    : openRun(saved.file, { mode: "existing" }))
  if (!journal) return "begun meanwhile"
  try {
    return await resumeIn(journal, attended)
  } finally {
    await journal.close()
  }
}

/** @returns `undefined` where another process has begun it meanwhile */
async function openUnbegun(file: string, output: Output): Promise<RunFile | undefined> {
  try {
    const journal = await openRun(file, { mode: "unbegun" })
    for (const warning of journal.warnings) output.say(warning)
    return journal
  } catch (error) {
    if (isToolnexusError(error) && error.code === "exists") return undefined
    throw error
  }
}

/** With what is known once nobody else can write the file. */
interface Locked extends Attended {
  record: RunRecord | undefined
  origin: Origin
}

async function locked(attended: Attended): Promise<Locked> {
  const { saved, seen, state } = attended
  if (!seen) return { ...attended, record: undefined, origin: originOf(plainRunId(saved), undefined, state) }
  const isUnchanged = seen.record.holder === undefined && statSync(saved.file).size === seen.bytes
  const record = isUnchanged ? seen.record : await readRun(saved.file)
  return { ...attended, record, origin: originOf(record.runId, saved.file, state) }
}

function plainRunId(saved: SavedRun): string {
  return saved.kind === "plain" ? (saved.halted.runId ?? "") : ""
}

async function resumeIn(journal: RunFile, attended: Attended): Promise<number> {
  const resuming = await locked(attended)
  const { flags, saved, state, io, output, origin, person, record } = resuming
  const answers = answersForResume(resuming)
  const live = liveOutputFor(flags, { output, masks: resuming.settings.masks, clock: io.clock })
  const plan = planResume({ ...resuming, live })
  const { client, toolkit, stopWaiting } = await equip(plan, person, io, output)
  const ours = origin.from === "here" && record ? { runId: record.runId, file: saved.file } : undefined
  const close = async () => {
    stopWaiting()
    if (ours) mark(state, ours, "sealed")
    await Promise.all([journal.close(), toolkit.close()])
  }
  try {
    requireTools({ origin, record }, toolkit)
  } catch (error) {
    await close()
    throw error
  }
  if (ours) mark(state, ours, "open")
  const rememberOnce = rememberingOnce(resuming, plan)
  const runId = record?.runId ?? (await begunAs(journal))
  const telling = tellingFirst(journal, runId, rememberOnce)
  const progress = createProgress(live)
  for (const event of record?.events ?? []) progress.see(event)
  for (const line of grantLines(progress, origin)) output.notice(line)
  return conductRun(
    {
      flags,
      output,
      person,
      progress,
      file: saved.file,
      runId,
      resumeCommand: (options) => commandThatResumes(saved.shown, io, options),
      showCommand: plan.endpoint.kind === "demo" || flags.verbose ? showCommand(saved.shown, io) : undefined,
      goOn: (limits, watched) => client.resume(telling, [], { ...watched, toolkit, limits }),
      close,
    },
    async (watched) => {
      const result = await goOn({ client, toolkit, journal: telling, answers, ...resuming }, watched)
      rememberOnce(result.runId) // also where nothing was to be recorded
      return result
    },
  )
}

/** The run that a process was ended while it began; empty where its first line is still to be written. */
async function begunAs(journal: RunFile): Promise<string> {
  const [first] = await journal.read()
  return first?.type === "run.started" ? first.runId : ""
}

/** What is used from now on: the options count for the next resume too. */
function rememberingOnce({ flags, saved, state, origin, output }: Locked, plan: EquipmentOptions) {
  let isRemembered = false
  return (runId: string): void => {
    if (isRemembered) return
    isRemembered = true
    const { endpoint, choice, cwd } = plan
    const rules = flagRules(flags, origin.remembered)
    remember(state, { runId, file: saved.file, made: origin.from, endpoint, ...choice, rules, cwd }, output)
  }
}

/** What was allowed for the rest of the run before: what this process does not ask about. */
function grantLines(progress: Progress, origin: Origin): string[] {
  const grants = progress.grants()
  if (origin.from === "here") return grants.map((grant) => `granted for the rest of this run: ${grant}`)
  return grants.length === 0 ? [] : ["what this file grants for the rest of the run does not count here"]
}

interface GoingOn extends Locked {
  client: Client
  toolkit: Toolkit
  journal: RunFile
  answers: Answer[]
}

function goOn(going: GoingOn, watched: WatchedOptions): Promise<RunResult> {
  const { client, toolkit, journal, answers, saved, flags, origin } = going
  const limits = flagLimits(flags)
  if (saved.kind === "plain") return client.resume(saved.halted, answers, { ...watched, toolkit, journal, limits })
  const foreign = flags.acceptRecorded ? "accept recorded" : "ask again"
  return client.resume(journal, answers, {
    ...watched,
    toolkit,
    limits,
    ...(origin.from === "elsewhere" ? { foreign } : {}),
  })
}
