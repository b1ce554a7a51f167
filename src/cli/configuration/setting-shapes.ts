import type { McpHttpServer, McpStdioServer } from "../../index.ts"
import type { AGENT_SETTINGS, PERMISSION_SETTINGS, PROFILE_SETTINGS, SETTINGS } from "./configuration.ts"
import type { LIMIT_SETTINGS } from "./limit-settings.ts"

/** What can stand at a place of a configuration file. */
export type Shape =
  /** A text is typed as it is, anything else as JSON; where both can be, what begins as JSON does is JSON. */
  | { is: "value"; form: "text" | "a number" | "true or false" | "a list of texts" | "text or JSON" }
  | { is: "members"; of: Readonly<Record<string, Shape>> }
  /** Under names that the person chooses. */
  | { is: "named"; each: Shape }

const TEXT: Shape = { is: "value", form: "text" }
const NUMBER: Shape = { is: "value", form: "a number" }
const SWITCH: Shape = { is: "value", form: "true or false" }
const LIST: Shape = { is: "value", form: "a list of texts" }

const LIMITS: Record<(typeof LIMIT_SETTINGS)[number], Shape> = {
  maxTurns: NUMBER,
  maxTokens: NUMBER,
  maxToolCalls: NUMBER,
  maxRepeats: NUMBER,
  timeout: TEXT,
}

const PERMISSIONS: Record<(typeof PERMISSION_SETTINGS)[number], Shape> = {
  allow: LIST,
  ask: LIST,
  deny: LIST,
  remember: { is: "value", form: "text or JSON" },
}

const PROFILE: Record<(typeof PROFILE_SETTINGS)[number], Shape> = {
  baseUrl: TEXT,
  model: TEXT,
  style: TEXT,
  apiKeyEnv: TEXT,
  auth: TEXT,
  headers: { is: "named", each: TEXT },
}

const AGENT: Record<(typeof AGENT_SETTINGS)[number], Shape> = { system: TEXT, model: TEXT, tools: LIST }

const SERVER: Record<keyof McpStdioServer | keyof McpHttpServer, Shape> = {
  type: TEXT,
  command: TEXT,
  args: LIST,
  env: { is: "named", each: TEXT },
  cwd: TEXT,
  url: TEXT,
  headers: { is: "named", each: TEXT },
  disabled: SWITCH,
  includeTools: LIST,
  excludeTools: LIST,
  readOnly: LIST,
  idempotent: LIST,
  trustHints: SWITCH,
  startTimeoutMs: NUMBER,
  callTimeoutMs: NUMBER,
}

const named = (of: Record<string, Shape>): Shape => ({ is: "named", each: { is: "members", of } })

const ALL: Record<(typeof SETTINGS)[number], Shape> = {
  profile: TEXT,
  profiles: named(PROFILE),
  permissions: { is: "members", of: PERMISSIONS },
  limits: { is: "members", of: LIMITS },
  mcpServers: named(SERVER),
  tools: LIST,
  relay: LIST,
  skills: LIST,
  agents: named(AGENT),
  privateHosts: LIST,
  masks: { is: "named", each: TEXT },
}

/** A whole configuration file. */
export const CONFIGURATION: Extract<Shape, { is: "members" }> = { is: "members", of: ALL }
