import { spawn } from "node:child_process"
import { accessSync, constants, statSync } from "node:fs"
import { basename, dirname, isAbsolute, join } from "node:path"
import type { Readable } from "node:stream"
import { systemFact } from "../../../tool/system-fact.ts"
import { childEnv } from "../../child-env.ts"
import { killAtExit, killGroup } from "../../process-group.ts"
import { Refusal } from "../../refusal.ts"
import type { Found, FoundLine, Search } from "./search.ts"
import { type Stops, timeNotice } from "./walk.ts"

/** Where ripgrep is, of the absolute folders on the search path: one that is relative could be anybody's. */
export function ripgrepPath(searchPath = ""): string | undefined {
  const folders = searchPath.split(":").filter(isAbsolute)
  return folders.map((folder) => join(folder, "rg")).find(isExecutable)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false // not there, or not for us
  }
}

// The same files as without ripgrep: of the files that say what is left out only .gitignore counts.
const OPTIONS = (
  "--no-config --no-heading --with-filename --line-number --null --color never --hidden --glob !.git --sort path --no-messages " +
  "--crlf --no-ignore-global --no-ignore-dot --no-ignore-exclude --max-columns 400 --max-columns-preview"
).split(" ")

/** Searches with ripgrep, in a session of its own and without its configuration. */
export async function searchWithRipgrep(rg: string, search: Search, { signal, time }: Stops): Promise<Found> {
  const { root, most } = search
  const args = [
    ...OPTIONS,
    search.case === "ignored" ? "--ignore-case" : "--case-sensitive",
    "--regexp",
    search.pattern,
  ]
  const target = root.kind === "folder" ? "./" : `./${basename(root.file)}`
  const child = spawn(rg, [...args, "--", target], {
    cwd: root.kind === "folder" ? root.file : dirname(root.file),
    env: childEnv(process.env, []),
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  })
  const stop = () => killGroup(child, "SIGKILL")
  const forget = killAtExit(child)
  signal?.addEventListener("abort", stop, { once: true })
  time?.addEventListener("abort", stop, { once: true })
  if (signal?.aborted || time?.aborted) stop()
  try {
    const ended = new Promise<number | null>((resolve, reject) => child.once("error", reject).once("close", resolve))
    const [lines, complaint] = await Promise.all([matchesIn(child.stdout, search, stop), startOf(child.stderr)])
    const code = await ended
    signal?.throwIfAborted()
    if (time?.aborted) return { lines: lines.slice(0, most), notices: [timeNotice()] }
    if (code === 2 && lines.length === 0 && complaint !== "") throw new Refusal(refused(complaint))
    return { lines: lines.slice(0, most), notices: [] }
  } catch (error) {
    if (error instanceof Refusal || signal?.aborted) throw error
    throw new Refusal(`ripgrep failed: ${systemFact(error)}`)
  } finally {
    signal?.removeEventListener("abort", stop)
    time?.removeEventListener("abort", stop)
    forget()
  }
}

function refused(complaint: string): string {
  return `The pattern cannot be read (${complaint.trim().split("\n").slice(0, 6).join("\n")})`
}

const MAX_COMPLAINT_CHARS = 2_000

async function startOf(stream: Readable): Promise<string> {
  let text = ""
  for await (const chunk of stream.setEncoding("utf8")) {
    if (text.length < MAX_COMPLAINT_CHARS) text += chunk
  }
  return text
}

/** Reads `PATH NUL LINE:TEXT LF`: a path may hold a line end, a text no NUL. */
async function matchesIn(stdout: Readable, search: Search, stop: () => void): Promise<FoundLine[]> {
  const lines: FoundLine[] = []
  let rest = ""
  for await (const chunk of stdout.setEncoding("utf8")) {
    rest += chunk
    for (let end = endOfMatch(rest); end >= 0; end = endOfMatch(rest)) {
      const match = parseMatch(rest.slice(0, end), search)
      rest = rest.slice(end + 1)
      if (match) lines.push(match)
      if (lines.length >= search.most) break
    }
    if (lines.length >= search.most) {
      stop()
      break
    }
  }
  return lines
}

function endOfMatch(text: string): number {
  const path = text.indexOf("\0")
  return path < 0 ? -1 : text.indexOf("\n", path)
}

function parseMatch(record: string, { root, wanted }: Search): FoundLine | undefined {
  const [, given = "", line, text = ""] = /^(?:\.\/)?([^\0]*)\0(\d+):(.*)$/s.exec(record) ?? []
  if (line === undefined || !wanted(given)) return undefined
  return { path: root.kind === "file" ? "" : given, line: Number(line), text: text.replace(/\r$/, "") }
}
