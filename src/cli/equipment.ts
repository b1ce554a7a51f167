import {
  type Client,
  type ClientOptions,
  createClient,
  createDemoClient,
  createGate,
  type Limits,
  type LoopOptions,
  type RetryEvent,
  type Rule,
  type Toolkit,
} from "../index.ts"
import { type Endpoint, readKey } from "./endpoint-settings.ts"
import type { Io } from "./io.ts"
import type { ToolkitSettings } from "./load-toolkit.ts"
import type { Output } from "./output.ts"
import type { Person } from "./person.ts"
import { proxyFrom } from "./proxy-settings.ts"
import { createWaiting } from "./waiting.ts"

/** What a run is made with. */
export interface Equipment {
  client: Client
  toolkit: Toolkit
  /** Nothing is waited for any more. */
  stopWaiting(): void
}

export interface EquipmentOptions extends ToolkitSettings {
  endpoint: Endpoint
  rules: readonly Rule[]
  limits: Limits
  systemPrompt: string | undefined
}

/** The client for an endpoint, with the person and the gate in front of its calls. */
export function equip(options: EquipmentOptions, person: Person, io: Io, output: Output): Omit<Equipment, "toolkit"> {
  const { endpoint, rules, limits, systemPrompt, cwd } = options
  const waiting = createWaiting(io.stderr, io.clock)
  output.printer.beforeEach(waiting.stop)
  const startWaiting = () => {
    if (output.movement) waiting.start(`waiting for ${endpoint.kind === "demo" ? "the demo model" : endpoint.model}`)
  }
  const onRetry = ({ waitMs, reason }: RetryEvent) => {
    output.notice(`retrying in ${Math.ceil(waitMs / 1000)} s: ${retryReason(reason)}`)
    startWaiting()
  }
  const { waitFor } = person
  const loop = {
    ...limits,
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(waitFor ? { waitFor: attended(waitFor, waiting.stop, output) } : {}),
    gate: createGate({ rules, cwd }),
    clock: io.clock,
    hooks: {
      beforeLLM: startWaiting,
      afterLLM: waiting.stop,
    },
    onRetry,
  }
  return { client: clientFor(endpoint, loop, io), stopWaiting: waiting.stop }
}

function clientFor(endpoint: Endpoint, loop: LoopOptions & Pick<ClientOptions, "onRetry">, io: Io): Client {
  if (endpoint.kind === "demo") return createDemoClient(loop)
  const { kind, apiKeyEnv, namedBy, ...address } = endpoint
  const apiKey = readKey(endpoint, io.env)
  return createClient({
    ...loop,
    ...address,
    ...(apiKey === undefined ? {} : { apiKey }),
    proxy: proxyFrom(io.env),
  })
}

/** `429: slow down`: that it is HTTP goes without saying. */
function retryReason(reason: string): string {
  return reason.replace(/^HTTP (?=\d)/, "")
}

function attended(
  waitFor: NonNullable<Person["waitFor"]>,
  stopDrawing: () => void,
  output: Output,
): NonNullable<Person["waitFor"]> {
  return async (request, options) => {
    stopDrawing()
    const answer = await waitFor(request, options)
    if (answer) output.withhold([request], [answer])
    return answer
  }
}
