/** Time, handed in: whole runs are tested without waiting. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /**
   * Calls back once after a while.
   *
   * @param ms milliseconds from now
   * @returns stops it
   */
  after(ms: number, callback: () => void): () => void
}
