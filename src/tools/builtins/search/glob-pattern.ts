/** Whether a relative path, its parts between `/`, fits a pattern. */
export type MatchesPath = (path: string) => boolean

const MAX_ALTERNATIVES = 256

/**
 * A pattern as shells and git have them: `*` and `?` within a name, `**` for any folders, `[a-z]`, `{a,b}`. Matching is by steps
 * that are bounded by the product of both lengths: patterns come from models and from files.
 *
 * @param pattern relative; without a `/` it is compared with the last name only where `scope` is "name"
 * @returns `undefined` where its braces stand for more than 256 patterns
 */
export function globPattern(pattern: string, scope: "path" | "name" = "path"): MatchesPath | undefined {
  const alternatives = expandBraces(pattern)
  if (alternatives === undefined) return undefined
  const compiled = alternatives.map((each) => compile(scope === "name" && !each.includes("/") ? `**/${each}` : each))
  return (path) => {
    const names = path.split("/")
    return compiled.some((segments) => matchesFrom(segments, names))
  }
}

type Segment = "any folders" | readonly Piece[]
type Piece = "any characters" | ((character: string) => boolean)

function compile(pattern: string): Segment[] {
  const segments = pattern.split("/").filter((segment) => segment !== "" && segment !== ".")
  return segments.map((segment) => (segment === "**" ? "any folders" : pieces(segment)))
}

const PIECES = /\\(.)|\[([!^]?)(\]?[^\]]*)\]|(\*+)|(\?)|(.)/gsu

function pieces(segment: string): Piece[] {
  return [...segment.matchAll(PIECES)].map(([, escaped, not, set, stars, one, plain]) => {
    if (stars !== undefined) return "any characters"
    if (one !== undefined) return () => true
    if (set !== undefined) return oneOf(set, not === "" ? "in" : "not in")
    const wanted = escaped ?? plain
    return (character) => character === wanted
  })
}

function oneOf(set: string, wanted: "in" | "not in"): (character: string) => boolean {
  const ranges = [...set.matchAll(/(.)-(.)|(.)/gsu)].map(([, from, to, one]) => [from ?? one ?? "", to ?? one ?? ""])
  return (character) =>
    ranges.some(([from = "", to = ""]) => from <= character && character <= to) === (wanted === "in")
}

/** Matches a list with steps of which some stand for any number of items: only the last such step is tried again. */
function matchesWithStars<Step, Item>(
  steps: readonly Step[],
  items: readonly Item[],
  isStar: (step: Step) => boolean,
  fits: (step: Step, item: Item) => boolean,
): boolean {
  let step = 0
  let item = 0
  let again: { step: number; item: number } | undefined
  while (item < items.length) {
    const current = steps[step]
    const value = items[item] as Item
    if (current !== undefined && isStar(current)) {
      again = { step: step + 1, item }
      step++
    } else if (current !== undefined && fits(current, value)) {
      step++
      item++
    } else if (again) {
      again.item++
      step = again.step
      item = again.item
    } else return false
  }
  return steps.slice(step).every(isStar)
}

function matchesFrom(segments: readonly Segment[], names: readonly string[]): boolean {
  return matchesWithStars(
    segments,
    names,
    (segment) => segment === "any folders",
    (segment, name) => segment !== "any folders" && matchesName(segment, name),
  )
}

function matchesName(segment: readonly Piece[], name: string): boolean {
  return matchesWithStars(
    segment,
    [...name],
    (piece) => piece === "any characters",
    (piece, character) => piece !== "any characters" && piece(character),
  )
}

/** `a{b,c}` as `ab` and `ac`; `undefined` where there are too many. */
function expandBraces(pattern: string): string[] | undefined {
  let open = [pattern]
  const done: string[] = []
  while (open.length > 0) {
    const next: string[] = []
    for (const each of open) {
      const inner = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(each)
      if (!inner) done.push(each)
      else for (const choice of (inner[2] ?? "").split(",")) next.push(`${inner[1]}${choice}${inner[3]}`)
      if (done.length + next.length > MAX_ALTERNATIVES) return undefined
    }
    open = next
  }
  return done
}
