import type { ParsedResult, Style, WireCall } from "../../endpoint/style.ts"
import { styleNamed } from "../../endpoint/styles.ts"
import type { EventOf, Message } from "../../event/event.ts"
import { type Answer, noteOf, readAnswer } from "../../suspension/answer.ts"
import { canonicalJson } from "../../suspension/canonical-json.ts"
import { isRecord, type Request } from "../../suspension/request.ts"
import { ToolnexusError } from "../../tool/error.ts"
import { requestOutput } from "../../tool/result.ts"
import { parseArguments } from "../../tools/parse-arguments.ts"
import { withoutOwnId } from "../balance.ts"
import { digestOf } from "../stamp.ts"
import { addUsage } from "./fold.ts"
import { openRequest } from "./fold-call.ts"
import { addCalls } from "./new-calls.ts"
import {
  type AgentState,
  type CallState,
  emptyRun,
  type ReplyState,
  type RequestState,
  type RunState,
} from "./state.ts"

type Imported = EventOf<"run.imported">

/**
 * Takes over messages of elsewhere. The calls of the last assistant message that have no result are open again: those
 * that a request belongs to wait for its answer, any other is to be decided as if it were new.
 *
 * @throws ToolnexusError `ambiguous` where a request belongs to no call that can be told
 */
export function importTranscript(state: RunState, agent: AgentState, event: Imported): void {
  const style = styleNamed(event.style)
  agent.style = event.style
  const last = lastReply(event.messages, style)
  agent.turn = event.turns ?? event.messages.filter((message) => message.role === "assistant").length
  agent.run = emptyRun(
    event.messages.findLast((message) => message.role === "user"),
    state.workMs,
  )
  agent.run.turns = agent.turn
  if (event.usage) addUsage(agent.run.usage, event.usage)
  if (!last) {
    if (event.requests?.length) throw ambiguous("the messages hold no tool call for the request to belong to")
    agent.messages.push(...event.messages)
    agent.reply = lastWord(event.messages, style)
    return
  }
  agent.turn = Math.max(agent.turn, 1)
  agent.messages.push(...event.messages.slice(0, last.at + 1))
  const results = resultsOf(last.calls, style.parseResults(event.messages.slice(last.at + 1)))
  agent.run.callsBefore = Math.max(0, (event.toolCallCount ?? 0) - last.calls.length)
  const calls = addCalls(agent, last.calls)
  agent.reply = { text: style.parseMessage(event.messages[last.at] ?? {}).text, stop: undefined, calls }
  const bound = (event.requests ?? []).map((request) => ({ request, calls: callsOf(request, calls, results) }))
  const placeheld = new Set(bound.flatMap((one) => one.calls))
  for (const call of calls) if (!placeheld.has(call)) takeResult(call, results.get(call.id))
  for (const call of calls) if (event.started?.includes(call.id)) call.phase = { is: "running" }
  for (const { request, calls: belonging } of bound) bind(state, request, belonging)
}

/** The last assistant message that made calls, where nothing but their results follows it. */
function lastReply(messages: readonly Message[], style: Style) {
  const at = messages.findLastIndex((message) => message.role === "assistant")
  const message = messages[at]
  if (!message) return undefined
  const { calls } = style.parseMessage(message)
  const isResult = (one: Message) => style.parseResults([one]).length > 0 && style.parseUser(one) === ""
  return calls.length > 0 && messages.slice(at + 1).every(isResult) ? { at, calls } : undefined
}

/** What the model said at the end, where it called nothing: there is nothing to go on with. */
function lastWord(messages: readonly Message[], style: Style): ReplyState | undefined {
  const last = messages.at(-1)
  if (last?.role !== "assistant") return undefined
  const { text, calls } = style.parseMessage(last)
  return calls.length === 0 ? { text, stop: undefined, calls: [] } : undefined
}

/** The results that are there, by the id of their call: any order will do, but each is of one call, and the only one. */
function resultsOf(calls: readonly WireCall[], found: readonly ParsedResult[]): Map<string, ParsedResult> {
  const shared = withoutOwnId(calls)
  if (shared) throw ambiguous(`the call of ${shared.name} has no id of its own`)
  const results = new Map<string, ParsedResult>()
  for (const result of found) {
    const { id } = result
    if (!calls.some((call) => call.id === id))
      throw ambiguous(`there is a result of the call ${id}, which was not made`)
    if (results.has(id)) throw ambiguous(`there are two results of the call ${id}`)
    results.set(id, result)
  }
  return results
}

function takeResult(call: CallState, taken: ParsedResult | undefined): void {
  if (!taken) return
  const { output, isError, parts } = taken
  call.phase = { is: "done", result: { output, isError } }
  call.parts = parts
}

