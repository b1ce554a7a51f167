/**
 * A real HTTP proxy for tests: it forwards plain requests and opens tunnels, all to one server whatever the host's
 * name, and records what it was asked for.
 */
import { once } from "node:events"
import { createServer, request as httpRequest, type IncomingMessage } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { finished, pipeline } from "node:stream"

export interface ProxyRequest {
  method: string
  /** As it was asked: a whole address, or `HOST:PORT` of a tunnel. */
  target: string
  authorization: string | undefined
  host: string | undefined
}

export interface ScriptedProxy {
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  readonly requests: ProxyRequest[]
  [Symbol.asyncDispose](): Promise<void>
}

/** What a proxy does with a request: passes it on to a port of this machine, refuses it, or never answers. */
export type ProxyStep = { to: number } | { refuse: number; reason?: string } | "hang"

export async function scriptedProxy(step: ProxyStep): Promise<ScriptedProxy> {
  const requests: ProxyRequest[] = []
  const sockets = new Set<Socket>()
  const record = ({ method = "", url: target = "", headers }: IncomingMessage) =>
    requests.push({ method, target, authorization: headers["proxy-authorization"], host: headers.host })

  const server = createServer((incoming, response) => {
    record(incoming)
    if (step === "hang") return
    if ("refuse" in step) return void response.writeHead(step.refuse).end(step.reason ?? "refused")
    const { pathname, search } = new URL(incoming.url ?? "")
    const { "proxy-authorization": _, ...headers } = incoming.headers
    const outgoing = httpRequest({ port: step.to, method: incoming.method, path: pathname + search, headers })
    pipeline(incoming, outgoing, () => {}) // a side that ends is what tests are about
    outgoing.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      pipeline(answer, response, () => {})
    })
    outgoing.on("error", () => response.destroy())
  })
  server.on("connect", (incoming, socket: Socket) => {
    record(incoming)
    socket.on("error", () => socket.destroy())
    if (step === "hang") return
    if ("refuse" in step) return void socket.end(`HTTP/1.1 ${step.refuse} No\r\ncontent-length: 0\r\n\r\n`)
    const onward = connect(step.to, "127.0.0.1", () => socket.write("HTTP/1.1 200 OK\r\n\r\n"))
    pipeline(socket, onward, socket, () => {})
  })
  server.on("connection", (socket) => {
    sockets.add(socket)
    finished(socket, () => sockets.delete(socket))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close")
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
