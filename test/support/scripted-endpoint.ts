/**
 * An endpoint for tests: a real HTTP server that answers request n with step n (the last step repeats) and records
 * what it was sent.
 *
 *     const endpoint = await scriptedEndpoint([
 *       replyCalls([{ id: "c1", name: "echo", arguments: { text: "hi" } }]),
 *       replyText("done"),
 *     ]).listen()
 *     const client = createClient({ baseUrl: endpoint.baseUrl, style: "openai", model: "m" })
 *     ...
 *     endpoint.requests[1].body.messages // what the second request sent
 *     await endpoint.close()             // or: await using endpoint = await scriptedEndpoint([...]).listen()
 *
 * `replyText` and `replyCalls` answer in the form that the request asks for: style `anthropic` where its path ends in
 * `/messages`, else `openai`; as SSE where its body says `stream: true`, else as JSON. A step may also be the bytes
 * themselves ({@link Turn}, the form of the wire cases), or a function of the request that gives either.
 */
import { once } from "node:events"
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { setTimeout as delay } from "node:timers/promises"
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"

export { replyCalls, replyError, replyText, sseOf } from "./scripted-reply.ts"

/** What goes over the wire. One of `body`, `sse`, `chunks` and `chunksBase64`; without one an empty body. */
export interface Turn {
  /** Default 200; 0 drops the socket without an answer. */
  status?: number
  headers?: Record<string, string>
  /** A string: exactly so; anything else: as JSON. */
  body?: unknown
  /** Raw text of type `text/event-stream`. */
  sse?: string
  /** The same as separate writes, a few milliseconds apart. */
  chunks?: string[]
  chunksBase64?: string[]
  encode?: "gzip" | "deflate" | "br"
  /** After the last byte: leave the socket open, or drop it. */
  end?: "hang" | "destroy"
}

/** What the endpoint was sent. */
export interface RecordedRequest {
  method: string
  /** Path and query. */
  url: string
  headers: IncomingHttpHeaders
  /** The parsed JSON; `undefined` where it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into whatever was sent
  body: any
  /** The bytes as they came. */
  text: string
}

export type Step = Turn | ((request: RecordedRequest) => Step | Promise<Step>)

export interface ScriptedEndpoint {
  /** `http://127.0.0.1:PORT`, once it listens. */
  readonly baseUrl: string
  readonly requests: RecordedRequest[]
  /** How many connections were made. */
  readonly connections: number
  /** Starts it on a free port. */
  listen(): Promise<ScriptedEndpoint>
  /** Stops it and drops what is still open. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Makes an endpoint; it does nothing before `listen()`. */
export function scriptedEndpoint(steps: readonly Step[]): ScriptedEndpoint {
  const requests: RecordedRequest[] = []
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => response.destroy(error as Error))
  })
  const seen = { connections: 0 }
  server.on("connection", (socket) => {
    seen.connections++
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on("close", () => sockets.delete(socket))
    socket.on("error", () => socket.destroy())
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const recorded = await record(request)
    const step = steps[Math.min(requests.push(recorded), steps.length) - 1]
    if (step === undefined) throw new Error("the scripted endpoint has no steps")
    await send(await turnOf(step, recorded), response)
  }

  const endpoint: ScriptedEndpoint = {
    get baseUrl() {
      return `http://127.0.0.1:${portOf(server)}`
    },
    requests,
    get connections() {
      return seen.connections
    },
    async listen() {
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      return endpoint
    },
    async close() {
      if (!server.listening) return
      const closed = once(server, "close")
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
    [Symbol.asyncDispose]: () => endpoint.close(),
  }
  return endpoint
}

function portOf(server: Server): number {
  const address = server.address() as AddressInfo | null
  if (address === null) throw new Error("the scripted endpoint does not listen: await endpoint.listen() first")
  return address.port
}

async function record(request: IncomingMessage): Promise<RecordedRequest> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const text = Buffer.concat(parts).toString("utf8")
  return { method: request.method ?? "", url: request.url ?? "", headers: request.headers, body: jsonOf(text), text }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // the test looks at `text`
  }
}

async function turnOf(step: Step, request: RecordedRequest): Promise<Turn> {
  let turn = step
  while (typeof turn === "function") turn = await turn(request)
  return turn
}

async function send(turn: Turn, response: ServerResponse): Promise<void> {
  if (turn.status === 0) return void response.destroy()
  const writes = encoded(writesOf(turn), turn.encode)
  response.writeHead(turn.status ?? 200, { ...defaultHeaders(turn), ...turn.headers })
  for (const [at, bytes] of writes.entries()) {
    if (at > 0) await delay(2) // separate writes shall arrive as separate reads
    await new Promise((written) => response.write(bytes, written))
  }
  if (turn.end === "destroy") response.destroy()
  else if (turn.end === "hang") response.flushHeaders()
  else response.end()
}

function writesOf(turn: Turn): Buffer[] {
  if (turn.chunksBase64) return turn.chunksBase64.map((chunk) => Buffer.from(chunk, "base64"))
  if (turn.chunks) return turn.chunks.map((chunk) => Buffer.from(chunk))
  const text = turn.sse ?? (typeof turn.body === "string" ? turn.body : (JSON.stringify(turn.body) ?? ""))
  return text === "" ? [] : [Buffer.from(text)]
}

function encoded(writes: Buffer[], encode: Turn["encode"]): Buffer[] {
  if (encode === undefined) return writes
  const compress = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }[encode]
  return [compress(Buffer.concat(writes))]
}

function defaultHeaders(turn: Turn): Record<string, string> {
  const isStream = turn.sse !== undefined || turn.chunks !== undefined || turn.chunksBase64 !== undefined
  return {
    "content-type": isStream ? "text/event-stream" : "application/json",
    ...(turn.encode ? { "content-encoding": turn.encode } : {}),
  }
}
