import { existsSync, lstatSync, realpathSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { ToolnexusError } from "../../index.ts"
import type { Io } from "../io.ts"
import { errorText } from "../output/error-text.ts"
import type { Output } from "../output/output.ts"
import { programWords, shellQuote } from "../output/resume-command.ts"
import { foldersUpwards } from "../projects/projects.ts"
import type { ConfigurationPlace } from "./change-configuration.ts"
import type { ConfigFileFlags } from "./config-options.ts"
import { configurationIn, readConfigurationFile } from "./configuration.ts"
import { configurationFile } from "./place.ts"
import type { Around } from "./setting-use.ts"
import { requireFolder } from "./settings.ts"

/** The folder that a command is about. */
export function folderOf({ cwd = "." }: { cwd?: string }, io: Io): string {
  const folder = resolve(io.cwd, cwd)
  requireFolder(folder)
  return realpathSync(folder)
}

/** The nearest project's file, else the one that the repository's root would have. */
export function projectFile(folder: string): string {
  const folders = foldersUpwards(folder)
  const files = folders.map((it) => join(it, ".toolnexus", "config.json"))
  return files.find((file) => existsSync(file)) ?? (files.at(-1) as string)
}

/**
 * The file that a change is about.
 *
 * @throws ToolnexusError `configuration` for a project's file that is a link: it came with the project, and leads anywhere
 */
export function placeOf(flags: ConfigFileFlags, io: Io): ConfigurationPlace {
  if (!flags.project) return { file: configurationFile(io), is: "the user's" }
  const file = projectFile(folderOf(flags, io))
  requireNoLink(file)
  return { file, is: "a project's" }
}

/** @throws ToolnexusError `configuration` where the file or its folder is a link, or the folder is none */
export function requireNoLink(file: string): void {
  for (const path of [dirname(file), file]) {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (!stat) return
    const fact = stat.isSymbolicLink()
      ? "is a link, and is not written through: change what it leads to"
      : path !== file && !stat.isDirectory()
        ? "is no folder: move it away"
        : undefined
    if (fact !== undefined) throw new ToolnexusError("configuration", `${path} ${fact}`)
  }
}

/** What the file is used with. Another file that is broken gives no profiles; whatever reads it says so. */
export function aroundOf({ file, is }: ConfigurationPlace, io: Io, output: Output): Around {
  if (is === "the user's") return { file, env: io.env, otherProfiles: [] }
  const above = foldersUpwards(dirname(dirname(file))).slice(1)
  const others = [...above.map((folder) => join(folder, ".toolnexus", "config.json")), configurationFile(io)]
  return { file, env: io.env, otherProfiles: others.flatMap((other) => profilesIn(other, output)) }
}

function profilesIn(file: string, output: Output): string[] {
  try {
    const found = readConfigurationFile(file)
    return found ? [...configurationIn(found).profiles.keys()] : []
  } catch (error) {
    output.notice(errorText(error))
    return []
  }
}

/** After a change of a project's file: what counts of it until somebody looks at it. */
export function sayTrust({ file, is }: ConfigurationPlace, io: Io, output: Output): void {
  if (is === "the user's") return
  const folder = dirname(dirname(file))
  const command = [...programWords(io), "trust", ...(folder === realpathSync(io.cwd) ? [] : [folder])]
  output.say(
    `${folder} is not trusted as it is now: of this file only ask and deny rules and lower limits count; to look at the rest: ${command.map(shellQuote).join(" ")}`,
  )
}
