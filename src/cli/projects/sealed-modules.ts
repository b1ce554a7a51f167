import { realpathSync } from "node:fs"
import module from "node:module"
import { pathToFileURL } from "node:url"

/** What files must hold, by absolute path: SHA-256 in hex. */
export type SealedFiles = Readonly<Record<string, string>>

/**
 * From now on a module in this process is run only where the very bytes that are run are those of its seal. In Node 20 a CommonJS
 * module is read once more between the two.
 */
export async function loadOnlySealed(seals: SealedFiles): Promise<void> {
  const data = Object.entries(seals).flatMap(([path, seal]) => urlsOf(path).map((url) => [url, seal]))
  const hooks = `data:text/javascript,${encodeURIComponent(HOOKS)}`
  // Newer versions of Node do it in the same thread.
  const { registerHooks } = module as { registerHooks?: (hooks: unknown) => void }
  if (!registerHooks) return module.register(hooks, { data })
  const loaded = await import(hooks)
  loaded.initialize(data)
  registerHooks({ load: loaded.load })
}

/** The address under which a sealed module is imported: the seal goes with it, wherever links lead by then. */
export function sealedUrl(path: string, seal: string | undefined): string {
  const url = pathToFileURL(path)
  if (seal !== undefined) url.searchParams.set(PARAMETER, seal)
  return url.href
}

/** What is said of a file that holds something else. */
export const CHANGED = "is not what it was when its project was trusted"

const PARAMETER = "toolnexus-seal"

function urlsOf(path: string): string[] {
  const url = pathToFileURL(path).href
  try {
    return [url, pathToFileURL(realpathSync(path)).href]
  } catch {
    return [url] // it is not there; if it comes, it is not what was looked at
  }
}

// A module of its own: it may run in a thread that has nothing of this one.
const HOOKS = `
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
let seals = new Map()
export function initialize(data) {
  seals = new Map(data)
}
export function load(url, context, next) {
  const seal = url.startsWith("file:") ? (new URL(url).searchParams.get("${PARAMETER}") ?? seals.get(url)) : undefined
  const loaded = next(url, context)
  if (seal === undefined) return loaded
  const check = (it) => {
    const held = createHash("sha256").update(bytesOf(it.source ?? readFileSync(fileURLToPath(url)))).digest("hex")
    if (held === seal) return it
    throw new Error(fileURLToPath(url) + " ${CHANGED}")
  }
  return loaded instanceof Promise ? loaded.then(check) : check(loaded)
}
function bytesOf(source) {
  return typeof source === "string" || ArrayBuffer.isView(source) ? source : new Uint8Array(source)
}
`
