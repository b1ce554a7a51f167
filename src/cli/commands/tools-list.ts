import { outlookOf, type Rule, type Tool } from "../../index.ts"
import type { InspectionFlags } from "../command-line/options.ts"
import { allRules, flagRules, privateHosts, readSettings } from "../configuration/settings.ts"
import type { Io } from "../io.ts"
import { EXIT } from "../output/exit-code.ts"
import type { Output } from "../output/output.ts"
import { escapeLine } from "../terminal/escape.ts"
import { inspectToolkit } from "../tools/inspect-toolkit.ts"
import { chooseTools } from "../tools/tool-choice.ts"
import { jsonLine } from "../words/json-line.ts"
import { shortened } from "../words/shortened.ts"

/** A tool, as it is listed. */
interface Listed {
  name: string
  description: string
  source: Tool["source"]
  /** The module, relay file, server or folder that it comes from. */
  from?: string
  readOnly: boolean
  idempotent: boolean
  /** What rules say of its calls. */
  rules: string
  because: string[]
}

/** `toolnexus tools`: every tool that a run would have, where each comes from, and what the rules say of it. */
export async function toolsListCommand(flags: InspectionFlags, io: Io, output: Output): Promise<number> {
  const settings = readSettings(flags.cwd ?? ".", flags, io, output)
  const rules = allRules(flagRules(flags, undefined), settings)
  const choice = chooseTools(flags, settings, io.cwd)
  const parts = { choice, cwd: settings.cwd, privateHosts: privateHosts(settings), secretEnv: [] }
  const { toolkit, fileOf, problems } = await inspectToolkit(parts, io, output)
  try {
    const tools = toolkit
      .tools()
      .map((tool) => listed(tool, fileOf(tool.name), choice.skills, { rules, cwd: settings.cwd }))
    if (output.mode === "text") {
      for (const line of tableOf(tools, flags, io)) output.printer.out(`${line}\n`)
      for (const problem of problems) output.say(problem)
    } else output.printer.out(jsonLine({ tools, problems }))
    return EXIT.done
  } finally {
    await toolkit.close()
  }
}

function listed(
  tool: Tool,
  file: string | undefined,
  skills: readonly string[],
  options: { rules: readonly Rule[]; cwd: string },
): Listed {
  const { name, description, source, annotations = {}, origin } = tool
  const from = file ?? (origin ? `mcp:${origin.server}` : source === "skill" ? skills.join(", ") : undefined)
  const { outlook, because } = outlookOf(tool, options)
  return {
    name,
    description,
    source,
    ...(from === undefined ? {} : { from }),
    readOnly: annotations.readOnly === true,
    idempotent: annotations.idempotent === true,
    rules: outlook,
    because,
  }
}

const HEADER = ["TOOL", "RULES", "EFFECT", "FROM", "DESCRIPTION"]

/** Harmless lines: names and descriptions are from elsewhere. */
function tableOf(tools: readonly Listed[], { verbose }: InspectionFlags, io: Io): string[] {
  const rows = tools.map(({ name, rules, readOnly, idempotent, source, from, description }) =>
    [name, rules, readOnly ? "reads" : idempotent ? "repeatable" : "-", from ?? source, description].map(harmless),
  )
  const widths = [0, 1, 2, 3].map((at) => Math.max(...[HEADER, ...rows].map((row) => (row[at] ?? "").length)))
  const before = widths.reduce((all, width) => all + width + 2, 0)
  const room = Math.max(30, (io.stdout.stream?.columns || 100) - before - 1)
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => (at === 4 ? shortened(cell, room) : cell.padEnd((widths[at] ?? 0) + 2)))
      .join("")
      .trimEnd()
  return [
    line(HEADER),
    ...rows.flatMap((row, at) => [
      line(row),
      ...(verbose ? (tools[at]?.because ?? []).map((rule) => `  ${escapeLine(rule)}`) : []),
    ]),
  ]
}

/** The first line of it. */
function harmless(text: string): string {
  return escapeLine(text.trim().split("\n")[0] ?? "")
}
