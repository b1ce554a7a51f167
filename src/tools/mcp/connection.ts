import type { Client } from "@modelcontextprotocol/sdk/client/index.js"
import type { Clock } from "../../event/clock.ts"
import { isRecord } from "../../suspension/request.ts"
import { callAsTask } from "./call-as-task.ts"
import { type Line, openLine } from "./open-line.ts"
import type { ServerSettings } from "./read-servers.ts"

/** A question that came from a server, and what is known of the call that it belongs to. */
export interface Asked {
  params: unknown
  /** Of the call on whose stream it came. */
  token: string | undefined
  taskId: string | undefined
  /** Aborted when the server does not want to know any more. */
  signal: AbortSignal
}

/** What a connection tells. */
export interface ConnectionListener {
  /** Gives the result of the elicitation. @throws Error told to the server */
  onAsked(asked: Asked): Promise<Record<string, unknown>>
  onProgress(token: unknown): void
  onToolsChanged(): void
  /** Nothing can bring the result of this call any more. */
  onLost(token: string): void
}

/** One call, as it goes over the wire. */
export interface WireCall {
  tool: string
  args: Record<string, unknown>
  as: "a request" | "a task"
  /** What progress and questions of the call are known by. */
  token: string
  signal: AbortSignal
  onTask(taskId: string): void
}

/** A server that is there. */
export interface Connection {
  /** The entries of its list of tools when it started, unchecked. */
  readonly tools: readonly unknown[]
  /** Those of now. */
  listTools(signal: AbortSignal): Promise<unknown[]>
  /** @throws Error when there is no result; `howEnded` says whether the server is gone */
  call(call: WireCall): Promise<Record<string, unknown>>
  /** How it ended, in words; `undefined` while it lives. */
  howEnded(): string | undefined
  /** Resolves when it has ended, with what `howEnded` says. */
  readonly ended: Promise<string>
  /** What helps to understand why it does not work, in words; empty where there is nothing. */
  lastWords(): string
  close(): Promise<void>
}

export interface ConnectionOptions {
  settings: ServerSettings
  env: NodeJS.ProcessEnv
  secretEnv: readonly string[]
  clock: Clock
  listener: ConnectionListener
  /** Stops the start. */
  signal: AbortSignal
}

/** The SDK's own clock does not know of people: ours counts. */
const NEVER_MS = 2 ** 31 - 1

/** Why a server could not be reached, and what it said. */
export class NotReached extends Error {
  readonly howEnded: string | undefined
  readonly lastWords: string

  constructor(cause: unknown, line: Line | undefined) {
    super("the server cannot be reached", { cause })
    this.howEnded = line?.howEnded()
    this.lastWords = line?.lastWords() ?? ""
  }
}

/**
 * Reaches a server: starts it where it is a program, shakes hands, and asks for its tools. The SDK is loaded here.
 *
 * @throws NotReached when that is not done; nothing is left of it then
 */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  let line: Line | undefined
  try {
    const loading = newClient(options.listener) // while the program starts
    loading.catch(() => undefined) // it is awaited, unless there is nothing at the other end
    line = await openLine(options.settings.reach, { ...options, onLost: options.listener.onLost })
    return await shakeHands(await loading, line, options)
  } catch (error) {
    const why = options.signal.aborted ? options.signal.reason : error
    const notReached = new NotReached(why, line) // before it ends because of us
    await line?.close()
    throw notReached
  }
}

async function newClient(listener: ConnectionListener): Promise<Client> {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js")
  const { ProgressNotificationSchema } = await import("@modelcontextprotocol/sdk/types.js")
  const client = new Client(WHO_WE_ARE, { capabilities: { elicitation: { form: {}, url: {} } } })
  client.setNotificationHandler(ProgressNotificationSchema, ({ params }) => listener.onProgress(params.progressToken))
  return client
}

async function shakeHands(client: Client, line: Line, options: ConnectionOptions): Promise<Connection> {
  const { ResultSchema } = await import("@modelcontextprotocol/sdk/types.js")
  const { listener, signal } = options
  listen(client, line, listener)
  let how: string | undefined
  const ended = new Promise<string>((resolve) => {
    client.onclose = () => {
      how = line.howEnded() ?? "the connection was closed"
      resolve(how)
    }
  })
  await client.connect(line.transport, { timeout: NEVER_MS, signal })
  const listTools = async (stop: AbortSignal) => {
    if (!client.getServerCapabilities()?.tools) return []
    return allPages((params) =>
      client.request({ method: "tools/list", params }, ResultSchema, { timeout: NEVER_MS, signal: stop }),
    )
  }
  return {
    tools: await listTools(signal),
    listTools,
    ended,
    howEnded: () => how,
    lastWords: line.lastWords,
    close: line.close,
    async call({ tool, args, token, as, signal: stop, onTask }) {
      const params = { name: tool, arguments: args, _meta: { progressToken: token } }
      const limits = { timeout: NEVER_MS, signal: stop }
      if (as === "a request") return client.request({ method: "tools/call", params }, ResultSchema, limits)
      return callAsTask(client, params, { limits, onTask, onProgress: () => listener.onProgress(token) })
    },
  }
}

const WHO_WE_ARE = { name: "toolnexus", version: process.env.TOOLNEXUS_VERSION ?? "unreleased" }

/** What a server asks and tells comes as it is: the SDK's schemas would drop what they do not know. */
function listen(client: Client, { callOf }: Line, listener: ConnectionListener): void {
  client.fallbackRequestHandler = async ({ method, params }, { requestId, signal }) => {
    if (method !== "elicitation/create") throw Object.assign(new Error("Method not found"), { code: -32601 })
    return listener.onAsked({ params, token: callOf(requestId), taskId: taskIn(params), signal })
  }
  client.fallbackNotificationHandler = async ({ method }) => {
    if (method === "notifications/tools/list_changed") listener.onToolsChanged()
  }
}

function taskIn(params: unknown): string | undefined {
  const meta = isRecord(params) ? params._meta : undefined
  const related = isRecord(meta) ? meta["io.modelcontextprotocol/related-task"] : undefined
  return isRecord(related) && typeof related.taskId === "string" ? related.taskId : undefined
}

/** A server that pages for ever is stopped by the deadline; one that gives the same page again, here. */
async function allPages(
  list: (params: Record<string, unknown>) => Promise<Record<string, unknown>>,
): Promise<unknown[]> {
  const tools: unknown[] = []
  const seen = new Set<unknown>()
  for (let cursor: unknown; !seen.has(cursor); ) {
    seen.add(cursor)
    const page = await list(cursor === undefined ? {} : { cursor })
    if (!Array.isArray(page.tools)) throw new Error("it gives no list of tools")
    tools.push(...page.tools)
    cursor = page.nextCursor
    if (cursor === undefined || cursor === null) break
  }
  return tools
}
