import { readdirSync } from "node:fs"
import { systemFact, type Toolkit } from "../../index.ts"
import type { Io } from "../io.ts"
import { errorText } from "../output/error-text.ts"
import type { Output } from "../output/output.ts"
import { loadMcpFiles } from "../projects/mcp-files.ts"
import { assembleToolkit, offering, startModules, type ToolkitSettings } from "./load-toolkit.ts"
import type { ModuleTools } from "./module-tools.ts"
import { isHttpFile } from "./tool-file-kind.ts"
import { loadHttpFile, loadRelayFile, type ToolFile } from "./tool-sources.ts"

/** All tools that can be had, and what kept others from being. */
export interface InspectedToolkit {
  toolkit: Toolkit
  /** The module or relay file that a tool comes from. */
  fileOf(name: string): string | undefined
  /** One line each. */
  problems: string[]
}

/** Loads the tools, each source by itself: one that cannot be used is told with the reason, and the others are there. */
export async function inspectToolkit(settings: ToolkitSettings, io: Io, output: Output): Promise<InspectedToolkit> {
  const problems: string[] = []
  const say = (line: string) => void problems.push(line)
  const usable = <T>(load: () => T): T | undefined => attempt(load, say)
  const { tools, relay, mcp, skills, seals } = settings.choice
  const { offered, ...all } = settings.choice
  const choice = {
    ...all,
    mcp: mcp.filter((file) => usable(() => loadMcpFiles([file], seals))),
    skills: skills.filter((folder) => usable(() => requireFolder(folder))),
  }
  const processes: ModuleTools[] = []
  const toolkit = await assembleToolkit({ ...settings, choice, extraTools: [], modules: processes }, io, {
    ...output,
    say,
  })
  const files = new Map<string, string>()
  const add = ({ file, tools: added }: ToolFile) => {
    for (const tool of added) {
      const before = new Set(toolkit.tools())
      usable(() => toolkit.register(tool))
      for (const { name } of toolkit.tools().filter((it) => !before.has(it))) files.set(name, file)
    }
  }
  for (const file of tools) {
    try {
      if (isHttpFile(file)) add(loadHttpFile(file, seals, io.env))
      else {
        const module = await startModules([file], settings, io, output)
        processes.push(module)
        module.files.forEach(add)
      }
    } catch (error) {
      say(errorText(error))
    }
  }
  for (const file of relay) {
    const loaded = usable(() => loadRelayFile(file, seals))
    if (loaded) add(loaded)
  }
  const offeredOnly = offered === undefined ? toolkit : offering(toolkit, offered, { say })
  return { toolkit: offeredOnly, fileOf: (name) => files.get(name), problems }
}

function attempt<T>(load: () => T, say: (problem: string) => void): T | undefined {
  try {
    return load()
  } catch (error) {
    say(errorText(error))
    return undefined
  }
}

function requireFolder(folder: string): true {
  try {
    readdirSync(folder)
    return true
  } catch (error) {
    throw new Error(`the skills in ${folder} cannot be used: ${systemFact(error)}: name another folder`)
  }
}
