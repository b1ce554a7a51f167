import { systemFact, ToolnexusError } from "../../index.ts"
import { lookAtFile } from "../files/look-at-file.ts"
import { NO_UTF8, utf8Text } from "../files/utf8-text.ts"
import { CHANGED, type SealedFiles } from "./sealed-modules.ts"
import { filesIn, isInside, sealOf } from "./trusted-files.ts"

/** More than a person writes. */
const MAX_BYTES = 16 * 1024 * 1024

/**
 * A file that tools come from, as text. Where a project named it, what is returned is what was looked at when it was trusted.
 *
 * @param what it is, for messages
 * @throws ToolnexusError `configuration`, one line that names the file
 */
export function readSealed(path: string, seals: SealedFiles, what: string): string {
  const seen = lookAtFile(path, MAX_BYTES)
  const seal = seals[path]
  if (seal !== undefined && sealOf(seen) !== seal) throw changed(path, what)
  const text = seen.is === "file" ? utf8Text(seen.bytes) : undefined
  if (text !== undefined) return text
  const fact = seen.is === "absent" ? systemFact({ code: "ENOENT" }) : seen.is === "file" ? NO_UTF8 : seen.fact
  throw new ToolnexusError("configuration", `${what} ${path} cannot be used: ${fact}: name another one`)
}

/**
 * Looks whether a folder that a project named still holds what it did when it was trusted.
 *
 * @throws ToolnexusError `configuration`, naming what changed
 */
export function requireSealedFolder(folder: string, seals: SealedFiles, what: string): void {
  if (seals[folder] === undefined) return
  const sealed = Object.keys(seals).filter((path) => path === folder || isInside(path, folder))
  for (const path of new Set([...sealed, ...filesIn(folder)])) {
    if (sealOf(lookAtFile(path, MAX_BYTES)) !== seals[path]) throw changed(path, what)
  }
}

function changed(path: string, what: string): ToolnexusError {
  return new ToolnexusError(
    "configuration",
    `${what} ${path} cannot be used: it ${CHANGED}: look at it with toolnexus trust`,
  )
}
