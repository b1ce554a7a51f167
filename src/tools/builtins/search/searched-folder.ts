import { stat } from "node:fs/promises"
import type { ToolContext } from "../../../tool/tool.ts"
import { Refusal } from "../../refusal.ts"
import { fileProblem } from "../file/file-problem.ts"
import { locate } from "../file/locate.ts"
import { requireRegular, requireStillPassing } from "../file/open-file.ts"

/** Where a search begins: absolute, links resolved. */
export interface Searched {
  file: string
  kind: "file" | "folder"
}

/** @throws Refusal where nothing can be searched */
export async function searched(cwd: string, path: string, ctx: ToolContext): Promise<Searched> {
  const { file } = await locate(cwd, path)
  await requireStillPassing(path, ctx)
  try {
    const stats = await stat(file)
    if (stats.isDirectory()) return { file, kind: "folder" }
    requireRegular(path, stats)
    return { file, kind: "file" }
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal(fileProblem(path, error))
  }
}

/** A pattern must not lead out of the folder that the gate was asked about. */
export function requireRelative(argument: string, pattern: string): void {
  if (pattern.startsWith("/") || pattern.startsWith("~") || pattern.split(/[/{},]/).includes("..")) {
    throw new Refusal(`${argument} must be relative and without "..": name the folder in path`)
  }
}
