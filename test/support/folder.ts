import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { after } from "node:test"
import type { Preview, ToolContext, ToolResult } from "../../src/tool/tool.ts"
import { createToolkit } from "../../src/tools/create-toolkit.ts"
import type { Toolkit, ToolkitOptions } from "../../src/tools/toolkit.ts"

type Files = Readonly<Record<string, string | Buffer>>

export interface Folder {
  path: string
  /** The absolute path of a name in it. */
  at(name: string): string
  put(name: string, content: string | Buffer): void
  text(name: string): string
}

/** A folder of a test, gone when its file's tests have ended. */
export function temporaryFolder(files: Files = {}): Folder {
  const path = mkdtempSync(join(realpathSync(tmpdir()), "toolnexus-files-"))
  after(() => rmSync(path, { recursive: true, force: true }))
  const at = (name: string) => join(path, name)
  const put = (name: string, content: string | Buffer) => {
    mkdirSync(dirname(at(name)), { recursive: true })
    writeFileSync(at(name), content)
  }
  for (const [name, content] of Object.entries(files)) put(name, content)
  return { path, at, put, text: (name) => readFileSync(at(name), "utf8") }
}

export interface WorkingFolder extends Folder {
  toolkit: Toolkit
  call(name: string, args: object, ctx?: ToolContext): Promise<ToolResult>
  /** What a call would change; a problem is thrown. */
  preview(name: string, args: Record<string, unknown>): Promise<Exclude<Preview, { problem: string }>>
}

/** A folder with the built-ins working in it. */
export async function workingFolder(files: Files = {}, options: ToolkitOptions = {}): Promise<WorkingFolder> {
  const folder = temporaryFolder(files)
  const toolkit = await createToolkit({ builtins: true, cwd: folder.path, ...options })
  return {
    ...folder,
    toolkit,
    call: (name, args, ctx = {}) => toolkit.execute(name, args, ctx),
    preview: async (name, args) => {
      const shown = await toolkit.get(name)?.preview?.(args)
      if (!shown || "problem" in shown) throw new Error(`no preview: ${shown?.problem}`)
      return shown
    },
  }
}
