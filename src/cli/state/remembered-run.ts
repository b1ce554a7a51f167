import type { Rules } from "../configuration/configuration.ts"
import type { Endpoint } from "../endpoint/endpoint-settings.ts"
import { readOurs, type Uid, unusable } from "../files/private-folder.ts"
import { isRecord } from "../is-record.ts"
import type { ToolChoice } from "../tools/tool-choice.ts"
import { jsonProblem } from "../words/json-problem.ts"

/** What this machine remembers of a run that this user made on it: what a run file must not decide. */
export interface RememberedRun extends ToolChoice {
  runId: string
  /** Of a run from elsewhere only what its user named here is remembered, for the same file. */
  made: "here" | "elsewhere"
  /** Absolute, links resolved. */
  file: string
  /** Which file it is, so that one that was moved is still known, and one that was put in its place is not. */
  identity: string
  /** What it held when we let go of it; absent while we are at it, and after a crash. */
  seal?: string
  endpoint: Endpoint
  rules: Rules
  /** Where the agent works. */
  cwd: string
}

/**
 * @param runId what the entry must be about; `""`: any
 * @returns `undefined` where there is no such entry
 * @throws ToolnexusError `configuration` for one that cannot be used
 */
export function readRememberedRun(path: string, runId: string, uid: Uid): RememberedRun | undefined {
  const text = readOurs(path, uid)
  if (text === undefined) return undefined
  const value = { ...SINCE_THE_FIRST, ...parsed(text, path) }
  if (isRemembered(value) && (runId === "" || value.runId === runId)) return value
  throw unusable(path, "does not hold what it should")
}

/** What entries of the first release do not say. */
const SINCE_THE_FIRST = { mcp: [], skills: [], seals: {} }

function parsed(text: string, path: string): object {
  try {
    return Object(JSON.parse(text))
  } catch {
    throw unusable(path, `is not JSON (${jsonProblem(text)})`)
  }
}

function isRemembered(value: object): value is RememberedRun {
  const { runId, file, made, identity, seal, endpoint, tools, relay, builtins, rules, cwd, ...rest } =
    value as Partial<RememberedRun>
  const { mcp, skills, offered = [], seals } = rest
  const lists = [tools, relay, mcp, skills, offered, rules?.allow, rules?.ask, rules?.deny]
  return (
    [runId, file, identity, cwd].every((text) => typeof text === "string") &&
    lists.every((list) => Array.isArray(list) && list.every((entry) => typeof entry === "string")) &&
    typeof builtins === "boolean" &&
    isRecord(seals) &&
    (seal === undefined || typeof seal === "string") &&
    (made === "here" || made === "elsewhere") &&
    (endpoint?.kind === "demo" || (endpoint?.kind === "http" && typeof endpoint.baseUrl === "string"))
  )
}
