/**
 * Runs things one after the other, round by round, so that what else the machine does falls on all of them alike.
 *
 * @param things by name: an async function that gives a number
 * @param rounds how often; the first round is not counted
 * @returns by name the numbers of each round
 */
export async function interleaved(things, rounds) {
  const numbers = Object.fromEntries(Object.keys(things).map((name) => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const [name, measure] of Object.entries(things)) {
      const number = await measure()
      if (round > 0) numbers[name].push(number)
    }
  }
  return numbers
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b)
  return (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.ceil((sorted.length - 1) / 2)]) / 2
}

/** The median of the ratios of each round. */
export function ratio(numbers, others) {
  return median(numbers.map((number, at) => number / others[at]))
}
