import { sep } from "node:path"
import type { Place } from "../configuration/place.ts"

/** A path as a person reads it: `~` for their home. */
export function homePath(path: string, { homeDir }: Pick<Place, "homeDir">): string {
  const home = homeDir.endsWith(sep) ? homeDir.slice(0, -1) : homeDir
  return home !== "" && path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path
}
