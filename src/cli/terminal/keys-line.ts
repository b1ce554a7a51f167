import { columnsOf, wrapWords } from "./columns.ts"
import type { Row } from "./prompt.ts"

/** What the keys are called: in words, and where there is no room for words. */
export interface KeyNames {
  words: readonly string[]
  short: readonly string[]
}

/**
 * The line that names the keys: it says that they count. On a narrow screen it takes several rows, on a low one the names
 * are short.
 *
 * @param room columns
 * @param most rows that words may take
 */
export function keysLine({ words, short }: KeyNames, room: number, most: number): Row[] {
  const whole = joined(words, "; ", room)
  const rows = whole.length <= most ? whole : joined(short, " ", room)
  return rows.map((text) => ({ text, look: "dim" }))
}

function joined(names: readonly string[], between: string, room: number): string[] {
  const rows: string[] = []
  for (const name of names) {
    const last = rows.at(-1)
    const longer = last === undefined ? name : last + between + name
    if (last === undefined || columnsOf(longer) > room) rows.push(...wrapWords(name, room))
    else rows.splice(-1, 1, longer)
  }
  return rows
}
