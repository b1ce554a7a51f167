import type { Clock } from "../../event/clock.ts"
import type { Answer } from "../../suspension/answer.ts"
import type { McpStatus } from "../toolkit.ts"
import type { Asked, Connection, ConnectionListener } from "./connection.ts"
import { deadlineIn } from "./deadline.ts"
import { CANCEL, type ElicitResult, elicitationFrom } from "./elicitation.ts"
import type { ListedTool } from "./listed-tool.ts"
import { OpenCall, type Outcome } from "./open-call.ts"
import { OpenCalls } from "./open-calls.ts"
import type { ServerSettings } from "./read-servers.ts"
import { callFact, refusalIn, statusOf } from "./server-fact.ts"
import { ServerLink, Unusable } from "./server-link.ts"
import { changeOf, type ToolList, toolsIn } from "./tool-list.ts"
import { WaitingCalls } from "./waiting-calls.ts"

export interface McpServerOptions {
  settings: ServerSettings
  env: NodeJS.ProcessEnv
  secretEnv: readonly string[]
  clock: Clock
  onWarning(message: string): void
}

/** What a call is made with. */
export interface CallWishes {
  /** As the model calls the tool. */
  name: string
  args: Record<string, unknown>
  /** What people answered to its questions before. */
  recorded: readonly Answer[]
  repeats: "safely" | "at a risk"
}

/** One server, for as long as the toolkit lives: its tools, and the calls that it is at. */
export class McpServer {
  readonly settings: ServerSettings
  /** Told when its list of tools has become another one. */
  onChanged: () => void = () => {}
  readonly waiting: WaitingCalls = new WaitingCalls()
  readonly #options: McpServerOptions
  readonly #link: ServerLink
  readonly #calls: OpenCalls
  readonly #closing = new AbortController()
  readonly #said = new Set<string>()
  #tools: ToolList | undefined
  #lastToken = 0
  #isListing = false
  #listAgain = false

  constructor(options: McpServerOptions) {
    this.settings = options.settings
    this.#options = options
    const { via } = this.settings.reach
    this.#calls = new OpenCalls(options.clock, via === "http" ? "which call asks" : "nothing of calls")
    this.#link = new ServerLink({
      ...options,
      listener: this.#listener(),
      onConnected: ({ tools }) => this.#take(tools),
    })
  }

  get status(): McpStatus {
    const { status, error } = this.#link.status
    const server = this.settings.name
    return error === undefined ? { server, status, tools: this.tools.length } : { server, status, error }
  }

  /** What it offers now, as far as its configuration wants it. */
  get tools(): readonly ListedTool[] {
    return [...(this.#tools?.values() ?? [])]
  }

  /** Resolves when it is there, or is known not to be; then its status says why. */
  async start(): Promise<void> {
    await this.#link.connected().catch(() => undefined) // the link has said it
  }

  /** Makes a call; whatever becomes of it is its outcome. */
  call(tool: string, wishes: CallWishes): OpenCall {
    const { settings } = this
    let used: Connection | undefined
    const call = new OpenCall({
      token: `call-${++this.#lastToken}`,
      tool: wishes.name,
      server: settings.name,
      repeats: wishes.repeats,
      recorded: wishes.recorded,
      timeoutMs: settings.callTimeoutMs,
      clock: this.#options.clock,
      outcomeOf: (error) => this.#outcomeOf(error, used),
      send: async (call, signal) => {
        await this.#calls.turnOf(call)
        used = await this.#link.connected()
        return this.#send(used, { call, tool, args: wishes.args, signal }).catch(async (error: unknown) => {
          if (!used || statusOf(error) !== 404) throw error
          this.#link.drop(used) // it has forgotten the session, and has done nothing
          used = await this.#link.connected()
          return this.#send(used, { call, tool, args: wishes.args, signal })
        })
      },
    })
    this.#calls.add(call)
    return call
  }

  /** @param why there is no result of the calls that it is at */
  async close(why = "the toolkit was closed"): Promise<void> {
    this.#closing.abort(new Error("the toolkit is closed"))
    for (const call of this.#calls.all()) call.giveUp(why)
    await Promise.all(this.#calls.all().map((call) => call.over))
    await this.#link.close()
  }

  async #send(connection: Connection, { call, tool, args, signal }: Sent): Promise<Record<string, unknown>> {
    const listed = this.#tools?.get(tool)
    if (!listed) throw new Unusable(`the MCP server ${this.settings.name} has no tool ${tool} any more`)
    const onTask = (taskId: string) => {
      call.taskId = taskId
    }
    return connection.call({ tool, args, as: listed.as, token: call.token, signal, onTask })
  }

  #outcomeOf(error: unknown, used: Connection | undefined): Outcome {
    if (error instanceof Unusable) return { is: "refused", message: error.message }
    const { hide, reach } = this.settings
    const howEnded = used?.howEnded()
    const refusal = howEnded === undefined ? refusalIn(error) : undefined
    if (refusal !== undefined) return { is: "refused", message: hide(refusal) }
    return { is: "failed", fact: hide(callFact(error, { reach, howEnded, lastWords: used?.lastWords() ?? "" })) }
  }

  #listener(): ConnectionListener {
    return {
      onAsked: (asked) => this.#asked(asked),
      onProgress: (token) => this.#calls.get(token)?.progressed(),
      onLost: (token) => this.#calls.get(token)?.stop("the connection ended before the result was there"),
      onToolsChanged: () => void this.#relist(),
    }
  }

  async #asked({ params, token, taskId, signal }: Asked): Promise<ElicitResult> {
    const elicitation = elicitationFrom(params, this.settings.hide)
    const asker = await this.#calls.askerOf({ token, taskId })
    if (asker && !signal.aborted) return asker.call.ask(elicitation, { signal, candidates: asker.candidates })
    if (!asker) this.#say("asked something outside of any call, and nobody was asked")
    return CANCEL
  }

  /** Lists its tools again; however often it says that they have changed, one at a time. */
  async #relist(): Promise<void> {
    this.#listAgain = true
    if (this.#isListing) return
    this.#isListing = true
    while (this.#listAgain && !this.#closing.signal.aborted) {
      this.#listAgain = false
      await this.#list()
    }
    this.#isListing = false
  }

  async #list(): Promise<void> {
    const { clock } = this.#options
    const deadline = deadlineIn(clock, this.settings.startTimeoutMs, "its new list did not come", this.#closing.signal)
    try {
      const connection = await this.#link.connected()
      this.#take(await connection.listTools(deadline.signal))
    } catch {
      // It is gone, which the link says, or keeps its list to itself: then the one that is known counts.
    } finally {
      deadline.release()
    }
  }

  #take(entries: readonly unknown[]): void {
    const before = this.#tools
    this.#tools = toolsIn(entries, this.settings, (fact) => this.#say(`is odd: ${fact}`))
    const change = before && changeOf(before, this.#tools)
    if (change === undefined) return
    this.#options.onWarning(
      `the MCP server ${this.settings.name} has changed its tools (${change}): a run that has begun keeps those it began with`,
    )
    this.onChanged()
  }

  /** Each thing once. */
  #say(what: string): void {
    if (this.#said.has(what)) return
    this.#said.add(what)
    this.#options.onWarning(`the MCP server ${this.settings.name} ${this.settings.hide(what)}`)
  }
}

interface Sent {
  call: OpenCall
  tool: string
  args: Record<string, unknown>
  signal: AbortSignal
}
