import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A folder for one test file. */
export function tempFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(realpathSync(tmpdir()), "toolnexus-journal-"))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
