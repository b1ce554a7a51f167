import {
  type Answer,
  type Client,
  type ClientOptions,
  createClient,
  createDemoClient,
  createInProcessClient,
  type GatedCall,
  type Limits,
  type LoopOptions,
  type Mask,
  type Request,
  type RetryEvent,
  type Rule,
  type Toolkit,
  type WaitFor,
} from "../../index.ts"
import { approvableCall, gatedCallOf, type Judging } from "../answers/approvable-call.ts"
import { createLiveRules } from "../answers/saved-rules.ts"
import { problemOfMarks } from "../configuration/masks.ts"
import { proxyFrom } from "../configuration/proxy-settings.ts"
import { type ByHand, type Endpoint, readKey } from "../endpoint/endpoint-settings.ts"
import type { Io } from "../io.ts"
import type { Output } from "../output/output.ts"
import { createWaiting } from "../output/waiting.ts"
import { escapeLine } from "../terminal/escape.ts"
import type { Person } from "../terminal/person.ts"
import { callLine } from "../words/call-line.ts"
import { loadToolkit, type ToolkitSettings } from "./load-toolkit.ts"

/** What a run is made with. */
export interface Equipment {
  client: Client
  toolkit: Toolkit
  /** Nothing is waited for any more. */
  stopWaiting(): void
}

export interface EquipmentOptions<Where extends Endpoint | ByHand = Endpoint> extends ToolkitSettings {
  endpoint: Where
  rules: readonly Rule[]
  /** Rules of calls for which nobody is offered to save a rule. */
  neverRemember: readonly string[]
  limits: Limits
  systemPrompt: string | undefined
  masks: readonly Mask[]
}

/**
 * The client for an endpoint, with the person and the gate in front of its calls, and its tools: they are loaded when all else
 * is known to be fine.
 */
export async function equip(
  options: EquipmentOptions<Endpoint | ByHand>,
  person: Person,
  io: Io,
  output: Output,
): Promise<Equipment> {
  const { endpoint, limits, systemPrompt, cwd, neverRemember, masks } = options
  const rules = createLiveRules(options.rules, cwd)
  const waiting = createWaiting(io.stderr, io.clock)
  output.printer.beforeEach(waiting.stop)
  const startWaiting = () => {
    if (output.movement && endpoint.kind !== "by hand")
      waiting.start(`waiting for ${endpoint.kind === "demo" ? "the demo model" : escapeLine(endpoint.model)}`)
  }
  const onRetry = ({ waitMs, reason }: RetryEvent) => {
    output.notice(`retrying in ${Math.ceil(waitMs / 1000)} s: ${retryReason(reason)}`)
    startWaiting()
  }
  let judging: Judging | undefined
  const loop = {
    ...limits,
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(person.waitFor ? { waitFor: attended(person.waitFor, () => judging, waiting.stop, output) } : {}),
    gate: rules.gate,
    masks,
    clock: io.clock,
    hooks: {
      beforeLLM: startWaiting,
      afterLLM: waiting.stop,
    },
    onRetry,
    onWarning: output.say,
  }
  const client = clientFor(endpoint, loop, io)
  const stopSaying =
    options.choice.mcp.length === 0 ? () => {} : io.clock.after(SLOW_START_MS, () => output.notice(SLOW_START))
  const toolkit = await loadToolkit({ ...options, signal: person.signal }, io, output).finally(stopSaying)
  judging = { rules, neverRemember, toolkit: withoutMarks(toolkit, masks), cwd, io, output }
  return { client, toolkit, stopWaiting: waiting.stop }
}

/** The client of an endpoint, with its key and through the proxies that the environment names. */
export function clientFor(
  endpoint: Endpoint | ByHand,
  loop: LoopOptions & Pick<ClientOptions, "onRetry" | "retries">,
  io: Pick<Io, "env">,
): Client {
  if (endpoint.kind === "demo") return createDemoClient(loop)
  if (endpoint.kind === "by hand") {
    return createInProcessClient({ ...loop, model: "by hand", generate: endpoint.generate })
  }
  const { kind, apiKeyEnv, namedBy, ...address } = endpoint
  const apiKey = readKey(endpoint, io.env)
  return createClient({
    ...loop,
    ...address,
    ...(apiKey === undefined ? {} : { apiKey }),
    proxy: proxyFrom(io.env),
  })
}

/** Programs may be fetched when they are started for the first time. */
const SLOW_START_MS = 2_000
const SLOW_START = "waiting for the MCP servers to start"

/** `429: slow down`: that it is HTTP goes without saying. */
function retryReason(reason: string): string {
  return reason.replace(/^HTTP (?=\d)/, "")
}

/** Asks the person, unless a rule that was saved meanwhile lets the call pass. */
function attended(
  waitFor: NonNullable<Person["waitFor"]>,
  judged: () => Judging | undefined,
  stopDrawing: () => void,
  output: Output,
): WaitFor {
  return async (request, options) => {
    const judging = judged()
    const call = judging && gatedCallOf(request, judging.toolkit)
    const rule = call && (await judging.rules.savedFor(call))
    if (call && rule !== undefined) return answeredByRule(request, call, rule, output)
    const approvable = call && (await approvableCall(call, request, judging))
    stopDrawing()
    const answer = await waitFor(request, { ...options, approvable })
    if (answer) output.withhold([request], [answer])
    return answer
  }
}

/** An edit may not hold a mark either: the person is told before it is sent. */
function withoutMarks(toolkit: Toolkit, masks: readonly Mask[]): Toolkit {
  const check: Toolkit["check"] = async (name, input) => problemOfMarks(input, masks) ?? toolkit.check(name, input)
  return { ...toolkit, check }
}

function answeredByRule(request: Request, { name, input }: GatedCall, rule: string, output: Output): Answer {
  output.notice(`${callLine(name, input)}: allowed by ${rule}`)
  const { digest } = request.data ?? {}
  return { id: request.id, ok: true, data: { by: rule, ...(digest === undefined ? {} : { digest }) } }
}
