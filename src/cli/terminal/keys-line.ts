import { clip, columnsOf } from "./columns.ts"
import type { Row } from "./prompt.ts"

/** The line that names the keys: it says that they count. On a narrow screen it takes several rows. */
export function keysLine(keys: readonly string[], room: number): Row[] {
  const rows: string[] = []
  for (const key of keys) {
    const last = rows.at(-1)
    const joined = last === undefined ? key : `${last}; ${key}`
    if (last !== undefined && columnsOf(joined) > room) rows.push(key)
    else rows.splice(-1, 1, joined)
  }
  return rows.map((text) => ({ text: clip(text, room), look: "dim" }))
}
