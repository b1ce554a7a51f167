import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from "node:fs"
import { basename } from "node:path"
import { setImmediate } from "node:timers/promises"
import { createContext, Script } from "node:vm"
import { messageOf } from "../../../tool/error.ts"
import { codeOf } from "../../../tool/system-fact.ts"
import { binaryKind, HEAD_BYTES } from "../../file-kind.ts"
import { Refusal } from "../../refusal.ts"
import { type Found, type Search, shownLine } from "./search.ts"
import { type Stops, type WalkReport, walk, walkNotices } from "./walk.ts"

/** Larger files are left out, and that is told. */
const MAX_FILE_BYTES = 20 * 1024 * 1024
/** For one file; a regular expression can take for ever on a line. Nothing else runs meanwhile. */
const MAX_MATCH_MS = 1_000

/** Searches without ripgrep. */
export async function searchHere(search: Search, stops: Stops): Promise<Found> {
  const { root, wanted, most } = search
  const match = lineMatcher(search)
  const report: WalkReport = { unreadable: 0, stopped: undefined }
  const left = { large: 0, unreadable: 0 }
  const found: Found = { lines: [], notices: [] }
  for await (const path of filesOf(root, report, stops)) {
    if (!wanted(path === "" ? basename(root.file) : path)) continue
    await setImmediate() // others get a turn, and an abort is heard
    const text = textIn(path === "" ? root.file : `${root.file}/${path}`)
    if (text === "large" || text === "unreadable") left[text]++
    if (typeof text === "string") continue
    for (const { line, at, text: whole } of match(text.text, most - found.lines.length, path)) {
      found.lines.push({ path, line, text: shownLine(whole, at) })
    }
    if (found.lines.length >= most) break
  }
  return { ...found, notices: [...leftNotices(left), ...walkNotices(report)] }
}

async function* filesOf({ file, kind }: Search["root"], report: WalkReport, stops: Stops): AsyncGenerator<string> {
  if (kind === "file") return yield ""
  for await (const entry of walk(file, report, stops)) if (entry.kind === "file") yield entry.path
}

function leftNotices({ large, unreadable }: { large: number; unreadable: number }): string[] {
  const files = (count: number) => (count === 1 ? "1 file" : `${count} files`)
  const limit = MAX_FILE_BYTES / 1024 / 1024
  return [
    ...(large > 0 ? [`[${files(large)} over ${limit} MiB not searched: search such a file with bash and grep]`] : []),
    ...(unreadable > 0 ? [`[${files(unreadable)} could not be read]`] : []),
  ]
}

/** Step by step for each of very many files, without waiting: that takes ten times as long. */
function textIn(file: string): { text: string } | "large" | "binary" | "unreadable" {
  let opened: number | undefined
  try {
    opened = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stats = fstatSync(opened)
    // A folder on the way that became a link meanwhile leads elsewhere.
    if (!stats.isFile() || realpathSync.native(file) !== file) return "unreadable"
    if (stats.size > MAX_FILE_BYTES) return "large"
    const bytes = readFileSync(opened)
    return binaryKind(bytes.subarray(0, HEAD_BYTES)) ? "binary" : { text: bytes.toString("utf8") }
  } catch {
    return "unreadable" // the search says so at its end
  } finally {
    if (opened !== undefined) closeSync(opened)
  }
}

interface Match {
  line: number
  at: number
  text: string
}

// Runs where it can be stopped: a pattern of a model must not hold this process for ever.
const MATCHING = new Script(`{
  matches = []
  let from = 0
  for (let line = 1; from < text.length && matches.length < most; line++) {
    const end = text.indexOf("\\n", from)
    const whole = text.slice(from, end < 0 ? text.length : end).replace(/\\r$/, "")
    const at = whole.search(expression)
    if (at >= 0) matches.push({ line, at, text: whole })
    from = end < 0 ? text.length : end + 1
  }
}`)

function lineMatcher(search: Search): (text: string, most: number, path: string) => Match[] {
  const expression = expressionOf(search)
  const sandbox: Record<string, unknown> = createContext({ expression, text: "", most: 0, matches: [] })
  return (text, most, path) => {
    Object.assign(sandbox, { text, most })
    try {
      MATCHING.runInContext(sandbox, { timeout: MAX_MATCH_MS })
    } catch (error) {
      if (codeOf(error) !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error
      const where = path === "" ? "the file" : path
      throw new Refusal(
        `The pattern takes too long on ${where}: make it simpler, without repetitions inside repetitions`,
      )
    }
    return sandbox.matches as Match[]
  }
}

function expressionOf({ pattern: given, case: letterCase }: Search): RegExp {
  // As ripgrep has it; what else it has in brackets is said to be wrong.
  const pattern = given.replace(/^\(\?i\)/, "")
  const flags = letterCase === "ignored" || pattern !== given ? "i" : ""
  try {
    return new RegExp(pattern, `${flags}u`)
  } catch {
    // Without u it takes more, such as an escaped letter that needs none.
  }
  try {
    return new RegExp(pattern, flags)
  } catch (error) {
    throw new Refusal(`The pattern cannot be read (${messageOf(error)})`)
  }
}
