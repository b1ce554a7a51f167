import type { Decision, GatedCall } from "./gate.ts"
import { leavesFolder } from "./spellings.ts"
import { FILE_TOOLS, subjectOf } from "./subject.ts"

/** What these do is never only looking: they change something, or tell another machine something. */
const ALWAYS_ASKED: ReadonlySet<string> = new Set(["bash", "write", "edit", "apply_patch", "webfetch"])

/**
 * What counts where no rule matches: built-ins may look inside the working folder, what changes anything or leaves the folder is asked
 * about, and so is a tool of another program or machine (MCP, HTTP) that is not marked as only reading. A built-in is known by its
 * name, not by where it is said to come from.
 *
 * @param cwd the working folder
 */
export function defaultDecision(call: GatedCall, cwd: string): Decision {
  const subject = FILE_TOOLS.has(call.name) ? subjectOf(call) : undefined
  const leaves = subject?.kind === "places" && subject.places.some((place) => leavesFolder(place, cwd))
  if (leaves) return { decision: "ask", by: "default", rule: `ask ${call.name} outside the working folder (default)` }
  if (ALWAYS_ASKED.has(call.name)) return { decision: "ask", by: "default", rule: `ask ${call.name} (default)` }
  if (mayChangeElsewhere(call))
    return { decision: "ask", by: "default", rule: `ask ${call.name}, which does not only read (default)` }
  return { decision: "allow", by: "default" }
}

/** A tool that this process was given is what it says, so that a file cannot make one of these harmless. */
function mayChangeElsewhere({ tool }: GatedCall): boolean {
  return (tool.source === "http" || tool.source === "mcp") && tool.annotations?.readOnly !== true
}
