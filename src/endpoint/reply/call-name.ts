import type { ToolSpec } from "../../tool/tool.ts"

/** A tool's name without what a model's template leaks into it. */
export function repairName(raw: unknown, tools: readonly ToolSpec[]): string {
  const name = typeof raw === "string" ? raw.trim() : ""
  const isKnown = (candidate: string) => tools.some((tool) => tool.name === candidate)
  if (isKnown(name)) return name
  const clean = name.split("<|")[0]?.trim() ?? ""
  const bare = clean.replace(/^(functions?|tools?)[.:]/, "").replace(/:\d+$/, "")
  return isKnown(bare) ? bare : clean
}
