import { readAnswer } from "../suspension/answer.ts"
import { isTooDeep } from "../suspension/depth.ts"
import { parseRequest } from "../suspension/request.ts"
import type { RunEvent } from "./event.ts"
import {
  amount,
  count,
  fields,
  flag,
  list,
  object,
  oneOf,
  optional,
  parsedBy,
  problemText,
  record,
  type Shape,
  text,
} from "./shape.ts"

/**
 * What is wrong with a new event, or `undefined`.
 *
 * @param event an object with a `type`
 */
export function problemOfEvent(event: Record<string, unknown>): string | undefined {
  return isTooDeep(event) ? "it is nested too deeply" : problemOfMembers(event)
}

/**
 * What is wrong with the members of an event that a journal holds, or `undefined`. Only what something reads is looked at: unknown
 * members and unknown events are let through.
 *
 * @param event an object with a `type`, not nested too deeply: files are looked at line by line, everything else as it is written
 * @example problemOfMembers({ type: "call.started", at: "2026-01-31T12:00:00Z", turn: "1" }) // "turn must be a whole number, 0 or more"
 */
export function problemOfMembers(event: Record<string, unknown>): string | undefined {
  const type = String(event.type)
  const problem = Object.hasOwn(SHAPES, type) ? SHAPES[type as keyof typeof SHAPES](event) : undefined
  return problem && problemText(problem)
}

/** What is wrong with messages of a transcript from elsewhere, or `undefined`. */
export function problemOfMessages(messages: unknown): string | undefined {
  if (isTooDeep(messages)) return "messages are nested too deeply"
  const problem = fields({ messages: list(message) })({ messages })
  return problem && problemText(problem)
}

const style = oneOf("openai", "anthropic")
const message: Shape = fields({ role: text })
const path = list(text)
const limits = fields({
  maxTurns: optional(amount),
  maxTokens: optional(amount),
  timeoutMs: optional(amount),
  maxToolCalls: optional(amount),
  maxRepeats: optional(amount),
})
const usage = fields({
  promptTokens: amount,
  completionTokens: amount,
  totalTokens: amount,
  cachedTokens: optional(amount),
})
const tool = fields({
  name: text,
  description: text,
  inputSchema: object,
  source: text,
  annotations: optional(object),
  origin: optional(fields({ server: text, tool: text })),
})
const setup = { model: text, style, systemPrompt: optional(text), limits: optional(limits), tools: list(tool) }
const call = { turn: count, index: count }
const answer = parsedBy(readAnswer)
const request = parsedBy(parseRequest)

/** Every event may say of which agent it is. */
function event(shapes: Record<string, Shape>): Shape {
  return fields({ agent: optional(path), masked: optional(list(text)), ...shapes })
}

function closing(shapes: Record<string, Shape> = {}): Shape {
  const open = list(fields({ id: text, kind: text, prompt: text, agent: optional(path) }))
  const repeated = { prompt: optional(text), text, turns: count, toolCallCount: count, usage, open: optional(open) }
  return event({ ...repeated, workMs: amount, ...shapes })
}

const result = event({ ...call, output: text, isError: flag, metadata: optional(object), workMs: amount })
const answeredResult = event({ ...call, workMs: amount })

const SHAPES: Record<Exclude<RunEvent["type"], "unknown">, Shape> = {
  "run.started": event({ runId: text, ...setup }),
  "run.imported": event({
    style,
    messages: list(message),
    started: optional(list(text)),
    requests: optional(list(request)),
    turns: optional(count),
    usage: optional(usage),
    toolCallCount: optional(count),
  }),
  "run.resumed": event({ limits: optional(limits) }),
  "user.said": event({ message, style: optional(style), limits: optional(limits) }),
  "model.replied": event({
    style,
    message,
    usage: optional(usage),
    stop: optional(text),
    problems: optional(record(text)),
    workMs: amount,
  }),
  "call.decided": event({ ...call, decision: oneOf("allow", "refuse"), by: text, rule: optional(text) }),
  "call.started": event(call),
  "call.finished": (value) => {
    const isAnswered = (value as Record<string, unknown>).from === "answer"
    return (isAnswered ? answeredResult : result)(value)
  },
  "call.suspended": event({
    turn: count,
    indexes: list(count),
    by: oneOf("tool", "gate", "relay"),
    rule: optional(text),
    renews: optional(text),
    request,
    workMs: amount,
  }),
  "request.answered": event({
    answer,
    via: text,
    by: optional(text),
    withheld: optional(flag),
    digest: optional(text),
  }),
  "request.drafted": event({ id: text, draft: text }),
  "request.reopened": event({ id: text, why: text }),
  "request.accepted": event({ id: text }),
  "grant.given": event({ tool: text, digest: text, folder: optional(text) }),
  "agent.spawned": event({
    agent: path,
    name: text,
    prompt: optional(message),
    call: optional(fields({ agent: optional(path), ...call })),
    ...setup,
  }),
  "agent.posted": event({ item: message }),
  "agent.closed": event({}),
  "run.halted": closing(),
  "run.interrupted": closing({ why: text }),
  "run.failed": closing({ code: text, message: text }),
  "run.limited": closing({ limit: text }),
  "run.finished": closing(),
}
