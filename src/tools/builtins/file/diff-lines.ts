/** A run of lines that both have, or that only one has. */
export interface DiffPiece {
  kind: "same" | "removed" | "added"
  /** The index of its first line in the old list, or where it would stand there. */
  old: number
  /** Likewise in the new one. */
  next: number
  length: number
}

/** More differences than this are not looked for: what is between the common start and end is shown as replaced. */
const MAX_DISTANCE = 1000
/** Nor is it where more lines than this would be compared. */
const MAX_COMPARED = 20_000_000

/**
 * The difference of two lists of lines: the shortest (Myers) where that is at most {@link MAX_DISTANCE} lines, complete in any case.
 */
export function diffLines(before: readonly string[], after: readonly string[]): DiffPiece[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  const most = Math.min(before.length, after.length) - start
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  const middle = shortest(before.slice(start, before.length - end), after.slice(start, after.length - end))
  return joined([
    { kind: "same", old: 0, next: 0, length: start },
    ...middle.map(({ kind, old, next, length }) => ({ kind, old: old + start, next: next + start, length })),
    { kind: "same", old: before.length - end, next: after.length - end, length: end },
  ])
}

function shortest(before: readonly string[], after: readonly string[]): DiffPiece[] {
  const rounds = before.length === 0 || after.length === 0 ? undefined : search(before, after)
  if (rounds) return trace(rounds, before.length, after.length)
  return [
    { kind: "removed", old: 0, next: 0, length: before.length },
    { kind: "added", old: before.length, next: 0, length: after.length },
  ]
}

type Reached = ReadonlyMap<number, number>

const NOTHING_REACHED: Reached = new Map([[1, 0]])

/** How far each diagonal reached, a map for each number of differences; `undefined` where there are too many. */
function search(before: readonly string[], after: readonly string[]): Reached[] | undefined {
  const rounds: Reached[] = []
  const last = before.length - after.length
  let compared = 0
  for (let distance = 0; distance <= MAX_DISTANCE; distance++) {
    const round = new Map<number, number>()
    for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
      const step = stepOnto(rounds[distance - 1] ?? NOTHING_REACHED, diagonal)
      let { x } = step
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x++
      compared += x - step.x
      if (compared > MAX_COMPARED) return undefined
      round.set(diagonal, x)
      if (diagonal === last && x >= before.length) return [...rounds, round]
    }
    rounds.push(round)
  }
  return undefined
}

/** The first point of a diagonal: one step down from the diagonal above it, or one to the right from that below. */
function stepOnto(reached: Reached, diagonal: number): { x: number; by: "added" | "removed" } {
  const down = reached.get(diagonal + 1)
  const right = reached.get(diagonal - 1)
  if (down !== undefined && (right === undefined || right < down)) return { x: down, by: "added" }
  return { x: (right ?? -1) + 1, by: "removed" }
}

/** The way back from the end, turned round. */
function trace(rounds: readonly Reached[], oldLength: number, newLength: number): DiffPiece[] {
  const pieces: DiffPiece[] = []
  let x = oldLength
  let y = newLength
  for (let distance = rounds.length - 1; distance >= 0; distance--) {
    const step = stepOnto(rounds[distance - 1] ?? NOTHING_REACHED, x - y)
    const length = x - step.x
    x -= length
    y -= length
    pieces.push({ kind: "same", old: x, next: y, length })
    if (distance === 0) break
    if (step.by === "added") y--
    else x--
    pieces.push({ kind: step.by, old: x, next: y, length: 1 })
  }
  return pieces.reverse()
}

function joined(pieces: readonly DiffPiece[]): DiffPiece[] {
  const result: DiffPiece[] = []
  for (const piece of pieces) {
    const last = result.at(-1)
    if (piece.length === 0) continue
    if (last?.kind === piece.kind) last.length += piece.length
    else result.push({ ...piece })
  }
  return result
}
