import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

const root = resolve(import.meta.dirname, "../..")

/** Watches which modules a Node process loads: hand `execArgv` to it, and ask at any moment. */
export function watchLoads(): { execArgv: string[]; loaded(): { own: string[]; packages: string[] } } {
  const folder = mkdtempSync(join(tmpdir(), "toolnexus-loads-"))
  const log = join(folder, "loads.txt")
  writeFileSync(log, "")
  const hooks = `import { appendFileSync } from "node:fs"
export async function load(url, context, next) { appendFileSync(${JSON.stringify(log)}, url + "\\n"); return next(url, context) }`
  const register = `import { register } from "node:module"; register(${JSON.stringify(dataUrl(hooks))})`
  return {
    execArgv: ["--import", dataUrl(register)],
    loaded() {
      const urls = readFileSync(log, "utf8")
        .split("\n")
        .filter((url) => url.startsWith("file:"))
      const own = urls.filter((url) => url.includes(`${root}/dist/`)).map((url) => url.slice(url.indexOf("/dist/") + 6))
      const packages = urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? [])
      return { own, packages: [...new Set(packages)].sort() }
    },
  }
}

function dataUrl(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`
}
