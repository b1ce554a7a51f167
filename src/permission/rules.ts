import { ToolnexusError } from "../tool/error.ts"
import type { GatedCall } from "./gate.ts"

export type Effect = "allow" | "ask" | "deny"

/** Where a rule was said. */
export type RuleSource = "flag" | "project" | "user"

/** One permission rule. */
export interface Rule {
  effect: Effect
  /** `TOOL` or `TOOL(PATTERN)`; TOOL may be `mcp:SERVER/TOOL`; `*` matches any characters. */
  rule: string
  source?: RuleSource
  /** A further condition. A throw, or anything but true and false, refuses the call. */
  when?: (call: GatedCall) => boolean | Promise<boolean>
}

/** What a rule's text says. */
export interface ParsedRule {
  tool: { name: string } | { server: string; name: string }
  /** Without one every call of the tool is meant. */
  pattern?: string
}

/**
 * Reads a rule's text.
 *
 * @param text `TOOL` or `TOOL(PATTERN)`
 * @throws ToolnexusError `usage`, saying what is wrong with it
 * @example parseRule("bash(git status*)") // { tool: { name: "bash" }, pattern: "git status*" }
 */
export function parseRule(text: string): ParsedRule {
  if (typeof text !== "string") throw invalid(text, `it must be a string, got ${typeof text}`)
  const trimmed = text.trim()
  if (trimmed === "") throw invalid(text, "it is empty")
  const open = trimmed.indexOf("(")
  if (open < 0) return { tool: parseTool(text, trimmed) }
  if (!trimmed.endsWith(")")) throw invalid(text, "the pattern's closing bracket is missing")
  const pattern = trimmed.slice(open + 1, -1).trim()
  const tool = parseTool(text, trimmed.slice(0, open).trim())
  if (pattern === "") throw invalid(text, `the pattern is empty: ${trimmed.slice(0, open)} alone means every call`)
  return { tool, pattern }
}

/** The rule in words for a person: `deny bash(rm*) (flag)`. */
export function renderRule({ effect, rule, source }: Rule): string {
  return `${effect} ${rule.trim()}${source === undefined ? "" : ` (${source})`}`
}

function parseTool(text: string, tool: string): ParsedRule["tool"] {
  if (tool === "") throw invalid(text, "the tool's name is missing")
  if (tool.startsWith("mcp:")) return parseMcpTool(text, tool.slice("mcp:".length))
  if (/\s/.test(tool)) throw invalid(text, `"${tool}" is no tool's name; for a command write bash(${tool})`)
  if (!/^[\w.*-]+$/.test(tool)) throw invalid(text, `"${tool}" is no tool's name`)
  return { name: tool }
}

function parseMcpTool(text: string, path: string): ParsedRule["tool"] {
  const slash = path.indexOf("/")
  const server = path.slice(0, slash)
  const name = path.slice(slash + 1)
  if (slash < 1 || name === "")
    throw invalid(text, "an MCP tool is written mcp:SERVER/TOOL, all of a server's mcp:SERVER/*")
  return { server, name }
}

function invalid(text: unknown, why: string): ToolnexusError {
  const shown = typeof text === "string" ? JSON.stringify(text) : String(text)
  return new ToolnexusError(
    "usage",
    `the rule ${shown} cannot be read: ${why}. A rule is TOOL or TOOL(PATTERN), such as bash(git status*)`,
  )
}
