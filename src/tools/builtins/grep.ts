import type { JSONSchema, Tool, ToolContext } from "../../tool/tool.ts"
import { toolOf } from "../define-tool.ts"
import { Refusal, refusable } from "../refusal.ts"
import type { BuiltinSettings } from "./builtins.ts"

import { pathArgument } from "./file/locate.ts"
import { globPattern } from "./search/glob-pattern.ts"
import { ripgrepPath, searchWithRipgrep } from "./search/ripgrep.ts"
import type { Found, Search } from "./search/search.ts"
import { requireRelative, searched } from "./search/searched-folder.ts"
import { pathShower } from "./search/shown-path.ts"
import { type Stops, searchTime } from "./search/walk.ts"

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1000

interface GrepArguments {
  pattern: string
  path?: string
  glob?: string
  ignoreCase?: boolean
  limit?: number
  offset?: number
}

/** The built-in that searches in files. */
export function grepTool({ cwd }: BuiltinSettings): Tool {
  return toolOf<GrepArguments>("builtin", {
    name: "grep",
    description:
      "Searches the lines of files for a regular expression and gives PATH:LINE:TEXT for each line that fits. Hidden files are searched, " +
      "binary ones are not; what git ignores is left out: to look there, name the folder in path. A pattern is compared with one line at a time.",
    inputSchema: SCHEMA,
    annotations: { readOnly: true },
    run: (args, ctx) => refusable(() => grep(args, cwd, ctx)),
  })
}

const SCHEMA: JSONSchema = {
  type: "object",
  properties: {
    pattern: {
      type: "string",
      minLength: 1,
      maxLength: 1000,
      description: "A regular expression; (?i) in front ignores case",
    },
    path: pathArgument("The file or folder to search. Default: the working folder"),
    glob: {
      type: "string",
      minLength: 1,
      maxLength: 1000,
      description: "Only files like this, such as *.ts or src/**/*.md",
    },
    ignoreCase: { type: "boolean", description: "Default false" },
    limit: { type: "integer", minimum: 1, maximum: MAX_LIMIT, description: `How many lines. Default ${DEFAULT_LIMIT}` },
    offset: { type: "integer", minimum: 0, description: "How many are left out at the start. Default 0" },
  },
  required: ["pattern"],
  additionalProperties: false,
}

async function grep(args: GrepArguments, cwd: string, ctx: ToolContext): Promise<string> {
  const { signal } = ctx
  const { pattern, path = ".", glob, ignoreCase = false, limit = DEFAULT_LIMIT, offset = 0 } = args
  if (pattern.includes("\n")) throw new Refusal("The pattern has a line end in it, and one line at a time is searched")
  if (glob !== undefined) requireRelative("glob", glob)
  const wanted = glob === undefined ? () => true : globPattern(glob, "name")
  if (!wanted) throw new Refusal("The braces of glob stand for too many patterns: use fewer")
  const root = await searched(cwd, path, ctx)
  const search: Search = { pattern, case: ignoreCase ? "ignored" : "exact", root, wanted, most: offset + limit + 1 }
  const rg = ripgrepPath(process.env.PATH)
  const stops = { signal, time: searchTime() }
  const found = rg === undefined ? await searchedHere(search, stops) : await searchWithRipgrep(rg, search, stops)
  return render(found, offset, limit, pathShower(cwd, path))
}

/** Our own search is loaded where there is no ripgrep, by the first call. */
async function searchedHere(search: Search, stops: Stops): Promise<Found> {
  const { searchHere } = await import("./search/search-here.ts")
  return searchHere(search, stops)
}

function render(found: Found, offset: number, limit: number, show: (below: string) => string): string {
  const { lines, notices } = found
  const shown = lines.slice(offset, offset + limit).map(({ path, line, text }) => `${show(path)}:${line}:${text}`)
  if (lines.length === 0) shown.push("(nothing found)")
  else if (shown.length === 0) shown.push(`(there are ${lines.length}, and offset is ${offset})`)
  if (lines.length > offset + limit) {
    shown.push(`[There are more: go on with offset ${offset + limit}, or narrow the search]`)
  }
  return [...shown, ...notices].join("\n")
}
