import { existsSync } from "node:fs"
import { type Mask, ToolnexusError } from "../../index.ts"
import { folderOf, projectFile } from "../configuration/config-file.ts"
import type { ConfigFileFlags, ConfigFlags } from "../configuration/config-options.ts"
import { configurationFile, statePlace } from "../configuration/place.ts"
import { nameOf, pathOf, settingNamed } from "../configuration/setting-names.ts"
import { type SettingRow, settingRows, sourceText } from "../configuration/setting-rows.ts"
import { holdsMark, withoutSecrets } from "../configuration/setting-secrets.ts"
import { valueInForce } from "../configuration/setting-value.ts"
import { readSettings } from "../configuration/settings.ts"
import { endpointRows } from "../endpoint/endpoint-rows.ts"
import type { Io } from "../io.ts"
import { errorText } from "../output/error-text.ts"
import { EXIT } from "../output/exit-code.ts"
import type { Output } from "../output/output.ts"
import { homePath } from "../words/home-path.ts"
import { jsonLine } from "../words/json-line.ts"
import { cellText, tableLines } from "../words/table.ts"

interface Read {
  rows: readonly SettingRow[]
  masks: readonly Mask[]
}

/** What is in force; an endpoint that cannot be meant is said, and the rest is there. */
function readRows(flags: ConfigFlags, io: Io, output: Output): Read {
  const settings = readSettings(folderOf(flags, io), {}, io, output)
  let endpoint: SettingRow[] = []
  try {
    endpoint = endpointRows(settings, io)
  } catch (error) {
    output.say(errorText(error))
  }
  return { rows: [...endpoint, ...settingRows(settings, io)], masks: settings.masks }
}

/** `toolnexus config list`: every setting, its value, where it comes from. */
export function configListCommand(flags: ConfigFlags, io: Io, output: Output): number {
  const { rows, masks } = readRows(flags, io, output)
  const shown = rows.map((row) => ({ ...row, value: withoutSecrets(row.value, row.path, masks) }))
  if (output.mode !== "text") {
    const settings = shown.map(({ path, value, from, not }) => {
      return { name: nameOf(path), value, from, inForce: not === undefined, ...(not === undefined ? {} : { why: not }) }
    })
    output.printer.out(jsonLine({ settings }))
    return EXIT.done
  }
  const counting = shown.filter(({ not }) => not === undefined)
  const others = shown.filter(({ not }) => not !== undefined)
  const files = new Set(rows.flatMap(({ from }) => (from.is === "project" ? [from.file] : [])))
  const projects = files.size > 1 ? "several projects" : "one project"
  print(counting, { projects, io, output })
  if (others.length > 0) output.printer.out("\nnot in force:\n")
  print(others, { projects, io, output })
  return EXIT.done
}

interface Printing {
  projects: "one project" | "several projects"
  io: Io
  output: Output
}

function print(rows: readonly SettingRow[], { projects, io, output }: Printing): void {
  if (rows.length === 0) return
  const table = rows.map((row) => {
    const { path, value, not } = row
    const from = sourceText(row.from, projects)
    const source = not === undefined ? from : `${from}: ${not}`
    return { cells: [nameOf(path), source, valueText(value)].map(cellText), below: [] }
  })
  // To a file or a pipe nothing is cut.
  const columns = io.stdout.isTTY ? io.stdout.stream?.columns : Number.POSITIVE_INFINITY
  for (const line of tableLines(table, columns)) output.printer.out(`${line.trimEnd()}\n`)
}

function valueText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value)
}

/** `toolnexus config get`: one value, for a script. */
export function configGetCommand(
  { name, flags }: { name: string; flags: ConfigFlags },
  io: Io,
  output: Output,
): number {
  const path = pathOf(name)
  if (path[0] !== "endpoint") settingNamed(name)
  const { rows, masks } = readRows(flags, io, output)
  const found = valueInForce(rows, path)
  if (found === undefined) {
    throw notSet(name, path, rows)
  }
  const value = withoutSecrets(found, path, masks)
  if (holdsMark(value) && !holdsMark(found)) output.notice("what is secret in it is not shown")
  if (output.mode === "text") output.printer.out(`${valueText(value)}\n`)
  else output.printer.out(jsonLine({ name: nameOf(path), value }))
  return EXIT.done
}

function notSet(name: string, path: readonly string[], rows: readonly SettingRow[]): ToolnexusError {
  const { not } = rows.find((row) => nameOf(row.path) === nameOf(path)) ?? {}
  const fact = not === undefined ? "is not set" : `is not in force (${not})`
  return new ToolnexusError("usage", `${name} ${fact}: toolnexus config lists what is`)
}

/** `toolnexus config path`: where the files are. */
export function configPathCommand(flags: ConfigFileFlags, io: Io, output: Output): number {
  const project = projectFile(folderOf(flags, io))
  const user = configurationFile(io)
  const state = statePlace(io).path
  const one = flags.user ? user : flags.project ? project : undefined
  if (output.mode !== "text") output.printer.out(jsonLine(one === undefined ? { user, project, state } : { file: one }))
  else if (one !== undefined) output.printer.out(`${one}\n`)
  else {
    const rows = Object.entries({ user, project, state }).map(([what, path]) => {
      const absent = existsSync(path) ? "" : "  (it is not there yet)"
      return { cells: [what, cellText(homePath(path, io)) + absent], below: [] }
    })
    for (const line of tableLines(rows, Number.POSITIVE_INFINITY)) output.printer.out(`${line}\n`)
  }
  return EXIT.done
}
