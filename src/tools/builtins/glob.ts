import type { JSONSchema, Tool, ToolContext } from "../../tool/tool.ts"
import { toolOf } from "../define-tool.ts"
import { Refusal, refusable } from "../refusal.ts"
import type { BuiltinSettings } from "./builtins.ts"

import { pathArgument } from "./file/locate.ts"
import { globPattern } from "./search/glob-pattern.ts"
import { requireRelative, searched } from "./search/searched-folder.ts"
import { pathShower } from "./search/shown-path.ts"
import { type Entry, searchTime, type WalkReport, walk, walkNotices } from "./search/walk.ts"

const DEFAULT_LIMIT = 200
const MAX_LIMIT = 2000

interface GlobArguments {
  pattern: string
  path?: string
  limit?: number
  offset?: number
}

/** The built-in that finds files by name. */
export function globTool({ cwd }: BuiltinSettings): Tool {
  return toolOf<GlobArguments>("builtin", {
    name: "glob",
    description:
      "Finds files and folders by a pattern, such as src/**/*.ts; * lists a folder. Folders end with /, symbolic links with @ and are not " +
      "followed. What git ignores is left out: to look there, name the folder in path.",
    inputSchema: SCHEMA,
    annotations: { readOnly: true },
    run: (args, ctx) => refusable(() => find(args, cwd, ctx)),
  })
}

const SCHEMA: JSONSchema = {
  type: "object",
  properties: {
    pattern: { type: "string", minLength: 1, maxLength: 1000, description: "*, **, ?, [a-z] and {a,b}, from path" },
    path: pathArgument("The folder to look in. Default: the working folder"),
    limit: { type: "integer", minimum: 1, maximum: MAX_LIMIT, description: `How many. Default ${DEFAULT_LIMIT}` },
    offset: { type: "integer", minimum: 0, description: "How many are left out at the start. Default 0" },
  },
  required: ["pattern"],
  additionalProperties: false,
}

async function find(args: GlobArguments, cwd: string, ctx: ToolContext): Promise<string> {
  const { signal } = ctx
  const { pattern, path = ".", limit = DEFAULT_LIMIT, offset = 0 } = args
  requireRelative("pattern", pattern)
  const matches = globPattern(pattern)
  if (!matches) throw new Refusal("The braces of pattern stand for too many patterns: use fewer")
  const root = await searched(cwd, path, ctx)
  if (root.kind === "file") throw new Refusal(`${path} is a file: name a folder`)
  const show = pathShower(cwd, path)
  const report: WalkReport = { unreadable: 0, stopped: undefined }
  const found: string[] = []
  let count = 0
  for await (const entry of walk(root.file, report, { signal, time: searchTime() })) {
    if (!matches(entry.path)) continue
    if (++count > offset + limit) break
    if (count > offset) found.push(show(entry.path) + MARKS[entry.kind])
  }
  if (count === 0) found.push("(nothing found)")
  else if (found.length === 0) found.push(`(there are ${count}, and offset is ${offset})`)
  if (count > offset + limit) found.push(`[There are more: go on with offset ${offset + limit}, or narrow the pattern]`)
  return [...found, ...walkNotices(report)].join("\n")
}

const MARKS: Readonly<Record<Entry["kind"], string>> = { file: "", folder: "/", link: "@", other: "" }
