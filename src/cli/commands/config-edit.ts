import { isToolnexusError, ToolnexusError } from "../../index.ts"
import { type ConfigurationPlace, changeConfiguration } from "../configuration/change-configuration.ts"
import { aroundOf, placeOf, sayTrust } from "../configuration/config-file.ts"
import type { ConfigFileFlags } from "../configuration/config-options.ts"
import { configurationIn, parseJson } from "../configuration/configuration.ts"
import { problemOfWhole } from "../configuration/setting-use.ts"
import { brokenConfiguration, problemIn } from "../configuration/settings-reader.ts"
import { lookAtFile } from "../files/look-at-file.ts"
import type { Io } from "../io.ts"
import { EXIT } from "../output/exit-code.ts"
import type { Output } from "../output/output.ts"
import { editFile } from "../terminal/edit-text.ts"
import { escapeLine } from "../terminal/escape.ts"
import { attendPerson } from "../terminal/person.ts"
import { whyNobody } from "../terminal/why-nobody.ts"
import { homePath } from "../words/home-path.ts"
import { jsonLine } from "../words/json-line.ts"

/** What a new file is begun with. */
const EMPTY = "{\n}\n"

interface Around {
  place: ConfigurationPlace
  io: Io
  output: Output
}

/** `toolnexus config edit`: the file in an editor; what is saved is checked before it replaces the file. */
export async function configEditCommand(flags: ConfigFileFlags, io: Io, output: Output): Promise<number> {
  const place = placeOf(flags, io)
  const why = whyNobody(io)
  if (why !== undefined) {
    throw new ToolnexusError(
      "usage",
      `an editor needs a terminal (${why}): change single settings with toolnexus config set NAME VALUE`,
    )
  }
  return edit({ place, io, output })
}

async function edit(around: Around): Promise<number> {
  const { place, io, output } = around
  let before = textOf(place.file)
  let draft = before === "" ? EMPTY : before
  while (true) {
    draft = await inEditor(draft, io)
    if (draft === before || (before === "" && draft === EMPTY)) return done("as it was", around)
    const problem = problemOf(draft, around) ?? (await replace(before, draft, around))
    if (problem === undefined) return done("changed", around)
    if (problem === CHANGED) before = textOf(place.file)
    const dropped = await askAgain(problem, around)
    if (dropped === "again") continue
    output.say(`not taken: ${problem}`)
    output.say(`${homePath(place.file, io)} is as it was: what you edited is dropped`)
    return dropped
  }
}

/** Ctrl-C is the editor's: the terminal tells all of its group. */
async function inEditor(text: string, io: Io): Promise<string> {
  const stopListening = io.onSignal("SIGINT", () => {})
  try {
    return await editFile({ name: "config.json", text }, io.env)
  } finally {
    stopListening()
  }
}

/**
 * Whatever it holds: what is broken is what there is to mend.
 *
 * @throws ToolnexusError `configuration` for what no editor could put right, such as a pipe
 */
function textOf(file: string): string {
  const seen = lookAtFile(file, MAX_BYTES)
  if (seen.is === "unusable") throw brokenConfiguration(file, `cannot be read (${seen.fact})`)
  return seen.is === "absent" ? "" : seen.bytes.toString("utf8")
}

/** More than a run takes: one that is too large is opened too. */
const MAX_BYTES = 64 * 1024 * 1024

const CHANGED = "another process has changed the file meanwhile; what you save next takes its place"

/** @returns a line, where it is another file by now */
function replace(before: string, text: string, { place, io }: Around): Promise<string | undefined> {
  if (textOf(place.file) !== before) return Promise.resolve(CHANGED)
  return changeConfiguration(
    io,
    (file) => {
      if (file.text !== before) return CHANGED
      file.replace(text)
      return undefined
    },
    { ...place, before: "replaced" },
  )
}

/** Why a run would refuse it. */
function problemOf(text: string, { place, io, output }: Around): string | undefined {
  const { file } = place
  try {
    const root = parseJson(file, Buffer.from(text))
    const configuration = configurationIn({ file, root })
    const [unknown] = configuration.unknown
    if (unknown !== undefined) return `there is no setting ${unknown}`
    return problemOfWhole(configuration, root, aroundOf(place, io, output))
  } catch (error) {
    if (isToolnexusError(error)) return problemIn(error, file)
    throw error
  }
}

const AGAIN = "Edit it again"
const DROP = "Drop what I edited"

/** @returns `again`, or the exit code of who drops it */
async function askAgain(problem: string, { place, io, output }: Around): Promise<"again" | number> {
  const fact = /^(?:is|must|says|cannot) /.test(problem) ? `it ${problem}` : problem
  const prompt = escapeLine(`${homePath(place.file, io)} cannot be replaced by this: ${fact}`)
  // A closed choice: there is nothing else that could be typed.
  const schema = { type: "string", enum: [AGAIN, DROP] }
  const person = attendPerson({ asks: "at the terminal", cwd: io.cwd, io, output })
  try {
    const answer = await person.waitFor?.(
      { id: "edit", kind: "input", prompt: `${prompt}\n\nWhat now?`, data: { schema } },
      { signal: person.signal, saveDraft: () => {} },
    )
    if (answer?.ok === true && answer.data?.output === AGAIN) return "again"
    return person.stoppedBy() ? person.exitCode() : EXIT.refused
  } finally {
    person.close()
  }
}

function done(what: "changed" | "as it was", { place, io, output }: Around): number {
  output.notice(`${homePath(place.file, io)} is ${what}`)
  if (what === "changed") sayTrust(place, io, output)
  if (output.mode !== "text") output.printer.out(jsonLine({ file: place.file, changed: what === "changed" }))
  return EXIT.done
}
