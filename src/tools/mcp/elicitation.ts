import { createHash, randomUUID } from "node:crypto"
import { type Answer, outputOf } from "../../suspension/answer.ts"
import { canonicalJson } from "../../suspension/canonical-json.ts"
import { isRecord, type Request, typeName } from "../../suspension/request.ts"
import { pending } from "../../tool/result.ts"
import type { ToolResult } from "../../tool/tool.ts"
import type { Hide } from "../hide-values.ts"

/** What a server asks a person in the middle of a call. */
export interface Elicitation {
  readonly message: string
  /** The same wherever a server asks the same: message, and schema or address. */
  readonly fingerprint: string
  readonly ask: Pick<Request, "kind" | "url" | "data">
  /** What the server is told. */
  resultFor(answer: Answer): ElicitResult
}

export type ElicitResult =
  | { action: "accept"; content?: Record<string, unknown> }
  | { action: "decline" }
  | { action: "cancel" }

export const CANCEL: ElicitResult = { action: "cancel" }

/**
 * Reads the parameters of `elicitation/create`.
 *
 * @param hide takes out of the message what must not be said
 * @throws Error for the server: what is wrong with them
 */
export function elicitationFrom(params: unknown, hide: Hide = (text) => text): Elicitation {
  if (!isRecord(params) || typeof params.message !== "string") throw invalid("an elicitation needs a message")
  const { mode = "form" } = params
  const message = hide(params.message)
  if (mode === "url") return addressFrom(message, params)
  if (mode === "form") return formFrom(message, params)
  throw invalid(`this client knows the modes form and url, not ${String(mode)}`)
}

function addressFrom(message: string, { url }: Record<string, unknown>): Elicitation {
  if (typeof url !== "string" || !/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw invalid("the url of an elicitation must be an address that begins with https:// or http://")
  }
  return {
    message,
    fingerprint: fingerprintOf("url", message, url),
    ask: { kind: "authorization", url },
    resultFor: (answer) => (answer.ok ? { action: "accept" } : refusal(answer)),
  }
}

function formFrom(message: string, { requestedSchema: schema }: Record<string, unknown>): Elicitation {
  if (!isRecord(schema) || !isRecord(schema.properties)) {
    throw invalid(`the requestedSchema of an elicitation must be an object with properties, got ${typeName(schema)}`)
  }
  const { properties } = schema
  const isEmpty = Object.keys(properties).length === 0
  return {
    message,
    fingerprint: fingerprintOf("form", message, schema),
    // Where there is nothing to fill in, it is a question of yes or no.
    ask: isEmpty ? { kind: "approval" } : { kind: "input", data: { schema } },
    resultFor(answer) {
      if (!answer.ok) return refusal(answer)
      const content = isEmpty ? {} : contentIn(answer)
      return content ? { action: "accept", content: withDefaults(content, properties) } : CANCEL
    },
  }
}

/** What cannot be read is no answer. (What was just given fits: the engine has checked it.) */
function contentIn(answer: Answer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(outputOf(answer) ?? "")
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

function withDefaults(content: Record<string, unknown>, properties: Record<string, unknown>): Record<string, unknown> {
  const defaults = Object.entries(properties).flatMap(([name, property]) =>
    isRecord(property) && property.default !== undefined && !Object.hasOwn(content, name)
      ? [[name, property.default] as const]
      : [],
  )
  return { ...content, ...Object.fromEntries(defaults) }
}

function refusal({ reason }: Answer): ElicitResult {
  return reason === "cancelled" || reason === "expired" ? CANCEL : { action: "decline" }
}

function invalid(message: string): Error {
  return Object.assign(new Error(message), { code: -32602 })
}

function fingerprintOf(...parts: unknown[]): string {
  return createHash("sha256").update(canonicalJson(parts)).digest("hex").slice(0, 16)
}

const ID = /^mcp_([0-9a-f]{16})_/

/** The question's fingerprint stands in the id of its request, so that an answer says what it answers, in any process. */
export function requestIdFor({ fingerprint }: Elicitation): string {
  return `mcp_${fingerprint}_${randomUUID()}`
}

/** The fingerprint of the question that an answer belongs to. */
export function fingerprintIn({ id }: Answer): string | undefined {
  return ID.exec(id)?.[1]
}

/** What is said of the question beside the server's own words. */
export interface Circumstances {
  id: string
  server: string
  /** How often the call has asked the very same, this time included. */
  times: number
  /** Whether the call may be made once more without harm. */
  repeats: "safely" | "at a risk"
  /** Where the server does not say which of its calls asks: their names. */
  candidates: readonly string[]
}

/**
 * The question as a tool's result that suspends.
 *
 * @throws ToolnexusError `invalid_request`
 */
export function suspended({ message, ask }: Elicitation, about: Circumstances): ToolResult {
  return pending({ id: about.id, prompt: [message, ...remarks(about)].join("\n\n"), ...ask })
}

function remarks({ server, times, repeats, candidates }: Circumstances): string[] {
  return [
    ...(times > 1
      ? [`(The server asks this again: it has asked ${times === 2 ? "once" : `${times - 1} times`} before.)`]
      : []),
    ...(candidates.length > 1
      ? [`(${server} does not say which of its calls asks this: it may be ${candidates.join(" or ")}.)`]
      : []),
    ...(repeats === "at a risk"
      ? [
          `(If ${server} no longer waits when this is answered, the call is made again; ${server} may have acted already.)`,
        ]
      : []),
  ]
}
