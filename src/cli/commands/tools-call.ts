import { type Request, type RunResult, type Toolkit, ToolnexusError } from "../../index.ts"
import type { ByHand } from "../endpoint-settings.ts"
import { type EquipmentOptions, equip } from "../equipment.ts"
import { EXIT } from "../exit-code.ts"
import type { Io } from "../io.ts"
import { isRecord } from "../is-record.ts"
import { jsonLine } from "../json-line.ts"
import { jsonProblem } from "../json-problem.ts"
import type { ToolCallFlags } from "../options.ts"
import type { Output } from "../output.ts"
import { attendPerson, type Person } from "../person.ts"
import { createProgress } from "../progress.ts"
import { openRequestLines } from "../request-line.ts"
import { allRules, flagRules, privateHosts, readSettings, type Settings } from "../settings.ts"
import { chooseTools } from "../tool-choice.ts"

/** `toolnexus tools call`: runs one tool by hand, under the same rules as a model's call. Nothing of it is saved. */
export async function toolsCallCommand(
  { name, flags }: { name: string; flags: ToolCallFlags },
  io: Io,
  output: Output,
): Promise<number> {
  const args = requireObject(flags.args)
  const settings = readSettings(flags.cwd ?? ".", flags, io, output)
  const person = attendPerson({ asks: flags.input ? "at the terminal" : "nobody", cwd: settings.cwd, io, output })
  let close = async () => {}
  const options = optionsFor(callByHand(name, args), flags, settings, io)
  try {
    const { client, toolkit } = await equip(options, person, io, output)
    close = () => toolkit.close()
    requireTool(name, toolkit)
    const progress = createProgress()
    const result = await client.run(`Call ${name}`, {
      toolkit,
      signal: person.signal,
      onEvent(event) {
        for (const { level, text } of progress.lines(event)) output[level](text)
      },
    })
    return tell(name, result, person, output)
  } finally {
    await close()
    person.close()
  }
}

/** What stands in the place of a model: it wants the one call, and then nothing more. */
function callByHand(name: string, args: string): ByHand {
  let isCalled = false
  return {
    kind: "by hand",
    generate() {
      if (isCalled) return { text: "" }
      isCalled = true
      return { toolCalls: [{ name, input: args }] }
    },
  }
}

function optionsFor(endpoint: ByHand, flags: ToolCallFlags, settings: Settings, io: Io): EquipmentOptions<ByHand> {
  return {
    endpoint,
    choice: chooseTools(flags, settings, io.cwd),
    rules: allRules(flagRules(flags, undefined), settings),
    neverRemember: settings.neverRemember,
    limits: {},
    systemPrompt: undefined,
    cwd: settings.cwd,
    privateHosts: privateHosts(settings),
    masks: settings.masks,
    secretEnv: [],
  }
}

function requireTool(name: string, toolkit: Toolkit): void {
  if (toolkit.get(name)) return
  const names = toolkit.tools().map((tool) => tool.name)
  const there = names.length === 0 ? "there is none" : `there is ${names.join(", ")}`
  throw new ToolnexusError("usage", `there is no tool ${JSON.stringify(name)}: ${there}`)
}

/** The text as it was given: what it holds is checked as a model's arguments are. */
function requireObject(args: string): string {
  let value: unknown
  try {
    value = JSON.parse(args)
  } catch (error) {
    throw new ToolnexusError(
      "usage",
      `--args is not JSON (${jsonProblem(args, error)}): give an object, such as {"name":"value"}`,
    )
  }
  if (isRecord(value)) return args
  throw new ToolnexusError("usage", '--args must be a JSON object, such as {"name":"value"}')
}

function tell(name: string, { status, toolCalls, suspended = [] }: RunResult, person: Person, output: Output): number {
  const [call] = toolCalls
  const isDone = call?.output !== undefined
  if (output.mode !== "text") {
    const result = isDone ? { output: call.output, isError: call.isError === true } : { suspended }
    output.printer.out(jsonLine({ name, status: isDone ? "done" : status, ...result }))
  } else if (isDone) output.text(`${call.output}\n`)
  const stopped = person.stoppedBy()
  if (isDone) return call.isError === true ? EXIT.failed : EXIT.done
  if (stopped) return person.exitCode()
  sayOpen(suspended, person, output)
  return EXIT.halted
}

function sayOpen(open: readonly Request[], person: Person, output: Output): void {
  const why = person.whyOpen()
  output.say(`not run: it needs a person${why === undefined ? "" : ` (${why})`}`)
  for (const line of openRequestLines(open, { writer: "at work" })) output.say(line) // nothing takes an answer later
  const isAboutRules = open.every(({ data }) => isRecord(data?.call) && data.call.by === "gate")
  output.say(
    isAboutRules
      ? "nothing of it is saved; where a rule shall allow it: --allow RULE"
      : "nothing of it is saved; call it where a person can answer: at a terminal",
  )
}
