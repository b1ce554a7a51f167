import { createHash } from "node:crypto"
import { realpath } from "node:fs/promises"
import { isAbsolute, relative } from "node:path"
import { canonicalJson } from "../../../suspension/canonical-json.ts"
import type { Snapshot } from "./snapshot.ts"

/** What a call does to one file. */
export interface Change {
  /** As the model names it. */
  path: string
  /** Absolute, symbolic links resolved. */
  file: string
  /** `undefined` where there is none yet. */
  before: Snapshot | undefined
  /** `undefined` where it is deleted. */
  after: Content | undefined
  /** For whoever reads the diff: the file whose content it was, which another change of the call deletes. */
  movedFrom?: { path: string; before: Snapshot }
}

export interface Content {
  bytes: Buffer
  /** Permission bits; without them those of the file that was there, or the usual ones. */
  mode?: number
}

/**
 * SHA-256 over the files that changes start from: which they are, and what is in them. Two machines that have the same files in
 * their working folders come to the same.
 */
export async function basisOf(changes: readonly Change[], cwd: string): Promise<string> {
  const root = await realpath(cwd)
  const files = changes.map(({ file, before }) => [placeIn(root, file), before?.sha256 ?? "", before?.mode ?? -1])
  return createHash("sha256").update(canonicalJson(files)).digest("hex")
}

function placeIn(root: string, file: string): string {
  const inside = relative(root, file)
  return inside === ".." || inside.startsWith("../") || isAbsolute(inside) ? file : inside
}
