import { lstat, realpath, stat } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { absolutePath } from "../../../tool/place.ts"
import { codeOf } from "../../../tool/system-fact.ts"
import type { JSONSchema } from "../../../tool/tool.ts"
import { Refusal } from "../../refusal.ts"
import { fileProblem } from "./file-problem.ts"

/** Longer paths no system takes. */
const MAX_PATH_CHARS = 4096

/** The schema of an argument that is a path. */
export function pathArgument(description: string): JSONSchema {
  return { type: "string", minLength: 1, maxLength: MAX_PATH_CHARS, description }
}

export const FILE_ARGUMENT: JSONSchema = pathArgument("The file, absolute or from the working folder")

/** Where a path of the model's leads. */
export interface Location {
  /** Absolute, symbolic links resolved; the file itself may be missing. */
  file: string
  /** Whether the path itself is a symbolic link. */
  via: "link" | "name"
}

const NAMES_FOLDER = /\/\.?$/

/**
 * @throws Refusal where the path leads nowhere: links in a circle, a link to nothing, a file as a folder
 */
export async function locate(cwd: string, path: string): Promise<Location> {
  const absolute = absolutePath(cwd, path)
  let via: Location["via"] = "name"
  try {
    const itself = await lstat(absolute).catch(absent)
    if (itself?.isSymbolicLink()) via = "link"
    if (NAMES_FOLDER.test(path) && !(itself && (await stat(absolute)).isDirectory())) {
      throw new Refusal(`${path} is named as a folder, and there is none: leave out what is behind its name`)
    }
    return { file: itself ? await realpath(absolute) : await missingFile(absolute), via }
  } catch (error) {
    if (error instanceof Refusal) throw error
    const isLinkToNothing = codeOf(error) === "ENOENT" && via === "link"
    throw new Refusal(
      isLinkToNothing ? `${path} is a symbolic link to a file that is not there` : fileProblem(path, error),
    )
  }
}

/** The deepest folder that is there, resolved, and the rest. */
async function missingFile(absolute: string): Promise<string> {
  const parent = dirname(absolute)
  const there = await lstat(parent).catch(absent)
  const folder = there || parent === absolute ? await realpath(parent) : await missingFile(parent)
  return join(folder, basename(absolute))
}

/** For a file that may be missing; any other failure is one. */
export function absent(error: unknown): undefined {
  if (codeOf(error) === "ENOENT") return undefined
  throw error
}
