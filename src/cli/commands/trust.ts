import { existsSync, realpathSync } from "node:fs"
import { join, resolve } from "node:path"
import { ToolnexusError } from "../../index.ts"
import type { TrustFlags } from "../command-line/options.ts"
import { openState, requireFolder } from "../configuration/settings.ts"
import type { Io } from "../io.ts"
import { EXIT } from "../output/exit-code.ts"
import type { Output } from "../output/output.ts"
import {
  type LookedOver,
  lookOver,
  type Project,
  readProjects,
  recordOf,
  type Trust,
  trustIn,
} from "../projects/projects.ts"
import { factsOf } from "../projects/trust-facts.ts"
import { type TrustStore, trustStore } from "../projects/trust-store.ts"
import { escapeLine } from "../terminal/escape.ts"
import { attendPerson, type Person } from "../terminal/person.ts"
import { jsonLine } from "../words/json-line.ts"

/** What the person is shown and asked about. */
interface Shown {
  project: Project
  lookedOver: LookedOver
  trust: Trust
}

/** `toolnexus trust`: shows what a project's configuration would let, and asks a person whether it may. */
export async function trustCommand(
  given: { folder: string | undefined; flags: TrustFlags },
  io: Io,
  output: Output,
): Promise<number> {
  const { folder = ".", flags } = given
  if (flags.list) return listTrusted(io, output)
  if (flags.revoke) return revoke(resolve(io.cwd, folder), io, output)
  const cwd = resolve(io.cwd, folder)
  requireFolder(cwd)
  const { root, projects } = readProjects(cwd, io.env)
  if (projects.length === 0) throw nothingThere(cwd)
  const store = trustStore(openState(io), root)
  const shown = projects.map((project) => ({ project, lookedOver: lookOver(project), trust: trustIn(project, store) }))
  const person = attendPerson({ asks: flags.input ? "at the terminal" : "nobody", cwd, io, output })
  try {
    return await decide(shown, { store, person, io, output })
  } finally {
    person.close()
  }
}

interface Around {
  store: TrustStore
  person: Person
  io: Io
  output: Output
}

/** One question for each folder; silence is never yes. */
async function decide(all: readonly Shown[], around: Around): Promise<number> {
  const { store, person, io, output } = around
  let code: number = EXIT.done
  const results: object[] = []
  for (const shown of all) {
    const { project, lookedOver, trust } = shown
    const answer = trust.is === "trusted" ? "already" : await ask(shown, person)
    if (answer === "yes") store.save(recordOf(project, lookedOver, new Date(io.clock.now()).toISOString()))
    results.push({
      folder: project.folder,
      trusted: answer === "yes" || answer === "already",
      lets: factsOf(lookedOver, project),
    })
    say(answer, shown, around)
    if (answer === "nobody") code = EXIT.usage
    if (answer === "no" || answer === "left") code = EXIT.refused
    if (answer === "left" || answer === "nobody") break
  }
  if (output.mode !== "text") output.printer.out(jsonLine({ projects: results }))
  return person.stoppedBy() ? person.exitCode() : code
}

type Said = "yes" | "no" | "left" | "nobody" | "already"

const YES = "Trust it, as it is now"
const NO = "Do not trust it"

async function ask(shown: Shown, { waitFor, signal, whyOpen }: Person): Promise<Said> {
  const prompt = [...textOf(shown), "", `Trust ${escapeLine(shown.project.folder)}?`].join("\n")
  // A closed choice, nothing highlighted: there is nothing else that could be typed.
  const schema = { type: "string", enum: [YES, NO] }
  const answer = await waitFor?.(
    { id: "trust", kind: "input", prompt, data: { schema } },
    { signal, saveDraft: () => {} },
  )
  if (answer?.ok === true) return answer.data?.output === YES ? "yes" : "no"
  if (answer) return "no"
  return whyOpen() === undefined ? "left" : "nobody"
}

/** Harmless lines: nothing that the project says passes for one of ours. */
function textOf({ project, lookedOver, trust }: Shown): string[] {
  const changed = trust.is === "changed" ? [`changed since it was trusted: ${trust.files.join(", ")}`] : []
  const facts = factsOf(lookedOver, project)
  return [
    `The configuration of ${project.folder} would let count:`,
    ...[...changed, ...facts].map((fact) => `- ${fact}`),
  ].map(escapeLine)
}

function say(answer: Said, shown: Shown, { person, output }: Around): void {
  const { folder } = shown.project
  if (answer === "yes") output.notice(`${folder} is trusted as it is now; after any change of its files it is not`)
  if (answer === "already") output.notice(`${folder} is trusted already, and has not changed`)
  if (answer === "no" || answer === "left") output.say(`${folder} is not trusted`)
  if (answer !== "nobody") return
  if (output.mode === "text") for (const line of textOf(shown)) output.printer.out(`${line}\n`)
  output.say(`${folder} is not trusted: nobody could be asked (${person.whyOpen()})`)
  output.say("look at it at a terminal; to let it count for one run without a person: --trust-project")
}

/** Lists the folders that are trusted, each with whether it has changed since. */
function listTrusted(io: Io, output: Output): number {
  const store = trustStore(openState(io), undefined)
  const listed = store.all().map(({ folder, at }) => ({ folder, at, now: stateOf(folder, store, io) }))
  if (output.mode === "text") {
    for (const { folder, at, now } of listed)
      output.printer.out(`${escapeLine(`${folder}  ${at.slice(0, 10)}  ${now}`)}\n`)
    if (listed.length === 0) output.notice("no folder is trusted")
  } else output.printer.out(jsonLine({ trusted: listed }))
  return EXIT.done
}

function stateOf(folder: string, store: TrustStore, { env }: Io): string {
  if (!existsSync(folder)) return "gone"
  try {
    const project = readProjects(folder, env).projects.find((it) => it.folder === folder)
    return project && trustIn(project, store).is === "trusted" ? "trusted" : "changed since: not trusted"
  } catch {
    return "broken since: not trusted" // using it says what is wrong
  }
}

/** Forgets that a folder is trusted, and those above it that count for it. */
function revoke(folder: string, io: Io, output: Output): number {
  const store = trustStore(openState(io), undefined)
  const real = existsSync(folder) ? realpathSync(folder) : folder
  const above = existsSync(folder) ? readProjects(folder, io.env).projects.map((project) => project.folder) : []
  const revoked = [...new Set([real, ...above])].filter((it) => store.remove(it))
  if (output.mode !== "text") output.printer.out(jsonLine({ revoked }))
  for (const it of revoked) output.notice(`${it} is not trusted any more`)
  if (revoked.length === 0) output.notice(`${real} was not trusted`)
  return EXIT.done
}

function nothingThere(cwd: string): ToolnexusError {
  const files = [join(".toolnexus", "config.json"), ".mcp.json"].join(" or ")
  return new ToolnexusError(
    "usage",
    `there is nothing to trust: no ${files} in ${cwd}, or above it in its repository; name a folder that has one`,
  )
}
