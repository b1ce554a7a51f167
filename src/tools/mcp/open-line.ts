import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { Clock } from "../../event/clock.ts"
import { childEnv } from "../child-env.ts"
import { watchCallStreams } from "./call-streams.ts"
import { nodeFetch } from "./node-fetch.ts"
import type { Reach } from "./read-servers.ts"
import { startServerProcess } from "./server-process.ts"
import { stdioTransport } from "./stdio-transport.ts"

/** How messages travel, and what is known of the other end. */
export interface Line {
  transport: Transport
  /** The token of the call on whose stream a request of the server's came, where that is known. */
  callOf(requestId: string | number): string | undefined
  howEnded(): string | undefined
  lastWords(): string
  close(): Promise<void>
}

export interface LineOptions {
  env: NodeJS.ProcessEnv
  secretEnv: readonly string[]
  clock: Clock
  /** Nothing can bring the result of the call with this token any more. */
  onLost(token: string): void
}

/** @throws Error where there is nothing at the other end */
export function openLine(reach: Reach, options: LineOptions): Promise<Line> {
  return reach.via === "stdio" ? openProcess(reach, options) : openAddress(reach, options)
}

async function openProcess(
  { command, args, env, cwd }: Extract<Reach, { via: "stdio" }>,
  { env: ours, secretEnv, clock }: LineOptions,
): Promise<Line> {
  const whole = { ...childEnv(ours, secretEnv), ...env }
  const server = await startServerProcess({ command, args, env: whole, cwd, clock })
  const transport = stdioTransport(server)
  let how: string | undefined
  const ended = server.ended.then((text) => {
    how = text
  })
  return {
    transport,
    callOf: () => undefined, // all messages come in one line, and none says which call it is about
    howEnded: () => how,
    lastWords() {
      const said = server.lastLines().map((text) => JSON.stringify(text))
      if (said.length > 0) return `its last words were ${said.join(", ")}`
      const garbage = transport.garbage()
      return garbage === undefined
        ? ""
        : `on its standard output it printed ${JSON.stringify(garbage)}, which is no message`
    },
    async close() {
      await server.close()
      await ended
    },
  }
}

/** How the SDK's transport says that it does not try to go on with a stream any more. */
const GIVES_UP = "Maximum reconnection attempts"

/** How long a server may take to take note of the end. */
const GOODBYE_MS = 1_000

async function openAddress(
  { via, url, headers }: Extract<Reach, { via: "http" | "sse" }>,
  { onLost, clock }: LineOptions,
): Promise<Line> {
  const streams = watchCallStreams(nodeFetch, onLost)
  const given = { requestInit: { headers: { ...headers } }, fetch: streams.fetch }
  const nothing = { howEnded: () => undefined, lastWords: () => "" }
  if (via === "sse") {
    const { SSEClientTransport } = await import("@modelcontextprotocol/sdk/client/sse.js")
    const transport = new SSEClientTransport(url, given)
    return { ...nothing, transport, callOf: () => undefined, close: () => transport.close() }
  }
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js")
  const transport = new StreamableHTTPClientTransport(url, given)
  transport.onerror = ({ message }) => {
    if (message.startsWith(GIVES_UP)) streams.giveUp()
  }
  return {
    ...nothing,
    transport: transport as Transport, // its sessionId may be undefined, which is the same as none
    callOf: streams.callOf,
    async close() {
      let cancel = (): void => {}
      const late = new Promise<void>((resolve) => {
        cancel = clock.after(GOODBYE_MS, resolve)
      })
      await Promise.race([late, transport.terminateSession().catch(() => undefined)]) // it may be gone, which is what is wanted
      cancel()
      await transport.close()
    },
  }
}
