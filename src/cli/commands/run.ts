import { dirname, resolve } from "node:path"
import { openRun, type RunFile, ToolnexusError } from "../../index.ts"
import { hasAnswers } from "../answers/answer-flags.ts"
import type { RunFlags } from "../command-line/options.ts"
import { conductRun } from "../conduct.ts"
import {
  allRules,
  flagRules,
  openState,
  privateHosts,
  readSettings,
  runLimits,
  type Settings,
} from "../configuration/settings.ts"
import { endpointFor } from "../endpoint/endpoint-choice.ts"
import type { Endpoint } from "../endpoint/endpoint-settings.ts"
import { readToEnd } from "../files/given-file.ts"
import { problemOfFolder } from "../files/private-folder.ts"
import { NO_UTF8, utf8Text } from "../files/utf8-text.ts"
import type { Io } from "../io.ts"
import { liveOutputFor } from "../output/live-output.ts"
import type { Output } from "../output/output.ts"
import { createProgress } from "../output/progress.ts"
import { resumeCommand, showCommand } from "../output/resume-command.ts"
import { mark, remember, tellingFirst } from "../state/remember.ts"
import type { StateFolder } from "../state/state-folder.ts"
import { attendPerson, type Person } from "../terminal/person.ts"
import { type EquipmentOptions, equip } from "../tools/equipment.ts"
import { agentOf, chooseTools } from "../tools/tool-choice.ts"

/** What `--model demo` is asked where nothing else is. */
const DEMO_PROMPT = "Take me through it"

/** `toolnexus run`: a prompt, from its recording to a final text, a halt or a limit. */
export async function runCommand(
  given: { prompt: string | undefined; flags: RunFlags },
  io: Io,
  output: Output,
): Promise<number> {
  const { flags } = given
  refuseAnswers(flags)
  const settings = readSettings(flags.cwd ?? ".", flags, io, output)
  const person = attendPerson({ asks: flags.input ? "at the terminal" : "nobody", cwd: settings.cwd, io, output })
  try {
    const { user, projects } = settings
    const sources = { flags, user, projects, agentModel: agentOf(flags, settings)?.model }
    const endpoint = await endpointFor(sources, person, { io, output })
    if (person.signal.aborted || endpoint === "stopped") return person.exitCode()
    const prompt = await promptText(given.prompt, endpoint, io)
    return await runOn(endpoint, prompt, { flags, settings, person, io, output })
  } finally {
    person.close()
  }
}

interface Around {
  flags: RunFlags
  settings: Settings
  person: Person
  io: Io
  output: Output
}

async function runOn(endpoint: Endpoint, prompt: string, around: Around): Promise<number> {
  const { flags, settings, person, io, output } = around
  const rules = flagRules(flags, undefined)
  const { masks } = settings
  const live = liveOutputFor(flags, { output, masks, clock: io.clock })
  const options: EquipmentOptions = {
    endpoint,
    choice: chooseTools(flags, settings, io.cwd),
    rules: allRules(rules, settings),
    neverRemember: settings.neverRemember,
    limits: runLimits(flags, settings),
    systemPrompt: flags.system ?? agentOf(flags, settings)?.system,
    cwd: settings.cwd,
    privateHosts: privateHosts(settings),
    secretEnv: [],
    masks,
    live,
  }
  const { client, toolkit, stopWaiting } = await equip(options, person, io, output)
  const state = openState(io)
  const file = await newRunFile(flags.file, state, io).catch(async (error: unknown) => {
    await toolkit.close()
    throw error
  })
  let begun: string | undefined
  const journal = tellingFirst(file, "", (runId) => {
    begun = runId
    const { choice, cwd } = options
    remember(state, { runId, file: journal.file, made: "here", endpoint, ...choice, rules, cwd }, output)
  })
  if (endpoint.kind === "demo" && !saysItself(flags, output))
    output.notice("the demo model is a script, not a language model; nothing leaves this machine")
  const shown = flags.file ?? journal.file
  return conductRun(
    {
      flags,
      output,
      person,
      progress: createProgress(live),
      file: journal.file,
      resumeCommand: (options) => resumeCommand(shown, io, options),
      goOn: (limits, watched) => client.resume(journal, [], { ...watched, toolkit, limits }),
      showCommand: endpoint.kind === "demo" || flags.verbose ? showCommand(shown, io) : undefined,
      runId: "",
      close: async () => {
        stopWaiting()
        if (begun !== undefined) mark(state, { runId: begun, file: journal.file }, "sealed")
        await Promise.all([journal.close(), toolkit.close()])
      },
    },
    (watched) => client.run(prompt, { ...watched, toolkit, journal }),
  )
}

/** The demo model begins with the same words, and they are on the screen. */
function saysItself(flags: RunFlags, output: Output): boolean {
  return flags.output === "text" && flags.stream && output.printer.outIsTerminal
}

function refuseAnswers(flags: RunFlags): void {
  const { inDoubt: _, ...answers } = flags // how a crash is dealt with may be said before there is one
  if (!hasAnswers(answers)) return
  throw new ToolnexusError(
    "usage",
    "a run that begins has no open request to answer: answer it when it has halted, with toolnexus resume FILE",
  )
}

async function promptText(prompt: string | undefined, endpoint: Endpoint, io: Io): Promise<string> {
  const text = prompt === "-" ? await stdinText(io) : prompt
  if (text === undefined && endpoint.kind === "demo") return DEMO_PROMPT
  if (text !== undefined && text.trim() !== "") return text
  const fact = prompt === "-" ? "stdin holds no prompt" : "there is no prompt"
  throw new ToolnexusError(
    "usage",
    `${fact}: say what to do, as in toolnexus run "tidy up the changelog", or - to read it from stdin`,
  )
}

/** More than any model is sent. */
const MAX_PROMPT_BYTES = 64 * 1024 * 1024

async function stdinText(io: Io): Promise<string> {
  const seen = await readToEnd(io.stdin(), MAX_PROMPT_BYTES)
  const text = seen.is === "file" ? utf8Text(seen.bytes) : undefined
  if (text !== undefined) return text
  const fact = seen.is === "unusable" ? seen.fact : NO_UTF8
  throw new ToolnexusError("usage", `stdin cannot be the prompt: ${fact}; send a text`)
}

async function newRunFile(given: string | undefined, state: StateFolder, io: Io): Promise<RunFile> {
  if (given === undefined) return openRun(state.newRunFile(io.clock.now()), { mode: "new" })
  const file = resolve(io.cwd, given)
  const problem = problemOfFolder(dirname(file))
  if (problem !== undefined) throw new ToolnexusError("usage", `--file ${given}: ${problem}`)
  return openRun(file, { mode: "new" })
}
