import type { Clock } from "../../event/clock.ts"
import type { Answer } from "../../suspension/answer.ts"
import { isRecord } from "../../suspension/request.ts"
import { messageOf } from "../../tool/error.ts"
import type { ToolResult } from "../../tool/tool.ts"
import { CallClock } from "./call-clock.ts"
import { CANCEL, type Circumstances, type Elicitation, type ElicitResult, elicitationFrom } from "./elicitation.ts"
import { type AskedIn, Questions } from "./questions.ts"

/** What became of a call. `refused` is the server's own word; `failed`: there is no result, and why. */
export type Outcome =
  | { is: "result"; result: Record<string, unknown> }
  | { is: "refused"; message: string }
  | { is: "failed"; fact: string }

export type News = { is: "question"; asked: ToolResult } | { is: "over"; outcome: Outcome }

export interface OpenCallOptions {
  /** What its messages are known by. */
  token: string
  /** As the model calls the tool. */
  tool: string
  server: string
  repeats: Circumstances["repeats"]
  timeoutMs: number
  clock: Clock
  /** What people have answered to this call's questions before, in order. */
  recorded: readonly Answer[]
  /** Makes the call. @throws whatever went wrong */
  send(call: OpenCall, signal: AbortSignal): Promise<Record<string, unknown>>
  outcomeOf(error: unknown): Outcome
}

/** How long a call whose question was cancelled may take to end by itself. */
const CANCELLED_MS = 1_000

/**
 * A call that a server is at. It outlives one run of its tool: the tool suspends with the server's question and is run again
 * with the answer, and the server's call waits meanwhile. Its own clock stands still then.
 */
export class OpenCall {
  readonly token: string
  readonly tool: string
  /** Of a call that the server made a task of. */
  taskId: string | undefined
  readonly over: Promise<void>
  /** Resolves when it asks for the first time. */
  readonly asks: Promise<void>
  readonly #options: OpenCallOptions
  readonly #questions: Questions
  readonly #clock: CallClock
  readonly #stop = new AbortController()
  #why: string | undefined
  #isGivenUp = false
  #outcome: Outcome | undefined
  #changed: () => void = () => {}
  #firstAsked: () => void = () => {}

  constructor(options: OpenCallOptions) {
    const { token, tool, server, clock, timeoutMs, recorded } = options
    this.token = token
    this.tool = tool
    this.#options = options
    this.#questions = new Questions({ server, recorded, onChange: () => this.#onQuestion() })
    this.#clock = new CallClock(clock, timeoutMs, () => {
      this.stop(`it did not answer within ${timeoutMs / 1000} s (callTimeoutMs)`)
    })
    this.asks = new Promise((resolve) => {
      this.#firstAsked = resolve
    })
    this.over = this.#carryOut().then((outcome) => this.#end(outcome))
  }

  /** Whether it waits for a person. */
  get isAsking(): boolean {
    return this.#questions.areOpen
  }

  get isGivenUp(): boolean {
    return this.#isGivenUp
  }

  /** Whether the tool suspended with this request last. */
  askedAs(requestId: string): boolean {
    return this.#questions.wasPutAs(requestId)
  }

  progressed(): void {
    this.#clock.renew()
  }

  /** @throws ToolnexusError `invalid_request` where the question cannot be put to anybody */
  ask(elicitation: Elicitation, about: Required<Pick<AskedIn, "signal" | "candidates">>): Promise<ElicitResult> {
    return this.#ask(elicitation, { ...about, repeats: this.#options.repeats, again: "may be asked" })
  }

  /** The next thing that happens: a question, or the end. */
  async next(): Promise<News> {
    for (;;) {
      const asked = this.#questions.putNext()
      if (asked) {
        if (this.#questions.areTooMany) this.giveUp("it asked too many questions")
        return { is: "question", asked }
      }
      if (this.#outcome) return { is: "over", outcome: this.#outcome }
      await new Promise<void>((resolve) => {
        this.#changed = resolve
      })
    }
  }

  /**
   * Hands the answer to the question that the tool suspended with last to the server.
   *
   * @returns whether the server still waited for it
   */
  hand(answer: Answer): "heard" | "too late" {
    if (!this.#questions.isFrontOpen) return "too late"
    this.#questions.hand(answer)
    return "heard"
  }

  /** Nobody waits for the result any more: open questions are cancelled, then the call is. */
  giveUp(why: string): void {
    if (this.#isGivenUp) return
    this.#isGivenUp = true
    this.#why ??= why
    if (!this.isAsking) {
      this.stop(why)
      return
    }
    this.#questions.cancel("all")
    const cancel = this.#options.clock.after(CANCELLED_MS, () => this.stop(why))
    this.over.then(cancel)
  }

  /** Tells the server that nobody waits for the result. */
  stop(why: string): void {
    if (this.#outcome) return // the SDK would tell the server all the same
    this.#why ??= why
    this.#stop.abort(new Error(why))
  }

  async #ask(elicitation: Elicitation, about: AskedIn): Promise<ElicitResult> {
    return this.#isGivenUp || this.#outcome ? CANCEL : this.#questions.ask(elicitation, about)
  }

  #onQuestion(): void {
    if (this.isAsking) {
      this.#clock.pause()
      this.#firstAsked()
    } else if (!this.#outcome) this.#clock.run()
    this.#changed()
  }

  async #carryOut(): Promise<Outcome> {
    for (;;) {
      this.#clock.renew()
      this.#clock.run()
      try {
        return { is: "result", result: await this.#sent() }
      } catch (error) {
        if (this.#why !== undefined) return { is: "failed", fact: this.#why }
        const wanted = wantedFirst(error)
        if (wanted.length === 0) return this.#options.outcomeOf(error)
        const problem = await this.#haveDone(wanted)
        if (problem !== undefined) return { is: "refused", message: problem }
      }
    }
  }

  /** A server that is only being started is not waited for either when the call is stopped. */
  #sent(): Promise<Record<string, unknown>> {
    const { signal } = this.#stop
    return new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true })
      this.#options.send(this, signal).then(resolve, reject)
    })
  }

  /** The server does nothing before something was done at an address: then the call is made again, as the protocol says. */
  async #haveDone(wanted: readonly unknown[]): Promise<string | undefined> {
    for (const params of wanted) {
      try {
        const about: AskedIn = { repeats: "safely", candidates: [], again: "is unresolved" }
        const { action } = await this.#ask(elicitationFrom(params), about)
        if (action !== "accept") return `${FIRST}, and the person declined. Nothing was done.`
      } catch (problem) {
        return `${FIRST}, and it cannot be shown: ${messageOf(problem)}. Nothing was done.`
      }
    }
    return undefined
  }

  #end(outcome: Outcome): void {
    this.#outcome = outcome
    this.#clock.pause()
    this.#questions.cancel("certain")
    this.#changed()
  }
}

const URL_ELICITATION_REQUIRED = -32042
const FIRST = "The server wants something done at an address first"

function wantedFirst(error: unknown): unknown[] {
  const { code, data } = error as { code?: unknown; data?: unknown }
  const wanted = code === URL_ELICITATION_REQUIRED && isRecord(data) ? data.elicitations : undefined
  return Array.isArray(wanted) ? wanted : []
}
