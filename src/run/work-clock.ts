import type { Clock } from "../event/clock.ts"

/** How long a model or tools were at work: what happens at the same time counts once, waiting for a person never. */
export class WorkClock {
  readonly #clock: Clock
  #before: number
  #atWork = 0
  #since = 0
  #stopAlarm: () => void = () => {}

  /**
   * @param clock the time
   * @param before milliseconds of earlier processes
   */
  constructor(clock: Clock, before: number) {
    this.#clock = clock
    this.#before = before
  }

  /** Milliseconds so far. */
  get workMs(): number {
    const lately = this.#atWork > 0 ? this.#clock.now() - this.#since : 0
    return Math.round(this.#before + Math.max(0, lately)) // the machine's clock may be put back
  }

  /**
   * Counts while something works.
   *
   * @param work what works
   * @param alarm when the count may not go on: at how many milliseconds, and what is called then
   */
  async during<T>(work: () => Promise<T>, alarm: { atMs: number | undefined; ring: () => void }): Promise<T> {
    if (this.#atWork === 0) {
      this.#since = this.#clock.now()
      if (alarm.atMs !== undefined)
        this.#stopAlarm = this.#clock.after(Math.max(0, alarm.atMs - this.#before), alarm.ring)
    }
    this.#atWork += 1
    try {
      return await work()
    } finally {
      this.#before = this.#atWork === 1 ? this.workMs : this.#before
      this.#atWork -= 1
      if (this.#atWork === 0) this.#stopAlarm()
    }
  }
}
