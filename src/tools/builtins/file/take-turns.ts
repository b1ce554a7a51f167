/** Runs work when all that was given before has ended. */
export type Turn = <T>(work: () => Promise<T>) => Promise<T>

export function takeTurns(): Turn {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work)
    last = mine.catch(() => undefined) // the failure is its caller's
    return mine
  }
}
