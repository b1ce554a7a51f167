import { createHash } from "node:crypto"
import { type Dirent, readdirSync, statSync } from "node:fs"
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path"
import { ToolnexusError } from "../../index.ts"
import type { Configuration } from "../configuration/configuration.ts"
import { type LookedAt, lookAtFile } from "../files/look-at-file.ts"
import { isHttpFile } from "../tools/tool-file-kind.ts"
import { isInstalled, isScript, pathsNamedBy, realPathOf } from "./server-files.ts"

/** Files as they were looked at, by absolute path. */
export interface LookedAtFiles {
  /** SHA-256 in hex, or in words why there is none. */
  seals: ReadonlyMap<string, string>
  /** What the lists of HTTP tools say. */
  httpTools: ReadonlyMap<string, string>
}

const MAX_FILE_BYTES = 16 * 1024 * 1024
const MAX_BYTES = 64 * 1024 * 1024
const MAX_FILES = 2000

/**
 * What the files hold that a configuration lets count, beside itself: its modules with what they import from beside them, its
 * relay files, its skills, and what its servers' commands name. Nothing of them is run.
 *
 * @param servers the members of `mcpServers`
 * @param folder what servers' commands are relative to
 * @param env what variables in them stand for
 * @throws ToolnexusError `configuration` where it is more than can be looked at
 */
export function lookAtFilesOf(
  configuration: Configuration,
  servers: readonly unknown[],
  { folder, env }: { folder: string; env: Readonly<Record<string, string | undefined>> },
): LookedAtFiles {
  const seals = new Map<string, string>()
  const httpTools = new Map<string, string>()
  let left = MAX_BYTES
  const look = (path: string): LookedAt => {
    const seen = lookAtFile(path, MAX_FILE_BYTES)
    left -= seen.is === "file" ? seen.bytes.length : 0
    if (seals.size >= MAX_FILES || left < 0) throw tooMuch(configuration.file)
    seals.set(path, sealOf(seen))
    return seen
  }
  const lookAtModule = (path: string) => {
    if (seals.has(path)) return
    const seen = look(path)
    if (seen.is !== "file") return
    // Its imports are seen from where it lies.
    const real = realPathOf(path)
    if (isHttpFile(path)) httpTools.set(path, seen.bytes.toString("utf8"))
    for (const found of importsIn(seen.bytes, real)) lookAtModule(found)
  }
  /** Outside of the project's folder only what is a program is looked at. */
  const lookAtScript = (path: string) => {
    const seen = lookAtFile(path, MAX_FILE_BYTES)
    if (seen.is !== "file" || !isScript(path, seen.bytes)) return
    if (isInstalled(path)) look(path)
    else lookAtModule(path)
  }
  for (const path of configuration.tools) lookAtModule(path)
  for (const path of configuration.relay) look(path)
  for (const skills of configuration.skills) for (const path of new Set([skills, ...filesIn(skills)])) look(path)
  for (const path of servers.flatMap((server) => pathsNamedBy(server, folder, env)).filter(isFile)) {
    if (isInside(path, folder)) lookAtModule(path)
    else lookAtScript(path)
  }
  return { seals, httpTools }
}

/** The seal of what was looked at. */
export function sealOf(seen: LookedAt): string {
  if (seen.is === "file") return createHash("sha256").update(seen.bytes).digest("hex")
  return seen.is === "absent" ? "absent" : `unusable: ${seen.fact}`
}

function tooMuch(file: string): ToolnexusError {
  return new ToolnexusError(
    "configuration",
    `${file} names more than ${MAX_FILES} files or ${MAX_BYTES / 1024 / 1024} MiB: too much to be trusted by looking; name less`,
  )
}

// Bounded: a file of blanks takes no time.
const IMPORT = /\b(?:from|import|require)\s{0,20}\(?\s{0,20}["'](\.{1,2}\/[^"'\n]{1,500})["']/g
const ENDINGS = ["", ".js", ".mjs", ".cjs", ".ts", ".json", "/index.js"]

/** Files that a module names as its own parts; a name that is put together while it runs is not found. */
function importsIn(bytes: Buffer, path: string): string[] {
  if (!/\.[cm]?[jt]sx?$/.test(path)) return []
  const named = [...bytes.toString("utf8").matchAll(IMPORT)].map(([, name = ""]) => name.replace(/[?#].*$/, ""))
  const names = [...new Set(named)]
  if (names.length > MAX_FILES) throw tooMuch(path)
  return names.flatMap((name) => ENDINGS.map((ending) => resolve(dirname(path), name) + ending).find(isFile) ?? [])
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false // what cannot be looked at is none
  }
}

/**
 * Everything in a folder; what is no folder is itself.
 *
 * @throws ToolnexusError `configuration` where it is more than can be looked at
 */
export function filesIn(folder: string): string[] {
  const found: string[] = []
  const folders = [folder]
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    const entries = entriesOf(at)
    if (entries === undefined) found.push(at) // looking at it tells what it is
    for (const entry of entries ?? []) {
      if (entry.name === ".git" || entry.name === "node_modules") continue
      const path = join(at, entry.name)
      if (entry.isDirectory()) folders.push(path)
      else found.push(path)
      if (found.length + folders.length > MAX_FILES) throw tooMuch(folder)
    }
  }
  return found.sort()
}

function entriesOf(folder: string): Dirent[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return undefined
  }
}

/** Whether a path is below a folder. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
