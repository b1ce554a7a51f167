import { realpathSync } from "node:fs"
import { homedir } from "node:os"
import { extname, resolve, sep } from "node:path"
import { expandEnv } from "../../index.ts"
import { isRecord } from "../is-record.ts"
import { serverFolder } from "./server-folder.ts"

type Env = Readonly<Record<string, string | undefined>>

/** More pieces than this no command line has that a person wrote. */
const MAX_PIECES = 500

/**
 * The paths that a server's command line may name, wherever they lead: its words, what stands behind a `=` in them, and the words of a
 * command within one. Many name nothing.
 *
 * @param project what they are relative to, where the server says nothing else
 * @param env what `${NAME}` stands for when it is started
 */
export function pathsNamedBy(server: unknown, project: string, env: Env): string[] {
  if (!isRecord(server)) return []
  const filled = (text: string) => expandEnv(text, env).text.replace(/^~(?=\/|$)/, () => homedir())
  const cwd = serverFolder(server, project)
  const folder = typeof cwd === "string" ? resolve(project, filled(cwd)) : project
  const words = [server.command, ...(Array.isArray(server.args) ? server.args : [])]
    .filter((word): word is string => typeof word === "string")
    .map(filled)
  const pieces = words.flatMap((word) => [word, word.slice(word.indexOf("=") + 1), ...word.split(/[\s;&|()<>"'`=,]+/)])
  return [...new Set(pieces.filter((piece) => piece !== ""))]
    .slice(0, MAX_PIECES)
    .map((piece) => resolve(folder, piece))
}

const SCRIPT_ENDINGS: ReadonlySet<string> = new Set(
  ".js .mjs .cjs .jsx .ts .mts .cts .tsx .py .pyw .rb .pl .php .lua .sh .bash .zsh .fish .ps1 .bat .cmd .r .jl .exs .clj .groovy .kts .tcl .awk".split(
    " ",
  ),
)

/** Whether a file is a program in text: data that a server is given may change as it likes, and a binary with the system. */
export function isScript(path: string, bytes: Buffer): boolean {
  if (SCRIPT_ENDINGS.has(extname(path).toLowerCase())) return true
  const isText = !bytes.subarray(0, 8000).includes(0)
  return isText && (extname(path) === "" || bytes.subarray(0, 2).toString("latin1") === "#!")
}

/** Whether it is a part of an installed package, which changes as a whole. */
export function isInstalled(path: string): boolean {
  return realPathOf(path).split(sep).includes("node_modules")
}

/** Where a path leads; itself where nothing is there. */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path // looking at it tells what it is
  }
}
