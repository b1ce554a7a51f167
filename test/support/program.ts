import { createHash } from "node:crypto"
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { buildSync } from "esbuild"

const root = resolve(import.meta.dirname, "../..")
const folder = join(root, "node_modules", ".cache", "toolnexus-programs")

/**
 * A program of the tests that plain Node runs in a process of its own: bundled, as a loader's thread makes Node 20 crash now
 * and then when a process ends abruptly.
 *
 * @param source a file of the tests, from the project's root, or TypeScript that imports from there (`"./src/index.ts"`)
 * @returns the path to run
 */
export function program(source: { file: string } | { code: string }): string {
  mkdirSync(folder, { recursive: true })
  const input = "file" in source ? { entryPoints: [join(root, source.file)] } : { stdin: stdinOf(source.code) }
  const { outputFiles } = buildSync({ ...input, ...OPTIONS, write: false, outdir: folder })
  const text = outputFiles[0]?.text ?? ""
  const file = join(folder, `${createHash("sha256").update(text).digest("hex").slice(0, 16)}.mjs`)
  if (!existsSync(file)) place(file, text)
  return file
}

function stdinOf(contents: string) {
  return { contents, resolveDir: root, loader: "ts" as const }
}

const OPTIONS = {
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20.17",
  packages: "external",
  logLevel: "warning",
} as const

// Two test files may want the same program at once: it appears whole.
function place(file: string, text: string): void {
  const part = `${file}.${process.pid}`
  writeFileSync(part, text)
  renameSync(part, file)
}
