import type { Clock } from "../../event/clock.ts"
import type { McpStatus } from "../toolkit.ts"
import { type Connection, type ConnectionListener, NotReached, openConnection } from "./connection.ts"
import { deadlineIn } from "./deadline.ts"
import type { ServerSettings } from "./read-servers.ts"
import { endFact, startFact } from "./server-fact.ts"

export interface ServerLinkOptions {
  settings: ServerSettings
  env: NodeJS.ProcessEnv
  secretEnv: readonly string[]
  clock: Clock
  listener: ConnectionListener
  /** Told of each connection before it is used. */
  onConnected(connection: Connection): void
  onWarning(message: string): void
}

/** Why a server cannot be used, in words for everybody. */
export class Unusable extends Error {}

/** The way to one server: opened with the toolkit, and anew for the next call when it has ended. */
export class ServerLink {
  readonly #options: ServerLinkOptions
  readonly #closing = new AbortController()
  #connection: Promise<Connection> | undefined
  #problem: string | undefined

  constructor(options: ServerLinkOptions) {
    this.#options = options
  }

  get status(): Pick<McpStatus, "status" | "error"> {
    return this.#problem === undefined ? { status: "connected" } : { status: "failed", error: this.#problem }
  }

  /** @throws Unusable */
  connected(): Promise<Connection> {
    this.#connection ??= this.#connect()
    return this.#connection
  }

  /** Lets go of a connection that is of no use any more. */
  drop(connection: Connection): void {
    this.#connection = undefined
    void connection.close()
  }

  /** Ends it, and waits until it has ended. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("the toolkit is closed"))
    const connection = await this.#connection?.catch(() => undefined)
    await connection?.close()
  }

  async #connect(): Promise<Connection> {
    const { clock, settings } = this.#options
    const why = `it was not ready within ${settings.startTimeoutMs / 1000} s (startTimeoutMs)`
    const deadline = deadlineIn(clock, settings.startTimeoutMs, why, this.#closing.signal)
    try {
      deadline.signal.throwIfAborted()
      const connection = await openConnection({ ...this.#options, signal: deadline.signal })
      this.#problem = undefined
      this.#options.onConnected(connection)
      connection.ended.then(() => this.#ended(connection))
      return connection
    } catch (error) {
      this.#connection = undefined // the next call tries again
      throw this.#unusable(error)
    } finally {
      deadline.release()
    }
  }

  #unusable(error: unknown): Unusable {
    const { reach, name, hide } = this.#options.settings
    const known = error instanceof NotReached ? error : undefined
    const { fact, next } = startFact(known?.cause ?? error, {
      reach,
      howEnded: known?.howEnded,
      lastWords: known?.lastWords ?? "",
    })
    const problem = hide(`${fact}: ${next}`)
    const message = `the MCP server ${name} cannot be used: ${problem}`
    if (problem !== this.#problem && !this.#closing.signal.aborted) this.#options.onWarning(message)
    this.#problem = problem
    return new Unusable(message)
  }

  #ended(connection: Connection): void {
    const { name, hide, reach } = this.#options.settings
    if (this.#closing.signal.aborted) return
    this.#connection = undefined
    if (reach.via !== "stdio") return // it was closed from here
    this.#problem = hide(endFact({ howEnded: connection.howEnded(), lastWords: connection.lastWords() }))
    this.#options.onWarning(`the MCP server ${name} is gone: ${this.#problem}: its next call starts it again`)
  }
}
