import { setMaxListeners } from "node:events"
import type { Clock } from "../event/clock.ts"
import type { LimitName, RunEvent } from "../event/event.ts"
import type { Answer } from "../suspension/answer.ts"
import type { SchemaCheck } from "../tools/schema-check.ts"
import { closingEvent, type Ending, endingOf } from "./closing.ts"
import { fold } from "./fold/fold.ts"
import { type CallState, dueCalls, idempotencyKeyOf, keyOf, openRequests, type RunState, specOf } from "./fold/state.ts"
import { type Hidden, hiddenError, hiddenEvent } from "./masks/secrets.ts"
import { type NewEvent, stampEvent } from "./new-event.ts"
import type { MetricEvent, RunJournal } from "./options.ts"
import type { SeatOf } from "./seat.ts"
import { doStep } from "./steps/do-step.ts"
import { isExpired, next, type Step } from "./steps/next.ts"
import { shown } from "./views/shown.ts"
import { WorkClock } from "./work-clock.ts"

/** Why a run stops although there is something to do. */
export type Stop = { why: "signal" | "close" } | { why: "limit"; limit: LimitName } | { why: "failure"; error: unknown }

export interface EngineParts extends Hidden {
  readonly state: RunState
  readonly journal: RunJournal
  /** How many lines the journal holds. */
  readonly lines: number
  /** Folded already and not written yet: they go before the first line that this process has to say. */
  readonly unwritten: readonly RunEvent[]
  readonly seatOf: SeatOf
  readonly clock: Clock
  readonly schemas: SchemaCheck
  /** The answers that are in no file, by request id. */
  readonly secrets: Map<string, Answer>
  readonly signal?: AbortSignal | undefined
  readonly onText?: ((text: string) => void) | undefined
  readonly onEvent?: ((event: RunEvent) => void) | undefined
  readonly onMetric?: ((event: MetricEvent) => void) | undefined
}

/** How long calls under way may take to end once the run stops. */
const GRACE_MS = 2000

/** The only place where steps are done. It starts what can be started, and looks again whenever something has ended. */
export class Engine {
  readonly parts: EngineParts
  readonly state: RunState
  /** Requests that nobody answers now. */
  readonly left: Set<string> = new Set()
  /** The question in front of a person. */
  question: { id: string; settled: AbortController } | undefined
  readonly #underWay = new Map<string, Step>()
  readonly #watchers = new Set<() => void>()
  readonly #abort = new AbortController()
  readonly #work: WorkClock
  #stop: Stop | undefined
  #over = false
  #lines: number
  #unwritten: RunEvent[]
  /** Whether anything was said since the last closing line. */
  #hasNews = false
  #isBehind = false
  /** Resolves when everything said so far is where it must be. */
  #written: Promise<void> = Promise.resolve()
  #stopTimer: () => void = () => {}
  #stopListening: () => void = () => {}

