import {
  type GatedCall,
  proposeRule,
  type Request,
  type Rule,
  type RunResult,
  type Toolkit,
  ToolnexusError,
  tryRule,
} from "../../index.ts"
import { gatedCallOf } from "../answers/approvable-call.ts"
import { openRequestLines } from "../answers/request-line.ts"
import { createLiveRules } from "../answers/saved-rules.ts"
import type { ToolCallFlags } from "../command-line/options.ts"
import { allRules, flagRules, privateHosts, readSettings, type Settings } from "../configuration/settings.ts"
import type { ByHand } from "../endpoint/endpoint-settings.ts"
import type { Io } from "../io.ts"
import { isRecord } from "../is-record.ts"
import { EXIT } from "../output/exit-code.ts"
import type { Output } from "../output/output.ts"
import { createProgress } from "../output/progress.ts"
import { shellQuote } from "../output/resume-command.ts"
import { attendPerson, type Person } from "../terminal/person.ts"
import { type EquipmentOptions, equip } from "../tools/equipment.ts"
import { chooseTools } from "../tools/tool-choice.ts"
import { jsonLine } from "../words/json-line.ts"
import { jsonProblem } from "../words/json-problem.ts"

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
    tell(name, result, output)
    return await exitCodeOf(result, { ...options, toolkit, person, output })
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
  const there = names.length === 0 ? "there is none: add some with --tools FILE" : `name one of ${names.join(", ")}`
  throw new ToolnexusError("usage", `there is no tool ${JSON.stringify(name)}: ${there}`)
}

/** The text as it was given: what it holds is checked as a model's arguments are. */
function requireObject(args: string): string {
  let value: unknown
  try {
    value = JSON.parse(args)
  } catch {
    throw new ToolnexusError(
      "usage",
      `--args is not JSON (${jsonProblem(args)}): give an object, such as {"name":"value"}`,
    )
  }
  if (isRecord(value)) return args
  throw new ToolnexusError("usage", '--args is no JSON object: give one, such as {"name":"value"}')
}

function tell(name: string, { status, toolCalls, suspended = [] }: RunResult, output: Output): void {
  const [call] = toolCalls
  const isDone = call?.output !== undefined
  if (output.mode !== "text") {
    const result = isDone ? { output: call.output, isError: call.isError === true } : { suspended }
    output.printer.out(jsonLine({ name, status: isDone ? "done" : status, ...result }))
  } else if (isDone) output.text(`${call.output}\n`)
}

/** What a call that needs a person is told with. */
interface Open {
  toolkit: Toolkit
  rules: readonly Rule[]
  cwd: string
  person: Person
  output: Output
}

async function exitCodeOf({ toolCalls: [call], suspended = [] }: RunResult, open: Open): Promise<number> {
  if (call?.output !== undefined) return call.isError === true ? EXIT.failed : EXIT.done
  if (open.person.stoppedBy()) return open.person.exitCode()
  await sayOpen(suspended, open)
  return EXIT.halted
}

async function sayOpen(suspended: readonly Request[], open: Open): Promise<void> {
  const { person, output } = open
  const why = person.whyOpen()
  output.say(`not run: it needs a person${why === undefined ? "" : ` (${why})`}`)
  for (const line of openRequestLines(suspended, { writer: "at work" })) output.say(line) // nothing takes an answer later
  const [request] = suspended
  const call = request && gatedCallOf(request, open.toolkit)
  const way = call ? await wayByRule(call, open) : "call it where a person can answer: at a terminal"
  output.say(`nothing of it is saved; ${way}`)
}

/** The narrowest rule that lets a call pass, if one can. */
async function wayByRule(call: GatedCall, { rules, cwd }: Open): Promise<string> {
  const rule = proposeRule(call, cwd)
  const trial = tryRule(rule, call, cwd)
  if (!trial.allows) return `no rule allows it: ${trial.why}`
  const { decision, rule: stricter } = await createLiveRules(rules, cwd).gateWith(rule).decide(call)
  return decision === "allow"
    ? `to allow it: --allow ${shellQuote(rule)}`
    : `no --allow counts beside the rule ${stricter}, which is stricter`
}
