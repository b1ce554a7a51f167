/**
 * Where a run's lines live. It knows no event by name: a line is a JSON object.
 *
 * `E` is the type of the lines; `run/` uses it with the union of events.
 */
export interface Journal<E = object> {
  /** Every line so far, oldest first. */
  read(): Promise<E[]>
  /**
   * Adds lines at the end, all or none.
   *
   * @param events the lines
   * @param options `at`: how many lines the journal is expected to hold before them (a different number is an error, nothing
   *   is written); `flush`: whether to resolve only when they, and all before them, survive a power cut
   * @throws ToolnexusError `journal`
   */
  append(events: readonly E[], options: { at: number; flush: boolean }): Promise<void>
  /** Lets go of what it holds (a lock, a file). Closing twice is fine. */
  close(): Promise<void>
}