  constructor(parts: EngineParts) {
    this.parts = parts
    this.state = parts.state
    this.#lines = parts.lines
    this.#unwritten = [...parts.unwritten]
    this.#hasNews = parts.unwritten.some(({ type }) => type === "run.imported") // nobody else has written that down
    setMaxListeners(0, this.#abort.signal) // each call under way listens
    this.#work = new WorkClock(parts.clock, parts.state.workMs)
    this.#listen(parts.signal)
  }

  /** Aborted when the run stops: calls and model requests end then. When it has ended, what calls left open ends too. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** After the grace of a stop, what still runs is not heard any more. */
  get isOver(): boolean {
    return this.#over
  }

  /** Does all that can be done, then says how it ended. @throws what made it stop */
  async drive(): Promise<void> {
    await this.until(() => this.#underWay.size === 0)
    await this.end()
  }

  /** Nothing is heard any more, and the closing line is written. @throws what made it stop */
  async end(): Promise<void> {
    this.#over = true
    this.#stopTimer()
    this.#stopListening()
    this.#cancelExpiry()
    this.#abort.abort()
    await this.rest()
    if (this.#stop?.why === "failure") throw hiddenError(this.#stop.error, this.parts)
  }

  /** Writes the closing line, where anything was said since the last one: whoever comes meanwhile waits for that one. */
  async rest(): Promise<void> {
    if (this.#isBehind) return
    if (!this.#hasNews) return this.#written
    const closed = this.#append([closingEvent(this.state, this.#stop)], { flush: true })
    this.#hasNews = false
    await closed
  }

  /** How the run stands, once nothing is under way. */
  get ending(): Ending {
    return endingOf(this.state, this.#stop)
  }

  /** What made it stop, where that was an error. */
  get failure(): { error: unknown } | undefined {
    return this.#stop?.why === "failure" ? this.#stop : undefined
  }

  /** Goes on until something holds (tested after each step), or the run stops. */
  async until(holds: () => boolean): Promise<void> {
    this.kick()
    while (!holds() && !this.#over) await new Promise<void>((resolve) => this.#watchers.add(resolve))
  }

  /** Starts what can be started. */
  kick(): void {
    if (!this.#stop) for (const step of next(this.state, this.#now())) this.#start(step)
    this.#watchExpiry()
    for (const resolve of this.#watchers) resolve()
    this.#watchers.clear()
  }

  stop(stop: Stop): void {
    if (this.#stop) return
    this.#stop = stop
    this.question?.settled.abort()
    if (stop.why !== "failure") this.#abort.abort()
    this.#stopTimer = this.parts.clock.after(GRACE_MS, () => {
      this.#over = true
      this.#abort.abort()
      this.kick()
    })
    this.kick()
  }

  /**
   * Says what happened: folded at once, resolved when the lines are where they must be.
   *
   * @param events what happened; together they are written or not at all
   * @param options `flush`: resolve only when they survive a power cut
   */
  async emit(events: NewEvent[], options: { flush: boolean }): Promise<void> {
    if (this.#over) return
    try {
      await this.#append(events, options)
    } catch (error) {
      this.stop({ why: "failure", error })
      throw error
    }
  }

  /** Counts the time of a model or a tool at work. */
  working<T>(work: () => Promise<T>): Promise<T> {
    const { root } = this.state
    const timeoutMs = root?.limits.timeoutMs
    const atMs = root && timeoutMs !== undefined ? root.run.workMsBefore + timeoutMs : undefined
    return this.#work.during(work, { atMs, ring: () => this.stop({ why: "limit", limit: "timeoutMs" }) })
  }

  /** The steps under way, by key. */
  isUnderWay(holds: (step: Step) => boolean): boolean {
    return [...this.#underWay.values()].some(holds)
  }

  async #append(events: NewEvent[], { flush }: { flush: boolean }): Promise<void> {
    const stamp = { time: this.parts.clock.now(), workMs: this.#work.workMs }
    const lines = events.map((event) => stampEvent(hiddenEvent(event, this.parts, this.#saidBy(event)), stamp))
    for (const line of lines) fold(this.state, line)
    const all = [...this.#unwritten.splice(0), ...lines]
    const expected = this.#lines
    this.#lines += all.length
    this.#hasNews = true
    const written = this.#write(all, { at: expected, flush })
    this.#written = Promise.all([this.#written, written]).then(() => undefined)
    this.#written.catch(() => undefined) // whoever said it is told
    await written
    for (const line of all) this.parts.onEvent?.(shown(this.state, line))
  }

  #saidBy(event: NewEvent): "by a built-in tool" | "by others" {
    if (event.type !== "call.finished") return "by others"
    const agent = this.state.agents.get(keyOf(event.agent))
    const call = agent && dueCalls(agent)[event.index]
    return call && specOf(call)?.source === "builtin" ? "by a built-in tool" : "by others"
  }

  async #write(lines: readonly RunEvent[], options: { at: number; flush: boolean }): Promise<void> {
    try {
      await this.parts.journal.append(lines, options)
    } catch (error) {
      this.#isBehind = true // the state says more than the file: nothing may be added to it
      throw error
    }
  }

  // The state is ahead of the file while lines are being written: nothing is made of them before they are there.
  #start(step: Step): void {
    this.#underWay.set(step.key, step)
    this.#written
      .then(() => (this.#stop ? undefined : doStep(this, step)))
      .catch((error: unknown) => this.stop({ why: "failure", error }))
      .finally(() => {
        this.#underWay.delete(step.key)
        this.kick()
      })
  }

  #now() {
    return {
      time: this.parts.clock.now(),
      mayAsk: (path: readonly string[]) => this.parts.seatOf(path).waitFor !== undefined,
      left: this.left,
      underWay: this.#underWay,
      asking: this.isUnderWay((step) => step.do === "ask a person"),
      secrets: this.parts.secrets,
      isWaiting: (call: CallState) =>
        this.parts.seatOf(call.agent.path).tools?.get(call.name)?.isWaiting?.(idempotencyKeyOf(this.state, call)) ??
        false,
    }
  }

  // The caller's signal may live much longer than this run.
  #listen(signal: AbortSignal | undefined): void {
    const stop = () => this.stop({ why: "signal" })
    if (signal?.aborted) stop()
    else signal?.addEventListener("abort", stop, { once: true })
    this.#stopListening = () => signal?.removeEventListener("abort", stop)
  }

  #cancelExpiry: () => void = () => {}

  /** While something is under way, a request whose time is up is settled at that moment. */
  #watchExpiry(): void {
    this.#cancelExpiry()
    if (this.#underWay.size === 0 || this.#stop) return
    const now = this.parts.clock.now()
    const times = openRequests(this.state).flatMap((open) =>
      open.request.expiresAt !== undefined && !isExpired(open, now) ? Date.parse(open.request.expiresAt) : [],
    )
    if (times.length === 0) return
    this.#cancelExpiry = this.parts.clock.after(Math.min(...times) - now, () => this.kick())
  }
}