function bind(state: RunState, request: Request, belonging: readonly CallState[]): void {
  if (state.requests.has(request.id)) throw ambiguous(`two requests have the id ${request.id}`)
  const by = askedBy(request)
  for (const [call, stamp] of belonging.map((one) => [one, stampOf(request, one)] as const)) {
    if (isRecord(stamp.input)) call.edited = editedInput(call, stamp.input)
    restoreAnswers(state, call, stamp)
  }
  const renews = isRecord(request.data?.call) ? request.data.call.renews : undefined
  const made = {
    request,
    by,
    rule: undefined,
    renews: typeof renews === "string" ? renews : undefined,
    calls: belonging,
  }
  const opened = openRequest(state, made)
  const { digest } = request.data ?? {}
  if (typeof digest === "string" && digest !== digestOf(opened)) {
    throw new ToolnexusError(
      "damaged",
      `The request ${request.id} does not show the call that it was made for: it was changed; give it as it was when it halted`,
    )
  }
}

/** What the request says of one of its calls. */
function stampOf({ data }: Request, { id }: CallState): Record<string, unknown> {
  const { call, calls } = data ?? {}
  const stamps: unknown[] = Array.isArray(calls) ? calls : [call]
  return stamps.filter(isRecord).find((stamp) => stamp.id === id) ?? {}
}

function askedBy({ kind, data }: Request): "tool" | "gate" | "relay" | "engine" {
  const by = isRecord(data?.call) ? data.call.by : undefined
  if (by === "gate" || by === "engine" || by === "tool") return by
  return kind === "tool_call" ? "relay" : "tool"
}

/**
 * The calls that a request is about; see "A bare request belongs to" in the contract. A result equal to the request's output,
 * and no other, is a placeholder of another host; any other stands.
 */
function callsOf(
  request: Request,
  calls: readonly CallState[],
  results: ReadonlyMap<string, ParsedResult>,
): CallState[] {
  const isPlaceheld = (call: CallState) => {
    const result = results.get(call.id)
    return result !== undefined && !result.parts && result.output === requestOutput(request)
  }
  const open = calls.filter((call) => !results.has(call.id) || isPlaceheld(call))
  const named = namedCalls(request)
  if (named.length > 0) {
    const found = open.filter((call) => named.includes(call.id))
    if (found.length === named.length) return found
    throw ambiguous(`the request ${request.id} names a call that is not open in the last assistant message`)
  }
  const placeheld = open.filter(isPlaceheld)
  const [only, ...more] = placeheld.length > 0 ? placeheld : open
  if (only && (more.length === 0 || (placeheld.length > 0 && request.kind === "tool_call"))) return [only, ...more]
  throw ambiguous(
    `the request ${request.id} could belong to ${more.length + (only ? 1 : 0)} calls: keep its data.call or data.calls, which name them`,
  )
}

function namedCalls(request: Request): unknown[] {
  const { calls, call } = request.data ?? {}
  if (Array.isArray(calls)) return calls.map((entry) => (isRecord(entry) ? entry.id : undefined))
  return isRecord(call) ? [call.id] : []
}

function editedInput(call: CallState, input: Record<string, unknown>): Record<string, unknown> | undefined {
  return canonicalJson(input) === canonicalJson(parseArguments(call.arguments).input) ? undefined : input
}

/** The answers that the call already had travel on the request: to questions of its own, and what people noted elsewhere. */
function restoreAnswers(state: RunState, call: CallState, { answers, notes, withheld }: Record<string, unknown>): void {
  const own = (Array.isArray(answers) ? answers : []).map(readAnswer)
  const secrets = new Map(
    (Array.isArray(withheld) ? withheld : []).filter(isRecord).map(({ id, prompt }) => [id, prompt]),
  )
  for (const answer of own) {
    const request = restoreAnswer(state, call, "tool", answer)
    if (!secrets.has(answer.id)) continue
    request.withheld = true
    Object.assign(request.request, { kind: "secret", prompt: String(secrets.get(answer.id)) })
  }
  const told = new Set(own.map(noteOf))
  for (const [at, note] of (Array.isArray(notes) ? notes : []).entries()) {
    if (typeof note !== "string" || told.has(note)) continue
    restoreAnswer(state, call, "gate", { id: `note:${call.index}:${at}`, ok: true, data: { note } })
  }
}

function restoreAnswer(state: RunState, call: CallState, by: "tool" | "gate", answer: Answer): RequestState {
  const asked = { id: answer.id, kind: by === "gate" ? "approval" : "input", prompt: "" }
  const request = openRequest(state, { request: asked, by, rule: undefined, renews: undefined, calls: [call] })
  request.answer = answer
  request.closed = true
  return request
}

function ambiguous(fact: string): ToolnexusError {
  return new ToolnexusError(
    "ambiguous",
    `The halted run cannot be resumed: ${fact}; give its messages and requests as they were when it halted`,
  )
}
