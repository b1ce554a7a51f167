import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { after } from "node:test"
import type {
  Client,
  LoopOptions,
  McpServerConfig,
  McpStdioServer,
  Request,
  ResumeOptions,
  RunOptions,
  RunResult,
  Toolkit,
} from "../../src/index.ts"
import { createGate, createInProcessClient, createToolkit, type Halted } from "../../src/index.ts"
import { type ScriptedTurn, scriptedModel } from "../../src/testing/index.ts"
import type { ToolkitOptions } from "../../src/tools/toolkit.ts"

const root = resolve(import.meta.dirname, "../..")
const script = join(root, "test/support/mcp-server.mjs")

/** The servers of the protocol's own authors, as npm installs them. */
export const realServers: Record<"everything" | "filesystem", string> = {
  everything: join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js"),
  filesystem: join(root, "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"),
}

/** What happened to a server of the tests, seen from outside. */
export interface ServerLog {
  path: string
  lines(): string[]
  /** Resolves when the line is there. */
  until(line: string): Promise<void>
}

export function serverLog(): ServerLog {
  const folder = mkdtempSync(join(tmpdir(), "toolnexus-mcp-"))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, "log")
  const lines = () => {
    try {
      return readFileSync(path, "utf8").split("\n").slice(0, -1)
    } catch {
      return [] // nothing has happened yet
    }
  }
  return {
    path,
    lines,
    until: (line) => until(() => lines().includes(line)),
  }
}

/** A server of the tests (see `mcp-server.mjs` for its modes), over stdio. */
export function stdioServer(modes: readonly string[] = [], log?: ServerLog): McpStdioServer {
  return { command: process.execPath, args: [script, ...modes], ...(log ? { env: { LOG: log.path } } : {}) }
}

/** The same over HTTP. */
export async function httpServer(
  modes: readonly string[] = [],
  log?: ServerLog,
): Promise<{ url: string; process: ChildProcess } & AsyncDisposable> {
  const env = { ...process.env, ...(log ? { LOG: log.path } : {}) }
  const child = spawn(process.execPath, [script, "--http", ...modes], { env, stdio: ["ignore", "pipe", "inherit"] })
  const port = await new Promise<string>((done) => child.stdout.once("data", (bytes) => done(String(bytes).trim())))
  return disposable(`http://127.0.0.1:${port}/mcp`, child)
}

/** Everything's own HTTP server. */
export async function everythingServer(
  transport: "streamableHttp" | "sse",
): Promise<{ url: string } & AsyncDisposable> {
  const port = await freePort()
  const env = { ...process.env, PORT: String(port) }
  const child = spawn(process.execPath, [realServers.everything, transport], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  })
  await new Promise<void>((done) => {
    child.stderr.on("data", (bytes) => {
      if (/port \d+/.test(String(bytes))) done()
    })
  })
  return disposable(`http://127.0.0.1:${port}/${transport === "sse" ? "sse" : "mcp"}`, child)
}

function disposable(url: string, child: ChildProcess): { url: string; process: ChildProcess } & AsyncDisposable {
  return {
    url,
    process: child,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL")
    },
  }
}

async function freePort(): Promise<number> {
  const { createServer } = await import("node:net")
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const address = server.address()
  await new Promise((done) => server.close(done))
  return typeof address === "object" && address ? address.port : 0
}

export interface Served extends AsyncDisposable {
  toolkit: Toolkit
  warnings: string[]
}

/** A toolkit with MCP servers, closed at the end of its block. */
export async function served(
  mcpServers: Record<string, McpServerConfig>,
  options: ToolkitOptions = {},
): Promise<Served> {
  const warnings: string[] = []
  const onWarning = (warning: string) => void warnings.push(warning)
  const toolkit = await createToolkit({ mcpConfig: { mcpServers }, onWarning, ...options })
  return { toolkit, warnings, [Symbol.asyncDispose]: () => toolkit.close() }
}

const SERVERS_ALLOWED = createGate({ rules: [{ effect: "allow", rule: "mcp:*/*" }] })

/** A client whose model makes calls, over a toolkit. Servers' tools run unasked unless another gate is given. */
export function clientOver(
  toolkit: Toolkit,
  turns: readonly ScriptedTurn[],
  options: LoopOptions = {},
): {
  client: Client
  run(prompt: string, run?: RunOptions): Promise<RunResult>
  resume(halted: Halted, answers: readonly unknown[], resume?: ResumeOptions): Promise<RunResult>
} {
  const { generate } = scriptedModel(turns)
  const client = createInProcessClient({ model: "scripted", generate, gate: SERVERS_ALLOWED, ...options })
  return {
    client,
    run: (prompt, run = {}) => client.run(prompt, { toolkit, ...run }),
    resume: (halted, answers, resume = {}) => client.resume(halted, answers, { toolkit, ...resume }),
  }
}

/** What the calls of a run came to. */
export function outputsOf({ toolCalls }: RunResult): (string | undefined)[] {
  return toolCalls.map(({ output }) => output)
}

/** The call that a request is about, as the engine stamped it. */
export function callIn(request: Request | undefined): Record<string, unknown> {
  return (request?.data?.call ?? {}) as Record<string, unknown>
}

/** Resolves when something that happens elsewhere has happened. */
export async function until(holds: () => unknown): Promise<void> {
  while (!holds()) await new Promise((done) => setTimeout(done, 10))
}
