import { readlinkSync, realpathSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"

/** Longer paths no system takes. */
const MAX_PATH = 4096
/** As many links as a system follows. */
const MAX_LINKS = 40

/**
 * Where a path leads: symbolic links are resolved as far as there is something, also one whose target is still missing.
 *
 * @param path absolute
 */
export function realPlace(path: string, links: number = MAX_LINKS): string {
  if (path.length > MAX_PATH || links === 0) return path
  const real = attempt(() => realpathSync.native(path))
  if (real !== undefined) return real
  const target = attempt(() => readlinkSync(path))
  const parent = dirname(path)
  if (target !== undefined) return realPlace(resolve(realPlace(parent, links), target), links - 1)
  return parent === path ? path : join(realPlace(parent, links), basename(path))
}

// What is not there, or no link, is looked for one step above.
function attempt(look: () => string): string | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}
