import type { Clock } from "../../event/clock.ts"
import type { OpenCall } from "./open-call.ts"

/** The call that a question belongs to; `candidates`: where the server does not say it, the tools of all that it may be. */
export interface Asker {
  call: OpenCall
  candidates: readonly string[]
}

/**
 * How far apart calls begin at a server that does not say which of them asks: most that ask do so at once, and are known then
 * by being alone.
 */
const APART_MS = 250
/** How long a question may wait for the other calls to end, so that it is known whose it is. */
const HOLD_MS = 2_000

/** The calls that one server is at. */
export class OpenCalls {
  readonly #calls = new Map<string, OpenCall>()
  /** Those that the server knows of. */
  readonly #begun = new Set<OpenCall>()
  readonly #clock: Clock
  #watchers = new Set<() => void>()
  readonly #says: "which call asks" | "nothing of calls"
  #held = 0
  #turn: Promise<unknown> = Promise.resolve()

  /** @param says what comes with a question */
  constructor(clock: Clock, says: "which call asks" | "nothing of calls") {
    this.#clock = clock
    this.#says = says
  }

  all(): OpenCall[] {
    return [...this.#calls.values()]
  }

  get(token: unknown): OpenCall | undefined {
    return typeof token === "string" ? this.#calls.get(token) : undefined
  }

  /** Resolves when a further call may begin: the one before has ended, asks, or has had its time, and no question is nobody's. */
  async turnOf(call: OpenCall): Promise<void> {
    if (this.#says === "which call asks") return
    const before = this.#turn
    let next = (): void => {}
    this.#turn = new Promise<void>((resolve) => {
      next = resolve
    })
    await before
    while (this.#held > 0) await this.#change()
    if (this.#calls.has(call.token)) this.#begun.add(call) // else it was stopped meanwhile
    const cancel = this.#clock.after(APART_MS, next)
    Promise.race([call.over, call.asks]).then(() => {
      cancel()
      next()
    })
  }

  add(call: OpenCall): void {
    this.#calls.set(call.token, call)
    call.over.then(() => {
      this.#calls.delete(call.token)
      this.#begun.delete(call)
      this.#tell()
    })
  }

  /** A call has got its answer, or asks: what is not known yet may be now. */
  #tell(): void {
    for (const resolve of this.#watchers) resolve()
    this.#watchers.clear()
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#watchers.add(resolve))
  }

  /**
   * Whose question it is. Over HTTP the stream says it, of a task the question; else it is the only call that it can be. Where
   * several can be, the others may end meanwhile; in the end it is said that it is not known.
   */
  async askerOf({
    token,
    taskId,
  }: {
    token: string | undefined
    taskId: string | undefined
  }): Promise<Asker | undefined> {
    const known = token !== undefined ? this.get(token) : this.#ofTask(taskId)
    if (known || token !== undefined || taskId !== undefined) return known && { call: known, candidates: [] }
    let isLate = false
    const cancel = this.#clock.after(HOLD_MS, () => {
      isLate = true
      this.#tell()
    })
    this.#held += 1
    while (this.#candidates().length > 1 && !isLate) await this.#change()
    this.#held -= 1
    cancel()
    this.#tell()
    const candidates = this.#candidates()
    const [call] = candidates
    return call && { call, candidates: candidates.length > 1 ? candidates.map(({ tool }) => tool) : [] }
  }

  #ofTask(taskId: string | undefined): OpenCall | undefined {
    return taskId === undefined ? undefined : this.all().find((call) => call.taskId === taskId)
  }

  /** A call that waits for a person asks nothing meanwhile, unless no other can be meant. */
  #candidates(): OpenCall[] {
    const begun = this.#says === "which call asks" ? this.all() : [...this.#begun]
    const free = begun.filter((call) => !call.isAsking)
    return free.length > 0 ? free : begun
  }
}
