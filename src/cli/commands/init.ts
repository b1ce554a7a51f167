import { realpathSync } from "node:fs"
import { isToolnexusError, ToolnexusError } from "../../index.ts"
import { folderOf } from "../configuration/config-file.ts"
import { configurationIn, readUserConfiguration } from "../configuration/configuration.ts"
import { configurationFile } from "../configuration/place.ts"
import { problemIn } from "../configuration/settings-reader.ts"
import { chooseEndpoint } from "../endpoint/endpoint-settings.ts"
import { type Decision, decideInit } from "../init/decision.ts"
import type { InitFlags } from "../init/options.ts"
import { configurationOf, configurationText, type InitPlan, suggestedPlan } from "../init/plan.ts"
import { type NewProject, newProject, requireNew, requireNoExample, writeProject } from "../init/project.ts"
import type { Io } from "../io.ts"
import { errorText } from "../output/error-text.ts"
import { EXIT } from "../output/exit-code.ts"
import type { Output } from "../output/output.ts"
import { programWords, shellQuote } from "../output/resume-command.ts"
import { foldersUpwards } from "../projects/projects.ts"
import { attendPerson, type Person } from "../terminal/person.ts"
import { whyNobody } from "../terminal/why-nobody.ts"
import { durationText } from "../words/duration.ts"
import { homePath } from "../words/home-path.ts"
import { jsonLine } from "../words/json-line.ts"

interface Around {
  project: NewProject
  flags: InitFlags
  /** Whether the user has one. */
  endpoint: "there" | "missing"
  person: Person
  io: Io
  output: Output
}

/** `toolnexus init`: a project's configuration, of what a person chose; nothing is written over, and nothing before the last answer. */
export async function initCommand(flags: InitFlags, io: Io, output: Output): Promise<number> {
  const folder = folderOf(flags, io)
  const project = newProject(flags.cwd === undefined ? (foldersUpwards(folder).at(-1) ?? folder) : folder)
  requireNew(project)
  if (flags.exampleTools) requireNoExample(project)
  requireReadable(suggestedPlan(flags, project.folder), project)
  const user = readUserConfiguration(configurationFile(io))
  const isChosen = chooseEndpoint({ flags: {}, env: io.env, user }).kind === "chosen"
  const endpoint = isChosen ? "there" : "missing"
  const person = attendPerson({ asks: flags.input ? "at the terminal" : "nobody", cwd: io.cwd, io, output })
  try {
    return await init({ project, flags, endpoint, person, io, output })
  } finally {
    person.close()
  }
}

async function init(around: Around): Promise<number> {
  const { project, flags, endpoint, person, io } = around
  if (flags.yes) return write(suggestedPlan(flags, project.folder), { is: "write" }, around)
  const why = flags.input ? whyNobody(io) : "nobody is asked with --no-input"
  if (why !== undefined) return sayNobody(why, around)
  const { askForPlan } = await import("../init/questions.ts")
  const plan = await askForPlan({ project, flags, endpoint, io, signal: person.signal })
  if (!plan) return sayNothing(around)
  const decision = await decideInit(plan, around)
  return decision.is === "nothing" ? sayNothing(around) : write(plan, decision, around)
}

/** Whatever a run would refuse of it is refused before anything is asked. */
function requireReadable(plan: InitPlan, { file }: NewProject): void {
  try {
    configurationIn({ file, root: configurationOf(plan) })
  } catch (error) {
    if (!isToolnexusError(error)) throw error
    throw new ToolnexusError("usage", `${problemIn(error, file)}: nothing is written`)
  }
}

async function write(plan: InitPlan, decision: Exclude<Decision, { is: "nothing" }>, around: Around): Promise<number> {
  const { project, io, output } = around
  const files = writeProject(project, plan)
  for (const file of files) output.notice(`written: ${homePath(file, io)}`)
  if (around.flags.yes) for (const line of configurationText(plan).trimEnd().split("\n")) output.notice(`  ${line}`)
  const isTrusted = decision.is === "write and trust" && trust(decision, around)
  if (plan.profile) {
    const { saveEndpoint } = await import("../endpoint/endpoint-setup.ts")
    const made = await saveEndpoint(plan.profile, io)
    output.notice(`saved as the profile ${made.name} in ${homePath(made.file, io)}`)
  }
  if (!isTrusted) {
    output.notice(
      "it is not trusted yet: until somebody looks at it, only its ask and deny rules and lower limits count",
    )
  }
  const next = nextCommand(plan, isTrusted, around)
  output.notice(`next: ${next}`)
  if (output.mode === "text") output.printer.out(files.map((file) => `${file}\n`).join(""))
  else
    output.printer.out(
      jsonLine({ status: "written", files, configuration: configurationOf(plan), trusted: isTrusted, next }),
    )
  return EXIT.done
}

/** What cannot be kept is said; what is written is there all the same. */
function trust({ save }: Extract<Decision, { is: "write and trust" }>, { project, io, output }: Around): boolean {
  try {
    save()
    output.notice(`${homePath(project.folder, io)} is trusted as it is now; after any change of its files it is not`)
    return true
  } catch (error) {
    output.say(errorText(error))
    return false
  }
}

function nextCommand(plan: InitPlan, isTrusted: boolean, around: Around): string {
  const { project, endpoint, io } = around
  const isHere = project.folder === realpathSync(io.cwd)
  if (!isTrusted) return command(["trust", ...(isHere ? [] : [project.folder])], io)
  const demo = plan.profile || endpoint === "there" ? [] : ["--model", "demo"]
  const prompt = plan.tools === "none" ? "what has changed here, and why?" : "release this project"
  return command(
    ["run", ...demo, ...(demo.length > 0 ? [] : [prompt]), ...(isHere ? [] : ["--cwd", project.folder])],
    io,
  )
}

function command(words: readonly string[], io: Io): string {
  return [...programWords(io), ...words].map(shellQuote).join(" ")
}

function sayNothing({ person, output }: Around): number {
  output.say("nothing is written")
  if (output.mode !== "text") output.printer.out(jsonLine({ status: "declined", files: [] }))
  return person.stoppedBy() ? person.exitCode() : EXIT.refused
}

function sayNobody(why: string, { flags, io, output }: Around): number {
  output.say(`nothing is written: nobody could be asked (${why})`)
  output.notice("to write what is suggested without being asked:")
  if (output.mode !== "text") output.printer.out(jsonLine({ status: "pending", files: [] }))
  output.last(command(["init", ...wordsOf(flags), "--yes"], io))
  return EXIT.halted
}

/** What says the same again. */
function wordsOf({ cwd, allow, ask, deny, maxTurns, timeout, exampleTools }: InitFlags): string[] {
  const rules = Object.entries({ allow, ask, deny }).flatMap(([name, all]) =>
    all.flatMap((rule) => [`--${name}`, rule]),
  )
  return [
    ...(cwd === undefined ? [] : ["--cwd", cwd]),
    ...rules,
    ...(maxTurns === undefined ? [] : ["--max-turns", String(maxTurns)]),
    ...(timeout === undefined ? [] : ["--timeout", durationText(timeout)]),
    ...(exampleTools ? ["--example-tools"] : []),
  ]
}
