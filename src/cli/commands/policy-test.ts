import {
  createToolkit,
  explainCall,
  type GatedCall,
  type Rule,
  type Tool,
  type Toolkit,
  ToolnexusError,
  type ToolSpec,
} from "../../index.ts"
import type { InspectionFlags } from "../command-line/options.ts"
import {
  flagRules,
  type PlacedRule,
  placedRules,
  privateHosts,
  readSettings,
  type Settings,
} from "../configuration/settings.ts"
import type { Io } from "../io.ts"
import { isRecord } from "../is-record.ts"
import { EXIT } from "../output/exit-code.ts"
import type { Output } from "../output/output.ts"
import { escapeLine } from "../terminal/escape.ts"
import { inspectToolkit } from "../tools/inspect-toolkit.ts"
import { chooseTools } from "../tools/tool-choice.ts"
import { jsonLine } from "../words/json-line.ts"
import { jsonProblem } from "../words/json-problem.ts"

/** What `toolnexus policy test` is given. */
export interface PolicyQuestion {
  tool: string
  args: string
  flags: InspectionFlags
}

const WORDS = { allow: "allow", ask: "ask", refuse: "deny" } as const

/** `toolnexus policy test`: what would happen to a call, and which rule says so. Nothing is asked, and the call is not run. */
export async function policyTestCommand(given: PolicyQuestion, io: Io, output: Output): Promise<number> {
  const { flags } = given
  const settings = readSettings(flags.cwd ?? ".", flags, io, output)
  const placed = placedRules(flagRules(flags, undefined), settings)
  const { call, problem } = await callOf(given, settings, { io, output })
  const explained = await explainCall(call, { rules: placed.map(({ rule }) => rule), cwd: settings.cwd })
  const { decision, rule, passedOver } = explained
  const verdict = {
    tool: call.name,
    args: call.input,
    decision: WORDS[decision.decision],
    by: decision.by,
    ...(decision.rule === undefined ? {} : { because: decision.rule }),
    ...(rule ? whereIs(rule, placed) : {}),
    ...(problem === undefined ? {} : { problem }),
    passedOver: passedOver.map(({ rule: other, why }) => ({ ...whereIs(other, placed), why })),
  }
  if (output.mode !== "text") output.printer.out(jsonLine(verdict))
  else for (const line of linesOf(verdict)) output.printer.out(`${escapeLine(line)}\n`)
  return EXIT.done
}

interface SaidRule {
  rule: string
  source?: Rule["source"]
  file?: string
}

function whereIs(rule: Rule, placed: readonly PlacedRule[]): SaidRule {
  const file = placed.find((it) => it.rule === rule)?.file
  const source = rule.source === undefined ? {} : { source: rule.source }
  return { rule: `${rule.effect} ${rule.rule}`, ...source, ...(file === undefined ? {} : { file }) }
}

interface Verdict extends Partial<SaidRule> {
  tool: string
  decision: string
  because?: string
  /** Why such a call never comes so far. */
  problem?: string
  passedOver: (SaidRule & { why: string })[]
}

function linesOf({ tool, decision, because, file, problem, passedOver }: Verdict): string[] {
  return [
    `decision  ${decision}`,
    `because   ${because ?? `no rule is about it, and ${tool} is allowed (default)`}`,
    ...(file === undefined ? [] : [`in        ${file}`]),
    ...(problem === undefined ? [] : [`but       a run does not ask the rules: ${problem}`]),
    ...passedOver.map((it) => `not       ${it.rule} (${it.file ?? it.source}): ${it.why}`),
  ]
}

async function callOf(
  { tool: name, args, flags }: PolicyQuestion,
  settings: Settings,
  parts: Parts,
): Promise<{ call: GatedCall; problem: string | undefined }> {
  const { tool, check } = await toolNamed(name, flags, settings, parts)
  const input = inputOf(args, tool)
  return { call: { name: tool.name, input, tool }, problem: await check(tool.name, input) }
}

interface Named {
  tool: ToolSpec
  check: Toolkit["check"]
}

interface Parts {
  io: Io
  output: Output
}

/** A built-in is here in any case; others are loaded to see what they are. One that nobody has is judged by its name. */
async function toolNamed(
  name: string,
  flags: InspectionFlags,
  settings: Settings,
  { io, output }: Parts,
): Promise<Named> {
  const builtins = await createToolkit({ builtins: true, cwd: settings.cwd })
  const builtin = named(builtins.get(name), builtins)
  await builtins.close()
  const choice = chooseTools(flags, settings, io.cwd)
  const isAlone = [choice.tools, choice.relay, choice.mcp, choice.skills].every((sources) => sources.length === 0)
  if (isAlone) return builtin ?? unknownTool(name, output)
  const parts = { choice, cwd: settings.cwd, privateHosts: privateHosts(settings), secretEnv: [] }
  const { toolkit, problems } = await inspectToolkit(parts, io, output)
  const found = named(
    toolkit.tools().find((tool) => isNamed(tool, name)),
    toolkit,
  )
  await toolkit.close()
  if (found) return found
  for (const problem of problems) output.say(problem)
  return builtin ?? unknownTool(name, output)
}

function named(tool: Tool | undefined, { check }: Toolkit): Named | undefined {
  return tool && { tool, check }
}

function isNamed({ name, origin }: Tool, wanted: string): boolean {
  return name === wanted || (origin !== undefined && `mcp:${origin.server}/${origin.tool}` === wanted)
}

function unknownTool(name: string, output: Output): Named {
  output.notice(`there is no tool ${name} here: it is judged by its name alone`)
  const [, server, tool] = /^mcp:([^/]+)\/(.+)$/s.exec(name) ?? []
  const from: Pick<ToolSpec, "source" | "origin"> =
    server === undefined || tool === undefined ? { source: "custom" } : { source: "mcp", origin: { server, tool } }
  const spec: ToolSpec = { name, description: "", inputSchema: { type: "object" }, ...from }
  return { tool: spec, check: async () => undefined }
}

/** No shell command or path begins like this, or its writer can give it within an object. */
const OBJECT_START = /^\s*\{\s*(?:["'}]|[\w$]+\s*:|$)/

/** JSON, or the text of what the tool is mainly given: a command, a path, an address. */
function inputOf(args: string, tool: ToolSpec): Record<string, unknown> {
  const main = mainArgument(tool)
  if (main !== undefined && !OBJECT_START.test(args)) return { [main]: args }
  const example = `{"${main ?? "name"}":"${main === undefined ? "value" : "..."}"}`
  let value: unknown
  try {
    value = JSON.parse(args)
  } catch {
    throw new ToolnexusError(
      "usage",
      `the arguments of ${tool.name} are no JSON (${jsonProblem(args)}): give them as an object, such as ${example}`,
    )
  }
  if (isRecord(value)) return value
  throw new ToolnexusError("usage", `the arguments of ${tool.name} are no JSON object: give one, such as ${example}`)
}

/** The first text among those that a call must have. */
function mainArgument({ inputSchema: { properties, required } }: ToolSpec): string | undefined {
  if (!isRecord(properties)) return undefined
  const isText = (name: string) => isRecord(properties[name]) && properties[name].type === "string"
  const names = [...(Array.isArray(required) ? required : []), ...Object.keys(properties)]
  return names.find((name) => Object.hasOwn(properties, name) && isText(name))
}
