import { relative } from "node:path"
import { absolutePath } from "../../../tool/place.ts"

/** How paths that are found are told: so that they can be used as they are in the next call, each on a line of its own. */
export function pathShower(cwd: string, path: string): (below: string) => string {
  const folder = absolutePath(cwd, path)
  const inside = relative(cwd, folder)
  const prefix = inside.startsWith("..") ? folder : inside
  return (below) => {
    const whole = prefix === "" ? below : below === "" ? prefix : `${prefix}/${below}`
    return shownPath(whole)
  }
}

/** A path on one line. */
export function shownPath(path: string): string {
  return /\p{C}|[\p{Zl}\p{Zp}]/u.test(path) ? JSON.stringify(path) : path
}
