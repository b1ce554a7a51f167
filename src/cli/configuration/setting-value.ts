import { isRecord } from "../is-record.ts"
import { valueAt } from "./setting-change.ts"
import { nameOf } from "./setting-names.ts"
import type { SettingRow } from "./setting-rows.ts"

/**
 * The value of a setting as it is in force: of lists what all files say, of a group an object of its members.
 *
 * @returns `undefined` where nothing says one
 */
export function valueInForce(rows: readonly SettingRow[], path: readonly string[]): unknown {
  const counting = rows.filter(({ not }) => not === undefined)
  const startsWith = (it: readonly string[], start: readonly string[]) => start.every((part, at) => it[at] === part)
  const above = counting.filter((row) => startsWith(path, row.path))
  if (above.length > 0) return merged(above.map((row) => valueAt(row.value, path.slice(row.path.length))))
  const below = counting.filter((row) => startsWith(row.path, path))
  if (below.length === 0) return undefined
  const names = new Map(below.map((row) => [nameOf(row.path), row.path]))
  return Object.fromEntries([...names.values()].map((it) => [it.slice(path.length).join("."), valueInForce(rows, it)]))
}

/** The nearest first; lists and members together. */
function merged(values: readonly unknown[]): unknown {
  const said = values.filter((value) => value !== undefined)
  if (said.length > 1 && said.every(Array.isArray)) return [...new Set(said.flat())]
  if (said.length > 1 && said.every(isRecord)) return Object.assign({}, ...[...said].reverse())
  return said[0]
}
