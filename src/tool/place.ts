import { homedir } from "node:os"
import { resolve } from "node:path"

/** A leading `~` as the folder that it stands for. */
export function withHome(place: string): string {
  return place.replace(/^~(?=\/|$)/, () => homedir())
}

/**
 * A path of a call as an absolute one without detours. Tools and gate read paths by this one function: what is decided about is
 * what is acted on.
 *
 * @example absolutePath("/srv", "src/../a") // "/srv/a"
 */
export function absolutePath(cwd: string, path: string): string {
  return resolve(cwd, withHome(path))
}
