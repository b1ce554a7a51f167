import { accessSync, constants, statSync } from "node:fs"
import { delimiter, isAbsolute, join } from "node:path"
import type { Io } from "../io.ts"
import { type Check, note, ok, problem } from "./check.ts"

/** The releases of Node.js that it is made for: as `engines` in package.json, which a test compares. */
export const RELEASES = "^20.17.0 || ^22.13.0 || >=23.5.0"

/** @param version as in `process.versions.node` */
export function checkNode(version: string, { platform, arch }: Pick<NodeJS.Process, "platform" | "arch">): Check {
  const fact = `Node.js ${version} on ${platform} ${arch}`
  if (!isMadeFor(version)) return problem("node", fact, `install one of ${RELEASES}`)
  if (platform === "win32")
    return note("node", `${fact}: it is tried on Linux and macOS`, "use WSL where something fails")
  return ok("node", fact)
}

function isMadeFor(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  return (major === 20 && minor >= 17) || (major === 22 && minor >= 13) || (major === 23 && minor >= 5) || major > 23
}

/** Whether questions can be asked; the terminal is opened and let go of. */
export function checkTerminal({ terminal }: Io): Check {
  const device = terminal.open()
  device?.input.destroy()
  device?.output.destroy()
  if (!device) {
    const next = "nothing needs to be done in CI: it can be answered later, with toolnexus answer or resume"
    return note("terminal", "there is none: what needs a person is left open, and the run halts (exit 3)", next)
  }
  if (terminal.inForeground()) return ok("terminal", "questions are asked at this terminal")
  return note("terminal", "it is not in the terminal's foreground: nothing is asked", "bring it there with fg")
}

export function checkRipgrep({ env }: Io): Check {
  const path = programOn(env.PATH, "rg")
  if (path !== undefined) return ok("ripgrep", path)
  return note("ripgrep", "it is not found: grep searches by itself, which takes longer", "install ripgrep (rg)")
}

/** What long answers are edited in. */
export function checkEditor({ env }: Io): Check {
  const from = ["VISUAL", "EDITOR"].find((name) => env[name])
  const editor = from === undefined ? "vi" : (env[from] as string)
  const said = `${editor} (${from ?? "neither VISUAL nor EDITOR is set"})`
  const [program = ""] = editor.trim().split(/\s+/)
  const isThere = isAbsolute(program) ? isExecutable(program) : programOn(env.PATH, program) !== undefined
  if (isThere || /[^\w@%+=:,./-]/.test(program)) return ok("editor", said) // the shell finds out what it is
  return note("editor", `${said} is not found: long answers cannot be edited in it`, "name one in EDITOR")
}

/** Of the absolute folders on the search path: one that is relative could be anybody's. */
function programOn(searchPath = "", name: string): string | undefined {
  const folders = searchPath.split(delimiter).filter(isAbsolute)
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false // not there, or not for us
  }
}
