import { matchesWildcard } from "../../tool/wildcard.ts"
import { oneLine } from "../one-line.ts"
import { type ListedTool, listedTool } from "./listed-tool.ts"
import type { ServerSettings } from "./read-servers.ts"

export type ToolList = ReadonlyMap<string, ListedTool>

/**
 * The tools of a server's list that can be offered and that its configuration wants.
 *
 * @param onProblem told of what is left out because it is wrong, and of names in the configuration that no tool has
 */
export function toolsIn(
  entries: readonly unknown[],
  settings: ServerSettings,
  onProblem: (fact: string) => void,
): ToolList {
  const tools = new Map<string, ListedTool>()
  for (const entry of entries) {
    const tool = listedTool(entry)
    if ("problem" in tool) onProblem(oneLine(tool.problem))
    else if (tools.has(tool.name)) onProblem(`it lists two tools of the name ${oneLine(tool.name)}`)
    else tools.set(tool.name, { ...tool, description: settings.hide(tool.description) })
  }
  for (const member of LISTS) {
    const unknown = settings[member].filter((name) => !name.includes("*") && !tools.has(name)).map(oneLine)
    if (unknown.length > 0) onProblem(`its ${member} names ${unknown.join(", ")}, and it has no such tool`)
  }
  return new Map([...tools].filter(([name]) => isWanted(name, settings)))
}

const LISTS = ["includeTools", "excludeTools", "readOnly", "idempotent"] as const

function isWanted(name: string, { includeTools, excludeTools }: ServerSettings): boolean {
  return isNamed(name, includeTools) && !isNamed(name, excludeTools)
}

/** Whether a list of the configuration names a tool. */
export function isNamed(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matchesWildcard(pattern, name))
}

/** What is different in a list, in words; `undefined` where nothing is. */
export function changeOf(before: ToolList, now: ToolList): string | undefined {
  const fresh = [...now.keys()].filter((name) => !before.has(name))
  const gone = [...before.keys()].filter((name) => !now.has(name))
  const other = [...now]
    .filter(([name, tool]) => before.has(name) && !isSame(before.get(name), tool))
    .map(([name]) => name)
  const parts = [named("new", fresh), named("gone", gone), named("changed", other)].filter((part) => part !== "")
  return parts.length === 0 ? undefined : parts.join("; ")
}

const MAX_NAMED = 10

function named(what: string, names: readonly string[]): string {
  if (names.length === 0) return ""
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : ""
  return `${what}: ${names.slice(0, MAX_NAMED).map(oneLine).join(", ")}${more}`
}

function isSame(one: ListedTool | undefined, other: ListedTool): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
