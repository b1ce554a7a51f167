/** Longer is nobody's misspelling. */
const MAX_LENGTH = 40

/**
 * The name that was probably meant: one letter more, less, other or exchanged, in a name of more than six letters two, whatever the
 * case.
 *
 * @returns `undefined` where none is near
 * @example nearestName("dney", ["allow", "ask", "deny"]) // "deny"
 */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  if (given.length > MAX_LENGTH) return undefined
  const found = names
    .map((name) => ({ name, far: distance(given.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, far }) => far <= (name.length > 6 ? 2 : 1))
  return found.sort((a, b) => a.far - b.far)[0]?.name
}

/** How many letters were put in, left out, exchanged or taken for others. */
function distance(a: string, b: string): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const [up = 0, left = 0, diagonal = 0, crossed = 0] = [last[j], row[j - 1], last[j - 1], before[j - 2]]
      const isExchanged = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const same = diagonal + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(up + 1, left + 1, same, isExchanged ? crossed + 1 : same))
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}
