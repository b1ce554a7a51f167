import { realpath } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { typeName } from "../suspension/request.ts"
import { ToolnexusError } from "../tool/error.ts"
import { codeOf, readError } from "./journal-error.ts"

/** @throws ToolnexusError `usage` for what is no path */
export function requirePath(file: unknown): asserts file is string {
  if (file === "") throw new ToolnexusError("usage", "the run file's name is empty: give a path")
  if (typeof file === "string") return
  const [got, next] = file instanceof URL ? ["a URL", "pass fileURLToPath(url)"] : [typeName(file), "give a path"]
  throw new ToolnexusError("usage", `the run file must be named by a string, got ${got}: ${next}`)
}

/**
 * The one path of a file, whichever symbolic links and relative paths lead to it, so that all share one lock. The file need not be
 * there; its folder must.
 *
 * @param withoutFolder the error's code when the folder is not there
 * @throws ToolnexusError `usage` or `no_run`
 */
export async function realFile(file: string, withoutFolder: "usage" | "no_run"): Promise<string> {
  requirePath(file)
  try {
    return await realpath(file)
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw readError(file, error)
  }
  try {
    return join(await realpath(dirname(file)), basename(file))
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw readError(file, error)
    throw new ToolnexusError(
      withoutFolder,
      `${file} cannot be used: the folder ${dirname(file)} is not there: make it, or name another file`,
      {
        details: { file },
        cause: error,
      },
    )
  }
}
