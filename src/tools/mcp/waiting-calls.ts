import { messageOf } from "../../tool/error.ts"
import type { ToolContext } from "../../tool/tool.ts"
import type { News, OpenCall } from "./open-call.ts"

/** The calls whose tool has suspended, by the engine's name for each. */
export class WaitingCalls {
  readonly #calls = new Map<string, OpenCall>()

  get(key: string): OpenCall | undefined {
    return this.#calls.get(key)
  }

  take(key: string | undefined): OpenCall | undefined {
    if (key === undefined) return undefined
    const call = this.#calls.get(key)
    this.#calls.delete(key)
    return call
  }

  /** Waits for the next thing to happen in a call. It is given up when its run has ended, also long after this. */
  async goOn(call: OpenCall, { signal, idempotencyKey: key }: ToolContext): Promise<News> {
    const stop = () => {
      if (key !== undefined && this.#calls.get(key) === call) this.#calls.delete(key)
      call.giveUp(signal?.aborted ? messageOf(signal.reason) : "nobody can go on with it")
    }
    if (signal?.aborted) stop()
    signal?.addEventListener("abort", stop, { once: true })
    const news = await call.next()
    if (news.is === "over") signal?.removeEventListener("abort", stop)
    else if (key === undefined || call.isGivenUp) stop()
    else this.#calls.set(key, call)
    return news
  }
}
