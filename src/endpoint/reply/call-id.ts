import { randomInt } from "node:crypto"

const ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

/** An id for a call that came without one: 9 of `[a-zA-Z0-9]`, which every known server takes. */
export function makeCallId(): string {
  return Array.from({ length: 9 }, () => ALPHABET[randomInt(ALPHABET.length)]).join("")
}

/**
 * The ids of one message's calls: real ones are kept, a missing or repeated one is made.
 *
 * @param ids as they came
 * @param makeId makes one
 */
export function uniqueIds(ids: readonly unknown[], makeId: () => string): string[] {
  const taken = new Set<string>()
  const real = ids.map((id) => realId(id))
  for (const id of real) if (id !== undefined) taken.add(id)
  const used = new Set<string>()
  return real.map((id) => {
    if (id !== undefined && !used.has(id)) {
      used.add(id)
      return id
    }
    let made = makeId()
    while (taken.has(made)) made = makeId()
    taken.add(made)
    return made
  })
}

/** The id where it is one: `""`, `"null"` and the like are none. */
export function realId(id: unknown): string | undefined {
  if (typeof id === "number") return String(id)
  if (typeof id !== "string" || id.trim() === "") return undefined
  return id === "null" || id === "undefined" || id === "None" ? undefined : id
}
