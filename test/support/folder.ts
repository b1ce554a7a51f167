import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { after } from "node:test"
import { createToolkit } from "../../src/tools/create-toolkit.ts"
import type { ToolkitOptions } from "../../src/tools/toolkit.ts"

/** A folder of a test, gone when its file's tests have ended. */
export function temporaryFolder(files: Readonly<Record<string, string | Buffer>> = {}) {
  const path = mkdtempSync(join(realpathSync(tmpdir()), "toolnexus-files-"))
  after(() => rmSync(path, { recursive: true, force: true }))
  const put = (name: string, content: string | Buffer) => {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), content)
  }
  for (const [name, content] of Object.entries(files)) put(name, content)
  return {
    path,
    put,
    text: (name: string) => readFileSync(join(path, name), "utf8"),
    at: (name: string) => join(path, name),
  }
}

/** A folder with the built-ins working in it. */
export async function workingFolder(
  files: Readonly<Record<string, string | Buffer>> = {},
  options: ToolkitOptions = {},
) {
  const folder = temporaryFolder(files)
  const toolkit = await createToolkit({ builtins: true, cwd: folder.path, ...options })
  return {
    ...folder,
    toolkit,
    call: (name: string, args: object, ctx: object = {}) => toolkit.execute(name, args, ctx),
    preview: async (name: string, args: Record<string, unknown>) => {
      const shown = await toolkit.get(name)?.preview?.(args)
      if (!shown || "problem" in shown) throw new Error(`no preview: ${shown?.problem}`)
      return shown
    },
  }
}
