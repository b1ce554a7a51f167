import { isRecord } from "../../suspension/request.ts"

type Schema = Record<string, unknown>

/** References to references may make a small schema a huge one; what goes beyond this is left open. */
const MAX_INSERTED = 500

/** A schema with what it refers to (`#/$defs/NAME`) in the place of each reference; one to itself is left open. */
export function withoutReferences(root: Schema): Schema {
  let inserted = 0
  const resolve = (value: unknown, within: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((entry) => resolve(entry, within))
    if (!isRecord(value)) return value
    const { $ref, $defs: _, definitions: __, ...rest } = value
    const own = Object.fromEntries(Object.entries(rest).map(([key, entry]) => [key, resolve(entry, within)]))
    if (typeof $ref !== "string") return own
    if (within.includes($ref) || inserted >= MAX_INSERTED) return own
    inserted++
    const target = resolve(targetOf(root, $ref), [...within, $ref])
    return isRecord(target) ? { ...target, ...own } : own
  }
  return resolve(root, []) as Schema
}

function targetOf(root: Schema, ref: string): unknown {
  if (!ref.startsWith("#/")) return undefined
  let at: unknown = root
  for (const part of ref.slice(2).split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~")
    at = isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }
  return at
}
