import { statSync } from "node:fs"
import { resolve } from "node:path"
import {
  type Answer,
  type Client,
  openRun,
  type Request,
  type RunFile,
  type RunRecord,
  type RunResult,
  readRun,
  recordAnswers,
  type Toolkit,
  ToolnexusError,
} from "../../index.ts"
import { answersFrom, hasAnswers } from "../answer-flags.ts"
import { conductRun, type WatchedOptions } from "../conduct.ts"
import { equip } from "../equipment.ts"
import { EXIT } from "../exit-code.ts"
import type { Io } from "../io.ts"
import { liveOutputFor } from "../live-output.ts"
import { usersMasks } from "../masks.ts"
import type { RunFlags } from "../options.ts"
import type { Output } from "../output.ts"
import { attendPerson, type Person } from "../person.ts"
import { createProgress, type Progress } from "../progress.ts"
import { mark, remember } from "../remember.ts"
import { reportOf } from "../report.ts"
import { resumeCommand as commandThatResumes, showCommand } from "../resume-command.ts"
import { planResume, requireTools } from "../resume-plan.ts"
import {
  answeredIn,
  findSavedRun,
  type Origin,
  openAnew,
  openIn,
  originOf,
  rememberedOf,
  removeIfEmpty,
  type SavedRun,
  uncountedIn,
} from "../saved-run.ts"
import { flagLimits, flagRules, openState, readSettings, type Settings } from "../settings.ts"
import type { StateFolder } from "../state-folder.ts"

interface Resuming {
  flags: RunFlags
  saved: SavedRun
  /** What the file said when it had this size. */
  seen?: { record: RunRecord; bytes: number }
  state: StateFolder
  io: Io
  output: Output
}

/** `toolnexus resume`: goes on with a saved run. */
export async function resumeCommand(given: { file: string; flags: RunFlags }, io: Io, output: Output): Promise<number> {
  const { flags } = given
  const state = openState(io)
  const saved = findSavedRun(given.file, io.cwd, state)
  if (flags.file !== undefined && resolve(io.cwd, flags.file) !== saved.file) {
    throw new ToolnexusError("usage", "a resume writes into the file that it resumes: leave --file out")
  }
  const resuming = { flags, saved, state, io, output }
  if (saved.kind === "plain") return attended(resuming)
  output.about({ file: saved.file })
  const bytes = statSync(saved.file).size // asked before it is read: what is written meanwhile counts as later
  const record = await readRun(saved.file)
  output.about({ file: saved.file, record })
  for (const warning of record.warnings) output.say(warning)
  return record.status === "done" ? sayAgain(resuming, record) : attended({ ...resuming, seen: { record, bytes } })
}

/** A finished run: its result again. An answer that it holds already changes nothing, any other is refused. */
async function sayAgain({ flags, saved, io, output }: Resuming, record: RunRecord): Promise<number> {
  if (hasAnswers(flags)) {
    const answers = answersFrom(flags, { open: [], answered: answeredIn(record), env: io.env, cwd: io.cwd })
    const journal = await openRun(saved.file, { mode: "existing" })
    try {
      await recordAnswers(journal, answers, { clock: io.clock, masks: usersMasks(io) })
    } finally {
      await journal.close()
    }
  }
  output.say("this run is finished: this is its result once more")
  output.result(reportOf(record.result, saved.file))
  return EXIT.done
}

interface Attended extends Resuming {
  settings: Settings
  person: Person
}

async function attended(resuming: Resuming): Promise<number> {
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

async function resumeLocked(attended: Attended): Promise<number> {
  const { saved } = attended
  const journal = await openRun(saved.file, { mode: saved.kind === "plain" ? "new" : "existing" })
  try {
    return await resumeIn(journal, attended)
  } finally {
    await journal.close()
    if (saved.kind === "plain") removeIfEmpty(saved.file)
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
  const answers = answersOf(resuming)
  if (record && origin.from === "elsewhere") sayUncounted(record, answers, flags, output)
  const live = liveOutputFor(flags, { output, masks: resuming.settings.masks, clock: io.clock })
  const plan = planResume({ ...resuming, live })
  const { client, toolkit, stopWaiting } = await equip(plan, person, io, output)
  let runId = record?.runId
  const close = async () => {
    stopWaiting()
    if (origin.from === "here" && runId !== undefined) mark(state, { runId, file: saved.file }, "sealed")
    await Promise.all([journal.close(), toolkit.close()])
  }
  try {
    requireTools({ origin, record }, toolkit)
  } catch (error) {
    await close()
    throw error
  }
  if (origin.from === "here" && record) mark(state, { runId: record.runId, file: saved.file }, "open")
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
      runId: record?.runId ?? "",
      resumeCommand: commandThatResumes(saved.shown, io),
      showCommand: plan.endpoint.kind === "demo" || flags.verbose ? showCommand(saved.shown, io) : undefined,
      onStart(id) {
        runId = id
        const { endpoint, choice, cwd } = plan
        const rules = flagRules(flags, origin.remembered)
        remember(state, { runId: id, file: saved.file, made: origin.from, endpoint, ...choice, rules, cwd }, output)
      },
      goOn: (limits, watched) => client.resume(journal, [], { ...watched, toolkit, limits }),
      close,
    },
    (watched) => goOn({ client, toolkit, journal, answers, ...resuming }, watched),
  )
}

/** What was allowed for the rest of the run before: what this process does not ask about. */
function grantLines(progress: Progress, origin: Origin): string[] {
  const grants = progress.grants()
  if (origin.from === "here") return grants.map((grant) => `granted for the rest of this run: ${grant}`)
  return grants.length === 0 ? [] : ["what this file grants for the rest of the run does not count here"]
}

/** Answers of elsewhere that are in the file and that nobody here stood by or gave himself. */
function sayUncounted(record: RunRecord, given: readonly Answer[], flags: RunFlags, output: Output): void {
  const ids = uncountedIn(record).filter((id) => !given.some((answer) => answer.id === id))
  if (flags.acceptRecorded || ids.length === 0) return
  output.say(`this file is from elsewhere, and what is recorded in it does not count (${ids.join(", ")}):`)
  output.say("it is asked again; --accept-recorded stands by it")
}

function openFor(record: RunRecord, origin: Origin, flags: RunFlags): readonly Request[] {
  const isAnew = origin.from === "elsewhere" && !flags.acceptRecorded
  return isAnew ? openAnew(record) : (record.result.suspended ?? [])
}

function answersOf({ saved, flags, io, output, origin, record }: Locked): Answer[] {
  const open = saved.kind === "plain" ? openIn(saved.halted) : record ? openFor(record, origin, flags) : []
  const answers = answersFrom(flags, { open, answered: record ? answeredIn(record) : [], env: io.env, cwd: io.cwd })
  output.withhold(open, answers)
  return answers
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
