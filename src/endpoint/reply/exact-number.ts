/** Applied to the pieces of a valid JSON text that are in no string. */
function mapOutsideStrings(json: string, change: (piece: string) => string): string {
  const pieces: string[] = []
  let at = 0
  // By hand: one regular expression over all of it runs out of stack on long strings.
  for (let quote = json.indexOf('"'); quote >= 0; quote = json.indexOf('"', at)) {
    const end = endOfString(json, quote)
    pieces.push(change(json.slice(at, quote)), json.slice(quote, end + 1))
    at = end + 1
  }
  pieces.push(change(json.slice(at)))
  return pieces.join("")
}

function endOfString(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    const quote = json.indexOf('"', at)
    if (quote < 0) break
    let backslashes = 0
    while (json[quote - 1 - backslashes] === "\\") backslashes++
    if (backslashes % 2 === 0) return quote
    at = quote
  }
  return json.length - 1
}

// A number with a fraction or an exponent is meant as a measure, and may be rounded.
const LONG_WHOLE = /(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g

/**
 * The first whole number in a JSON text that JavaScript cannot hold.
 *
 * @example inexactNumber('{"id":9007199254740993}') // "9007199254740993"
 */
export function inexactNumber(json: string): string | undefined {
  let found: string | undefined
  if (!/\d{16}/.test(json)) return undefined
  mapOutsideStrings(json, (piece) => {
    for (const [digits] of piece.matchAll(LONG_WHOLE)) if (!isExact(digits)) found ??= digits
    return piece
  })
  return found
}

/** The same text with each such number as a string that begins with the mark. */
export function markInexact(json: string, mark: string): string {
  const marked = (digits: string) => (isExact(digits) ? digits : JSON.stringify(mark + digits))
  return mapOutsideStrings(json, (piece) => piece.replace(LONG_WHOLE, marked))
}

function isExact(digits: string): boolean {
  return BigInt(digits) === BigInt(Number(digits))
}
