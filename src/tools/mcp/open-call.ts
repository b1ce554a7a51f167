import type { Clock } from "../../event/clock.ts"
import type { Answer } from "../../suspension/answer.ts"
import { isRecord } from "../../suspension/request.ts"
import { messageOf } from "../../tool/error.ts"
import type { ToolResult } from "../../tool/tool.ts"
import { CallClock } from "./call-clock.ts"
import {
  CANCEL,
  type Circumstances,
  type Elicitation,
  type ElicitResult,
  elicitationFrom,
  fingerprintIn,
  requestIdFor,
  suspended,
} from "./elicitation.ts"

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

interface Question {
  id: string
  asked: ToolResult
  /** Where it is not known whether this call asks it, the end of this call is not the end of the question. */
  isCertain: boolean
  /** The server knows the answer, or does not want to know any more. */
  settle(result: ElicitResult): void
  resultFor(answer: Answer): ElicitResult
}

/** The most questions that one call may ask; the engine puts the next to nobody. */
const MAX_QUESTIONS = 8
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
  readonly #options: OpenCallOptions
  readonly #clock: CallClock
  readonly #stop = new AbortController()
  readonly #recorded: Answer[]
  readonly #timesAsked = new Map<string, number>()
  #asked: number
  #questions: Question[] = []
  /** The question that the tool suspended with last. */
  #front: Question | undefined
  #why: string | undefined
  #isGivenUp = false
  #outcome: Outcome | undefined
  #changed: () => void = () => {}
  readonly over: Promise<void>
  /** Resolves when it asks for the first time. */
  readonly asks: Promise<void>
  #firstAsked: () => void = () => {}

  constructor(options: OpenCallOptions) {
    const { token, tool, clock, timeoutMs, recorded } = options
    this.token = token
    this.tool = tool
    this.#options = options
    this.#recorded = [...recorded]
    this.#asked = recorded.length
    this.asks = new Promise((resolve) => {
      this.#firstAsked = resolve
    })
    this.#clock = new CallClock(clock, timeoutMs, () => {
      this.stop(`it did not answer within ${timeoutMs / 1000} s (callTimeoutMs)`)
    })
    this.over = this.#carryOut().then((outcome) => this.#end(outcome))
  }

  /** Whether it waits for a person. */
  get isAsking(): boolean {
    return this.#questions.length > 0
  }

  get isGivenUp(): boolean {
    return this.#isGivenUp
  }

  /** Whether the server still waits for the answer to this request. */
  waitsFor(requestId: string | undefined): boolean {
    return this.#front !== undefined && this.#front.id === requestId && this.#questions[0] === this.#front
  }

  /** Whether the tool suspended with this request last. */
  askedAs(requestId: string | undefined): boolean {
    return this.#front !== undefined && this.#front.id === requestId
  }

  progressed(): void {
    this.#clock.renew()
  }

  /**
   * Puts a question of the server's. What was answered before is answered at once.
   *
   * @throws ToolnexusError `invalid_request` where it cannot be put to anybody
   */
  async ask(elicitation: Elicitation, { signal, candidates }: AskedIn): Promise<ElicitResult> {
    const { fingerprint } = elicitation
    const times = (this.#timesAsked.get(fingerprint) ?? 0) + 1
    this.#timesAsked.set(fingerprint, times)
    const { repeats } = this.#options
    return this.#ask(elicitation, { times, repeats, candidates, signal })
  }

  /** The next thing that happens: a question, or the end. */
  async next(): Promise<News> {
    for (;;) {
      const [question] = this.#questions
      if (question) {
        this.#front = question
        this.#asked += 1
        if (this.#asked > MAX_QUESTIONS) this.giveUp("it asked too many questions")
        return { is: "question", asked: question.asked }
      }
      if (this.#outcome) return { is: "over", outcome: this.#outcome }
      await new Promise<void>((resolve) => {
        this.#changed = resolve
      })
    }
  }

  /** Hands the answer to the question in front to the server. */
  hand(answer: Answer): void {
    const question = this.#questions[0]
    if (question) this.#settle(question, question.resultFor(answer))
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
    for (const question of this.#questions) this.#settle(question, CANCEL)
    const cancel = this.#options.clock.after(CANCELLED_MS, () => this.stop(why))
    this.over.then(cancel)
  }

  /** Tells the server that nobody waits for the result. */
  stop(why: string): void {
    if (this.#outcome) return // the SDK would tell the server all the same
    this.#why ??= why
    this.#stop.abort(new Error(why))
  }

  #settle(question: Question, result: ElicitResult): void {
    this.#questions = this.#questions.filter((other) => other !== question)
    question.settle(result)
    if (!this.isAsking && !this.#outcome) this.#clock.run()
    this.#changed()
  }

  async #ask(
    elicitation: Elicitation,
    about: Pick<Circumstances, "times" | "repeats" | "candidates"> & { signal?: AbortSignal },
  ): Promise<ElicitResult> {
    if (this.#isGivenUp || this.#outcome) return CANCEL
    const recorded = this.#recorded.findIndex((answer) => fingerprintIn(answer) === elicitation.fingerprint)
    const [answer] = recorded < 0 ? [] : this.#recorded.splice(recorded, 1)
    if (answer) return elicitation.resultFor(answer)
    const { server } = this.#options
    const id = requestIdFor(elicitation)
    const asked = suspended(elicitation, { id, server, ...about })
    return new Promise((settle) => {
      const isCertain = about.candidates.length === 0
      const question = { id, asked, isCertain, settle, resultFor: elicitation.resultFor }
      about.signal?.addEventListener("abort", () => this.#settle(question, CANCEL), { once: true })
      this.#questions.push(question)
      this.#clock.pause()
      this.#firstAsked()
      this.#changed()
    })
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
        const elicitation = elicitationFrom(params)
        const { action } = await this.#ask(elicitation, { times: 1, repeats: "safely", candidates: [] })
        if (action !== "accept") return `${FIRST}, and the person declined. Nothing was done.`
      } catch (problem) {
        return `${FIRST}, and it cannot be shown: ${messageOf(problem)}. Nothing was done.`
      }
    }
    return undefined
  }

  #end(outcome: Outcome): void {
    this.#outcome = outcome
    for (const question of this.#questions) if (question.isCertain) this.#settle(question, CANCEL)
    this.#clock.pause()
    this.#changed()
  }
}

interface AskedIn {
  /** Aborted when the server does not want to know any more. */
  signal: AbortSignal
  candidates: readonly string[]
}

const URL_ELICITATION_REQUIRED = -32042
const FIRST = "The server wants something done at an address first"

function wantedFirst(error: unknown): unknown[] {
  const { code, data } = error as { code?: unknown; data?: unknown }
  const wanted = code === URL_ELICITATION_REQUIRED && isRecord(data) ? data.elicitations : undefined
  return Array.isArray(wanted) ? wanted : []
}
