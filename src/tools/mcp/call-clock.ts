import type { Clock } from "../../event/clock.ts"

/** How long a server may still take for a call. The time in which it waits for a person does not count. */
export class CallClock {
  readonly #clock: Clock
  readonly #limitMs: number
  readonly #ring: () => void
  #leftMs: number
  #since = 0
  #cancel: (() => void) | undefined

  /**
   * @param limitMs how long it may work without progress
   * @param ring what is called then
   */
  constructor(clock: Clock, limitMs: number, ring: () => void) {
    this.#clock = clock
    this.#limitMs = limitMs
    this.#leftMs = limitMs
    this.#ring = ring
  }

  run(): void {
    if (this.#cancel) return
    this.#since = this.#clock.now()
    this.#cancel = this.#clock.after(this.#leftMs, this.#ring)
  }

  pause(): void {
    if (!this.#cancel) return
    this.#cancel()
    this.#cancel = undefined
    this.#leftMs = Math.max(0, this.#leftMs - (this.#clock.now() - this.#since))
  }

  /** There was progress: the whole time is left again. */
  renew(): void {
    const isRunning = this.#cancel !== undefined
    this.pause()
    this.#leftMs = this.#limitMs
    if (isRunning) this.run()
  }
}
