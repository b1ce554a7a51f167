import type { JSONSchema, Tool, ToolContext, ToolResult } from "../../tool/tool.ts"
import { toolOf } from "../define-tool.ts"
import { binaryKind, HEAD_BYTES, UTF16 } from "../file-kind.ts"
import { Refusal, refusable } from "../refusal.ts"
import type { BuiltinSettings } from "./builtins.ts"
import { fileProblem } from "./file/file-problem.ts"
import { FILE_ARGUMENT, locate } from "./file/locate.ts"
import { openFile, requireStillPassing } from "./file/open-file.ts"
import { type LineWindow, readWindow, type WindowText } from "./file/read-window.ts"

const MAX_LINES = 2000
const DEFAULT_LINES = 1000
/** Of one line. */
const MAX_COLUMNS = 2000
const MAX_CHARS = 60_000

export interface ReadArguments {
  path: string
  offset?: number
  limit?: number
  column?: number
}

/** The built-in that reads a text file. */
export function readTool({ cwd }: BuiltinSettings): Tool {
  return toolOf<ReadArguments>("builtin", {
    name: "read",
    description:
      "Reads a text file and gives its lines, each behind its number and a tab. Long files come in parts: go on with offset. " +
      `A line is cut after ${MAX_COLUMNS} characters: go on with column. Of an image or another binary file only its type and size are told.`,
    inputSchema: SCHEMA,
    annotations: { readOnly: true },
    run: (args, ctx) => refusable(() => readFile(args, cwd, ctx)),
  })
}

const SCHEMA: JSONSchema = {
  type: "object",
  properties: {
    path: FILE_ARGUMENT,
    offset: { type: "integer", minimum: 1, description: "The first line that is given. Default 1" },
    limit: {
      type: "integer",
      minimum: 1,
      maximum: MAX_LINES,
      description: `How many lines. Default ${DEFAULT_LINES}`,
    },
    column: { type: "integer", minimum: 1, description: "The first character of each line that is given. Default 1" },
  },
  required: ["path"],
  additionalProperties: false,
}

/** @throws Refusal what the model is told */
export async function readFile(args: ReadArguments, cwd: string, ctx: ToolContext): Promise<ToolResult | string> {
  const { signal } = ctx
  const { path, offset = 1, limit = DEFAULT_LINES, column = 1 } = args
  const { file } = await locate(cwd, path)
  const { handle, stats } = await openFile(path, file)
  try {
    await requireStillPassing(path, ctx)
    const head = Buffer.alloc(HEAD_BYTES)
    const { bytesRead } = await handle.read(head, 0, HEAD_BYTES, 0)
    const kind = binaryKind(head.subarray(0, bytesRead))
    if (kind === UTF16)
      return `[${kind}, ${stats.size} bytes: read it with bash, for instance iconv -f utf-16 -t utf-8]`
    if (kind !== undefined) return `[${kind}, ${stats.size} bytes]`
    if (bytesRead === 0) return "[The file is empty]"
    const chunks = handle.createReadStream({ autoClose: false, start: 0, highWaterMark: 1 << 18 })
    const window = { offset, limit, column, columns: MAX_COLUMNS, chars: MAX_CHARS }
    return render(path, await readWindow(chunks, window, signal), window, stats.size)
  } catch (error) {
    if (error instanceof Refusal || signal?.aborted) throw error
    throw new Refusal(fileProblem(path, error))
  } finally {
    await handle.close()
  }
}

function render(path: string, text: WindowText, window: LineWindow, size: number): string {
  const { lines, end } = text
  if (lines.length === 0 && end.at === "file") {
    throw new Refusal(`${path} has ${end.lines} lines, and offset is ${window.offset}`)
  }
  const shown = lines.map((line, index) => {
    const rest = line.cut > 0 ? ` [... ${line.cut} more characters: read on with column ${line.nextColumn}]` : ""
    return `${window.offset + index}\t${line.text}${rest}`
  })
  const next = window.offset + lines.length
  const notices = [
    ...(end.at === "window" ? [`[The file, ${size} bytes, goes on: read on with offset ${next}]`] : []),
    ...(end.at === "file" && window.offset > 1 ? [`[The file ends here]`] : []),
    ...about(text),
  ]
  return [...shown, ...notices].join("\n")
}

function about({ bom, crlf, lf, damaged }: WindowText): string[] {
  const ends = crlf > 0 ? [lf > 0 ? "CRLF and LF line ends" : "CRLF line ends"] : []
  const facts = [...ends, ...(bom ? ["a byte order mark"] : [])]
  return [
    ...(facts.length > 0 ? [`[The file has ${facts.join(" and ")}; edit and apply_patch keep them]`] : []),
    ...(damaged
      ? ["[Some of it is shown as \uFFFD: those bytes are hardly UTF-8, and edit takes no file with such]"]
      : []),
  ]
}
