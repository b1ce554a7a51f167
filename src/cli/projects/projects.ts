import { existsSync, realpathSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import {
  type Configuration,
  type ConfigurationFile,
  configurationIn,
  parseJson,
  permissionsIn,
  readConfigurationFile,
  SETTINGS,
} from "../configuration/configuration.ts"
import { own, settingsReader } from "../configuration/settings-reader.ts"
import { lookAtFile } from "../files/look-at-file.ts"
import type { TrustRecord, TrustStore } from "./trust-store.ts"
import { isInside, lookAtFilesOf, sealOf } from "./trusted-files.ts"

type Env = Readonly<Record<string, string | undefined>>

/** A folder with a configuration of its own, as it was read: all that is decided, shown and used comes from this reading. */
export interface Project {
  /** Links resolved. */
  folder: string
  /** What variables in its servers' commands stand for. */
  env: Env
  settings: ConfigurationFile
  /** `.mcp.json`, where there is one. */
  mcp: { file: string; bytes: Buffer | undefined; seal: string } | undefined
}

/** What a person looks at, and what counts when they trust it. */
export interface LookedOver {
  configuration: Configuration
  /** The members of `mcpServers` of both files. */
  servers: Readonly<Record<string, unknown>>
  /** What every file held that the project lets count, by its absolute path. */
  seals: ReadonlyMap<string, string>
  /** What its lists of HTTP tools say: addresses, and which variables are sent there. */
  httpTools: ReadonlyMap<string, string>
}

/** Whether a project counts, and why not. */
export type Trust =
  | { is: "trusted" | "trusted for this run"; lookedOver: LookedOver }
  | { is: "not trusted" }
  /** Since it was trusted. */
  | { is: "changed"; files: string[] }

/** More servers than this nobody looks over. */
const MAX_BYTES = 1024 * 1024

/**
 * The projects of a folder and of those above it, up to the repository's root (outside of a repository: of the folder only),
 * the nearest first.
 *
 * @throws ToolnexusError `configuration`: a rule that cannot be read must not be a rule that does not hold
 */
export function readProjects(cwd: string, env: Env): { root: string; projects: Project[] } {
  const folders = foldersUpwards(realpathSync(cwd))
  const projects = folders.flatMap((folder) => {
    const file = join(folder, ".toolnexus", "config.json")
    const settings = readConfigurationFile(file)
    const mcp = readServersFile(join(folder, ".mcp.json"))
    if (!settings && !mcp) return []
    const none = { file, bytes: Buffer.alloc(0), root: {} }
    return [{ folder, env, settings: settings ?? none, mcp }]
  })
  return { root: folders.at(-1) ?? cwd, projects }
}

/** Nothing of it counts before it is trusted, so it breaks nothing before that either. */
function readServersFile(file: string): Project["mcp"] {
  const seen = lookAtFile(file, MAX_BYTES)
  if (seen.is === "absent") return undefined
  return { file, bytes: seen.is === "file" ? seen.bytes : undefined, seal: sealOf(seen) }
}

/** A folder and those above it, up to the root of its repository; outside of one the folder only. */
export function foldersUpwards(folder: string): string[] {
  const folders = [folder]
  for (let at = folder; !existsSync(join(at, ".git")); at = dirname(at)) {
    if (dirname(at) === at) return [folder]
    folders.push(dirname(at))
  }
  return folders
}

/** Whether the person trusts a project as it was read. */
export function trustIn(project: Project, store: TrustStore): Trust {
  const record = store.find(project.folder)
  if (!record) return { is: "not trusted" }
  // What names the files is compared before anything that it names is looked at.
  const own = changedSince(record, ownSeals(project), project)
  if (own.length > 0) return { is: "changed", files: own }
  const lookedOver = lookOver(project)
  const names = new Set([...lookedOver.seals.keys()].map((path) => nameIn(path, project)))
  const gone = Object.keys(record.files).filter((name) => !names.has(name))
  const changed = [...changedSince(record, lookedOver.seals, project), ...gone]
  return changed.length > 0 ? { is: "changed", files: changed } : { is: "trusted", lookedOver }
}

/** The record that says that a person trusts a project as they saw it. */
export function recordOf(project: Project, { seals }: LookedOver, at: string): TrustRecord {
  const files = Object.fromEntries([...seals].map(([path, seal]) => [nameIn(path, project), seal]))
  return { folder: project.folder, files, at }
}

/** The files of a record that hold something else by now. */
function changedSince(record: TrustRecord, seals: ReadonlyMap<string, string>, project: Project): string[] {
  return [...seals].flatMap(([path, seal]) => {
    const name = nameIn(path, project)
    return own(record.files, name) === seal ? [] : [name]
  })
}

function nameIn(path: string, { folder }: Project): string {
  return isInside(path, folder) ? relative(folder, path) : path
}

/** Both files, whether they are there or not: one that appears changes the project too. */
function ownSeals({ folder, settings, mcp }: Project): Map<string, string> {
  const { file, bytes } = settings
  return new Map([
    [file, bytes.length === 0 ? "absent" : sealOf({ is: "file", bytes })],
    [join(folder, ".mcp.json"), mcp?.seal ?? "absent"],
  ])
}

/**
 * Everything that a project would let, with what its files hold.
 *
 * @throws ToolnexusError `configuration`, naming what is broken
 */
export function lookOver(project: Project): LookedOver {
  const { settings, mcp } = project
  const found = configurationIn(settings)
  const beside = mcp ? serversIn(mcp) : {}
  const own = settingsReader(settings.file).record(settings.root, "mcpServers") ?? {}
  const servers = { ...beside, ...own }
  const configuration = { ...found, mcp: [...found.mcp, ...(mcp && Object.keys(beside).length > 0 ? [mcp.file] : [])] }
  const { seals, httpTools } = lookAtFilesOf(configuration, Object.values(servers), project)
  return { configuration, servers, seals: new Map([...ownSeals(project), ...seals]), httpTools }
}

function serversIn({ file, bytes, seal }: NonNullable<Project["mcp"]>): Record<string, unknown> {
  const at = settingsReader(file)
  if (bytes === undefined) throw at.broken(`cannot be read (${seal.replace("unusable: ", "")})`)
  return at.record(parseJson(file, bytes), "mcpServers") ?? {}
}

/** What counts of a project that is not trusted, and the settings that do not. */
export function restrictionsOf({ settings, mcp }: Project): { configuration: Configuration; ignored: string[] } {
  const said = permissionsIn(settings)
  const others = SETTINGS.filter((name) => own(settings.root, name) !== undefined && !MAY_RESTRICT.has(name))
  const allows = said.rules.allow.length > 0 ? ["permissions.allow"] : []
  return {
    configuration: { ...said, rules: { ...said.rules, allow: [] } },
    ignored: [...others, ...allows, ...(mcp ? [".mcp.json"] : [])],
  }
}

const MAY_RESTRICT: ReadonlySet<string> = new Set(["permissions", "limits"])
