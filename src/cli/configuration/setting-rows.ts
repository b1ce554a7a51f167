import type { Io } from "../io.ts"
import { isRecord } from "../is-record.ts"
import { DEFAULT_LIMITS } from "../limits/limits.ts"
import type { JudgedProject } from "../projects/judged-projects.ts"
import { type ConfigurationFile, readConfigurationFile } from "./configuration.ts"
import { LIMIT_SETTINGS, limitsIn } from "./limit-settings.ts"
import { nameOf } from "./setting-names.ts"
import { CONFIGURATION } from "./setting-shapes.ts"
import type { Settings } from "./settings.ts"
import { type Members, own, settingsReader } from "./settings-reader.ts"

/** Where a value comes from. */
export type Origin =
  | { is: "environment"; variable: string }
  | { is: "project"; file: string; trust: "trusted" | "not trusted" | "changed since it was trusted" }
  | { is: "user"; file: string }
  | { is: "default" }

/** A value of a setting, and whether it counts. */
export interface SettingRow {
  path: readonly string[]
  value: unknown
  from: Origin
  /** Why it does not count. */
  not?: string
}

/** Every setting that a file, a variable or a default gives, by their names; what counts more comes first. */
export function settingRows(settings: Settings, io: Io): SettingRow[] {
  const user = readConfigurationFile(settings.user.file) ?? { file: settings.user.file, root: {} }
  const said = [
    ...environmentRows(io.env),
    ...settings.judged.flatMap(projectRows),
    ...rowsOf(user.root, { is: "user", file: user.file }),
  ]
  const rows = [...said, ...defaultRows()]
  const judged = rows.map((row, at) => judgedRow(row, rows.slice(0, at), settings))
  const order = Object.keys(CONFIGURATION.of)
  return order.flatMap((name) => judged.filter(({ path }) => path[0] === name))
}

function environmentRows({ TOOLNEXUS_PROFILE: profile }: Io["env"]): SettingRow[] {
  if (!profile) return []
  return [{ path: ["profile"], value: profile, from: { is: "environment", variable: "TOOLNEXUS_PROFILE" } }]
}

function defaultRows(): SettingRow[] {
  return LIMIT_SETTINGS.flatMap((name) => {
    const value = name === "timeout" ? undefined : DEFAULT_LIMITS[name]
    return value === undefined ? [] : [{ path: ["limits", name], value, from: { is: "default" } as const }]
  })
}

function projectRows({ project, trust }: JudgedProject): SettingRow[] {
  const state = "lookedOver" in trust ? "trusted" : trust.is === "changed" ? "changed since it was trusted" : trust.is
  const origin = (file: string): Origin => ({ is: "project", file, trust: state })
  const { file, root } = project.settings
  const rows = rowsOf(root, origin(file))
  if (!("lookedOver" in trust)) {
    return rows.map((row) => (mayRestrict(row.path) ? row : { ...row, not: `its project is ${state}` }))
  }
  const beside = Object.entries(trust.lookedOver.servers).filter(([name]) => own(serversIn(root), name) === undefined)
  const servers = beside.map(([name, value]) => ({
    path: ["mcpServers", name],
    value,
    from: origin(project.mcp?.file ?? file),
  }))
  return [...rows, ...servers]
}

function serversIn(root: Members): Members {
  const servers = own(root, "mcpServers")
  return isRecord(servers) ? servers : {}
}

function mayRestrict([top, member]: readonly string[]): boolean {
  return top === "limits" || (top === "permissions" && member !== "allow")
}

/** One for each of what `profiles`, `permissions` and the like hold, else one for each setting. */
function rowsOf(root: ConfigurationFile["root"], from: Origin): SettingRow[] {
  return Object.entries(CONFIGURATION.of).flatMap(([top, shape]) => {
    const value = own(root, top)
    if (value === undefined) return []
    if (shape.is === "value" || !isRecord(value)) return [{ path: [top], value, from }]
    return Object.entries(value).map(([name, it]) => ({ path: [top, name], value: it, from }))
  })
}

/** @param before the rows that count more */
function judgedRow(row: SettingRow, before: readonly SettingRow[], settings: Settings): SettingRow {
  if (row.not !== undefined) return row
  const [top, name = ""] = row.path
  if (top === "limits") return judgedLimit(row, name, before, settings)
  if (top === undefined || !FIRST_COUNTS.has(top)) return row
  const first = before.find((it) => it.not === undefined && nameOf(it.path) === nameOf(row.path))
  return first === undefined ? row : { ...row, not: `${sourceText(first.from)} comes first` }
}

const FIRST_COUNTS: ReadonlySet<string> = new Set(["profile", "profiles", "agents", "mcpServers"])

/** Of projects that are not trusted the lowest counts, of others the nearest. */
function judgedLimit(row: SettingRow, name: string, before: readonly SettingRow[], { limits }: Settings): SettingRow {
  const read = ({ value }: SettingRow) => Object.entries(limitsIn({ limits: { [name]: value } }, settingsReader("")))[0]
  const [limit, value] = read(row) ?? []
  const counts = limit === undefined ? undefined : limits[limit as keyof typeof limits]
  const same = before.some((it) => it.path[1] === name && it.path[0] === "limits" && read(it)?.[1] === counts)
  if (value === counts && !same) return row
  if (row.from.is === "project" && row.from.trust !== "trusted")
    return { ...row, not: "it is not trusted, and no lower" }
  return { ...row, not: value === counts ? "another one says the same" : "another one counts" }
}

/** What names the origin in a line: of several projects, with the file. */
export function sourceText(from: Origin, projects: "one project" | "several projects" = "one project"): string {
  switch (from.is) {
    case "environment":
      return from.variable
    case "project":
      return `project ${projects === "one project" ? "" : `${from.file} `}(${from.trust})`
    case "user":
      return "user"
    case "default":
      return "default"
  }
}
