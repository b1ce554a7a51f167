import { isAbsolute, join, relative } from "node:path"
import { absolutePath } from "../tool/place.ts"
import { realPlace } from "./real-place.ts"

/** The ways to write a place that a pattern may use. */
export interface Spellings {
  /** As the call has it. */
  given: string
  /** Without detours (`a/../b`): relative to the working folder where it is inside, absolute in any case. */
  plain: string[]
  /** Likewise, where it leads through symbolic links. */
  real: string[]
}

/**
 * @param kind whether what looks like an address may be one
 */
export function spellings(place: string, cwd: string, kind: "path" | "path or address"): Spellings {
  const absolute = absolutePath(cwd, place)
  const inside = relative(cwd, absolute)
  const plain = isOutside(inside) ? [absolute] : [inside || ".", absolute]
  if (kind === "path or address" && isAddress(place)) {
    const { href } = new URL(place)
    // A tool that takes it for a path all the same is caught too, and not allowed.
    return { given: place, plain: [href, barestAddress(href), ...plain], real: [href] }
  }
  return { given: place, plain, real: realSpellings(absolute, cwd) }
}

/** Those of the web are addresses without slashes too (`https:a.test/x`), and with spaces and tabs that a reader drops. */
const WEB_SCHEME = /^(?:https?|wss?|ftp):/i

function isAddress(place: string): boolean {
  const read = place.replace(/^[\0- ]+|[\t\n\r]/g, "")
  return (read.includes("://") || WEB_SCHEME.test(read)) && URL.canParse(place)
}

/** Without what leads to the same host: a name and password, and a dot behind the host's name. */
function barestAddress(href: string): string {
  const url = new URL(href)
  url.username = ""
  url.password = ""
  url.hostname = url.hostname.replace(/\.$/, "")
  return url.href
}

/** Whether a path leads out of the working folder, by itself or through symbolic links. */
export function leavesFolder(path: string, cwd: string): boolean {
  return isOutside(relative(realPlace(cwd), realPlace(absolutePath(cwd, path))))
}

/** Where a path that is inside the working folder by its name leads through symbolic links, if that is outside. */
export function realPlaceOutside(path: string, cwd: string): string | undefined {
  const absolute = absolutePath(cwd, path)
  if (isOutside(relative(cwd, absolute))) return undefined
  return leavesFolder(path, cwd) ? realPlace(absolute) : undefined
}

function realSpellings(absolute: string, cwd: string): string[] {
  const real = realPlace(absolute)
  const inside = relative(realPlace(cwd), real)
  return isOutside(inside) ? [real] : [inside || ".", join(cwd, inside), real]
}

function isOutside(path: string): boolean {
  return path === ".." || path.startsWith("../") || isAbsolute(path)
}
