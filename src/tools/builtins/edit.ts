import type { JSONSchema, Tool } from "../../tool/tool.ts"
import { Refusal } from "../refusal.ts"
import type { BuiltinSettings } from "./builtins.ts"
import { changingTool, type Plan } from "./file/changing-tool.ts"
import { FILE_ARGUMENT, locate } from "./file/locate.ts"
import { linesAt, placesOf, replaceAt, unified } from "./file/replace-text.ts"
import { takeSnapshot } from "./file/snapshot.ts"
import type { Turn } from "./file/take-turns.ts"
import { readText, textBytes } from "./file/text-file.ts"

interface EditArguments {
  path: string
  oldText: string
  newText: string
  all?: boolean
}

/** The built-in that replaces a piece of a file. */
export function editTool({ cwd }: BuiltinSettings, turn: Turn): Tool {
  const plan = (args: EditArguments, signal: AbortSignal | undefined) => planEdit(args, cwd, signal)
  return changingTool({ name: "edit", description: DESCRIPTION, inputSchema: SCHEMA, plan }, { cwd, turn })
}

const DESCRIPTION =
  "Replaces a piece of a text file. oldText must be exactly what is in the file, white space and indentation included (without the line " +
  "numbers that read shows), and be there once: give enough lines around it, or set all. Line ends (CRLF or LF) and a byte order mark " +
  "stay as they are. Read the file first. To make a file or replace it whole use write; for several places or files at once apply_patch."

const SCHEMA: JSONSchema = {
  type: "object",
  properties: {
    path: FILE_ARGUMENT,
    oldText: { type: "string", minLength: 1, description: "What is there now" },
    newText: { type: "string", description: "What takes its place; empty to delete it" },
    all: { type: "boolean", description: "Replace every place where oldText is. Default false: it must be there once" },
  },
  required: ["path", "oldText", "newText"],
  additionalProperties: false,
}

async function planEdit(args: EditArguments, cwd: string, signal: AbortSignal | undefined): Promise<Plan> {
  const { path, newText, all = false } = args
  const { file } = await locate(cwd, path)
  const before = await takeSnapshot(path, file, signal)
  if (!before) throw new Refusal(`${path} is not there: look for it with glob, or make it with write`)
  const content = readText(path, before)
  const text = unified(content.text).text
  const oldText = args.oldText.replaceAll("\r\n", "\n")
  if (oldText === newText.replaceAll("\r\n", "\n")) throw new Refusal("oldText and newText are the same")
  const places = placesOf(text, oldText, all ? "apart" : "overlapping too")
  if (places.length === 0) throw new Refusal(`oldText was not found in ${path}${hintFor(text, oldText)}`)
  const lines = linesList(linesAt(text, places))
  if (places.length > 1 && !all) {
    throw new Refusal(
      `oldText is in ${path} ${places.length} times, in ${lines}: give more of the text around the one that is meant, or set all`,
    )
  }
  if (places.length > MAX_PLACES) {
    throw new Refusal(
      `oldText is in ${path} ${places.length} times, and more than ${MAX_PLACES} are not replaced in one call: use bash, for instance sed`,
    )
  }
  const bytes = textBytes({ ...content, text: replaceAt(content.text, places, oldText, newText) })
  const done = `${path}: replaced ${places.length === 1 ? "1 place" : `${places.length} places`}, in ${lines}.`
  return { changes: [{ path, file, before, after: { bytes } }], done }
}

/** Somebody may have to look at all of them. */
const MAX_PLACES = 10_000
const MAX_LINES_NAMED = 20

function linesList(lines: readonly number[]): string {
  const named = lines.slice(0, MAX_LINES_NAMED).join(", ")
  const more = lines.length - MAX_LINES_NAMED
  return `${lines.length === 1 ? "line" : "lines"} ${named}${more > 0 ? ` and ${more} more` : ""}`
}

/** So many places are tried for a hint. */
const MAX_TRIED = 1000

/** What is usually wrong. */
function hintFor(text: string, oldText: string): string {
  const wanted = bareLines(oldText)
  const [first = ""] = wanted
  const lines = bareLines(text)
  let tried = 0
  const at = lines.findIndex(
    (line, index) => line === first && ++tried <= MAX_TRIED && wanted.every((each, n) => lines[index + n] === each),
  )
  if (at >= 0 && first !== "") return `: ${linesList([at + 1])} differs from it in white space only`
  const numbered = oldText.split("\n").every((line) => line === "" || /^\s*\d+\t/.test(line))
  if (numbered) return ": leave out the line numbers that read shows"
  return ": it must be exactly what is there; read the file again"
}

function bareLines(text: string): string[] {
  return text.split("\n").map((line) => line.replace(/\s+/g, " ").trim())
}
