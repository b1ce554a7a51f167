/**
 * A third-party gateway for tests, the npm package `@portkey-ai/gateway`, as a process on a free port of the loopback
 * interface. Where it sends a request is said by the request's own headers.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { fileURLToPath } from "node:url"

export interface Gateway {
  /** `http://127.0.0.1:PORT/v1` */
  readonly baseUrl: string
  /** Headers of a request that it shall pass on, in a provider's manner, to a server that stands for the provider. */
  headersFor(provider: "openai" | "anthropic", customHost: string): Record<string, string>
  [Symbol.asyncDispose](): Promise<void>
}

// By itself it listens on every interface and does not say on which port. And where it streams, it adds to the headers of
// what it fetched, which nobody may (its HTTP package, @hono/node-server 1.19, no longer copies them): without a copy
// every streamed reply of every provider is a 500.
const PREPARE = `
import { Server } from "node:net"
const { listen } = Server.prototype
Server.prototype.listen = function () {
  return listen.call(this, { port: 0, host: "127.0.0.1" }, () => process.send(this.address().port))
}
const { fetch, Response } = globalThis
globalThis.fetch = async (...request) => {
  const { body, status, statusText, headers } = await fetch(...request)
  return new Response(body, { status, statusText, headers })
}`

export async function startGateway(): Promise<Gateway> {
  const program = fileURLToPath(import.meta.resolve("@portkey-ai/gateway/build/start-server.js"))
  const args = ["--import", `data:text/javascript,${encodeURIComponent(PREPARE)}`, program, "--headless"]
  const child = spawn(process.execPath, args, {
    cwd: tmpdir(),
    env: { NODE_ENV: "production", TRUSTED_CUSTOM_HOSTS: "127.0.0.1" },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  })
  const [port] = await Promise.race([
    once(child, "message"),
    once(child, "exit").then(([code]) => Promise.reject(new Error(`the gateway ended with ${code}`))),
  ])
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    headersFor: (provider, customHost) => ({ "x-portkey-provider": provider, "x-portkey-custom-host": customHost }),
    async [Symbol.asyncDispose]() {
      child.kill()
      await once(child, "exit")
    },
  }
}
