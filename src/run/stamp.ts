import { createHash } from "node:crypto"
import { type Answer, noteOf } from "../suspension/answer.ts"
import { canonicalJson } from "../suspension/canonical-json.ts"
import type { RelayedCall, Request, StampedCall } from "../suspension/request.ts"
import { parseArguments } from "../tools/parse-arguments.ts"
import { type CallState, type RequestState, renewals, specOf } from "./fold/state.ts"

/** The request as it is shown: with what the engine knows about its calls, over what a tool put there. */
export function stamped(request: RequestState): Request {
  const [call] = request.calls
  if (!call) return request.request
  const about =
    request.by === "relay"
      ? { calls: request.calls.map(relayedCall) }
      : { call: stampedCall(call, request.by, request.renews) }
  const { agent: _agent, call: _call, calls: _calls, digest: _digest, ...own } = request.request.data ?? {}
  const agent = call.agent.path.length > 1 ? { agent: [...call.agent.path] } : {}
  return { ...request.request, data: { ...own, ...about, ...agent, digest: digestOf(request) } }
}

function relayedCall(call: CallState): RelayedCall {
  return {
    id: call.id,
    name: call.name,
    input: inputOf(call),
    arguments: call.edited ? JSON.stringify(call.edited) : call.arguments,
  }
}

function stampedCall(call: CallState, by: StampedCall["by"], renews: string | undefined): StampedCall {
  const had = call.requests.flatMap((request) => (request.closed && request.answer ? [request.answer] : []))
  const answers = ownAnswers(call)
  const withheld = call.requests.filter((request) => request.withheld && request.renews === undefined)
  const origin = specOf(call)?.origin
  const notes = had.map(noteOf).filter((note) => note !== undefined)
  return {
    id: call.id,
    name: call.name,
    input: inputOf(call),
    by,
    ...(origin ? { origin } : {}),
    ...(answers.length > 0 ? { answers } : {}),
    ...(withheld.length > 0 ? { withheld: withheld.map(({ request: { id, prompt } }) => ({ id, prompt })) } : {}),
    ...(renews === undefined ? {} : { renews }),
    ...(notes.length > 0 ? { notes } : {}),
  }
}

/**
 * The answers to the tool's own questions of this call, in order; never the gate's, never about a doubt.
 *
 * @param secrets the answers that are in no file, by request id
 */
export function ownAnswers(call: CallState, secrets: ReadonlyMap<string, Answer> = new Map()): Answer[] {
  const own = call.requests.filter((request) => request.by === "tool" && request.renews === undefined)
  return own.flatMap((request) => {
    const given = renewals(call, request)
      .flatMap(({ request: { id } }) => secrets.get(id) ?? [])
      .at(-1)
    return given ?? request.answer ?? []
  })
}

/** The answers that a call which ran has been run with: a refusal only where its tool heard it. */
export function answersRunWith(call: CallState): Answer[] {
  return call.requests.flatMap(({ by, answer }) => (answer && (answer.ok || by === "tool") ? [answer] : []))
}

/** The arguments as they will run: `{}` where they cannot be read, then a problem says so. */
export function inputOf(call: CallState): Record<string, unknown> {
  if (call.edited) return call.edited
  const known = INPUTS.get(call)
  if (known) return known
  const input = parseArguments(call.arguments).input ?? {}
  INPUTS.set(call, input)
  return input
}

/** Parsed once; a call's arguments do not change. */
const INPUTS = new WeakMap<CallState, Record<string, unknown>>()

/**
 * SHA-256 over tool name and arguments (RFC 8785) of the calls that a request is about, and what a diff was made from. It finds changes; it is no signature.
 */
export function digestOf(request: Pick<RequestState, "calls" | "by" | "request">): string {
  const basis = request.by === "gate" ? request.request.data?.basis : undefined
  const [first, ...others] = [...request.calls.map(callDigest), ...(typeof basis === "string" ? [basis] : [])]
  return others.length === 0 ? (first ?? "") : sha256([first, ...others].join("\n"))
}

export function callDigest(call: CallState): string {
  return sha256(canonicalJson([call.name, inputOf(call)]))
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}
