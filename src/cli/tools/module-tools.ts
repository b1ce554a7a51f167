import { type Preview, type Tool, ToolnexusError, type ToolResult } from "../../index.ts"
import { errorText } from "../output/error-text.ts"
import { type HostedTools, type HostedToolsOptions, openHostedTools } from "./hosted-tools.ts"
import type { HostedTool } from "./tool-messages.ts"
import type { ToolFile } from "./tool-sources.ts"

/** The tools of modules, which run in a process of their own. */
export interface ModuleTools {
  files: ToolFile[]
  /** Resolves when what they printed has been told. */
  close(): Promise<void>
}

/**
 * Loads tools modules in a process of their own: whatever they do to it, this one goes on. Where it ends between two calls it
 * is started again with the next one; a call under way fails then, with an error of the code `tool`.
 *
 * @param paths absolute
 * @throws ToolnexusError `configuration`, one line that names the module
 */
export async function startModuleTools(paths: readonly string[], options: HostedToolsOptions): Promise<ModuleTools> {
  let hosted = await openHostedTools(paths, options)
  let isClosed = false
  let reopening: Promise<void> | undefined
  const reopen = async (gone: Promise<string>) => {
    options.onLine(`the tools process has ended (${await gone}), and is started again`)
    hosted = await openHostedTools(paths, options).catch((cause: unknown) => {
      throw new ToolnexusError("tool", errorText(cause), { cause })
    })
    if (isClosed) await hosted.close()
  }
  const living = async () => {
    const gone = hosted.gone()
    if (gone && !isClosed) {
      reopening ??= reopen(gone).finally(() => {
        reopening = undefined
      })
      await reopening
    }
    return hosted
  }
  return {
    files: hosted.modules.map(({ file, tools }) => ({ file, tools: tools.map((tool) => proxyOf(tool, living)) })),
    close() {
      isClosed = true
      return hosted.close()
    },
  }
}

/** A tool here that has it done there. */
function proxyOf({ previews, ...spec }: HostedTool, living: () => Promise<HostedTools>): Tool {
  const { name } = spec
  return {
    ...spec,
    // What came is checked by the toolkit, as every tool's result is.
    execute: async (args, ctx = {}) => (await (await living()).call("execute", name, args, ctx)) as ToolResult,
    ...(previews
      ? {
          preview: async (args, ctx = {}) => {
            try {
              return (await (await living()).call("preview", name, args, ctx)) as Preview
            } catch (error) {
              return { problem: errorText(error) }
            }
          },
        }
      : {}),
  }
}
