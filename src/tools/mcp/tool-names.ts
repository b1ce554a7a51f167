import { createHash } from "node:crypto"
import { cleanName, MAX_NAME_LENGTH } from "../../tool/name.ts"

/** A tool of a server. */
export interface Origin {
  server: string
  tool: string
}

/** Gives each tool of a server the name that the model calls it by, and gives the same tool the same name again. */
export class ToolNames {
  readonly #names = new Map<string, string>()
  readonly #given = new Set<string>()

  /**
   * `SERVER_TOOL`, cleaned. Where that is not exactly the name of one tool (it was cut, another has it, a tool of the host's
   * has it) a short hash of server and tool makes it so, whoever else there is.
   *
   * @param origins all tools that are to be named
   * @param isTaken whether a tool of elsewhere has the name
   */
  name(origins: readonly Origin[], isTaken: (name: string) => boolean): Map<Origin, string> {
    const fresh = origins.filter((origin) => !this.#names.has(keyOf(origin)))
    const claims = countOf(fresh.map((origin) => cleanName(rawName(origin))))
    for (const origin of fresh) {
      const name = cleanName(rawName(origin))
      const isFree = claims.get(name) === 1 && !isTaken(name) && !this.#given.has(name) && !isCut(origin)
      const given = isFree ? name : hashedName(origin)
      this.#names.set(keyOf(origin), given)
      this.#given.add(given)
    }
    return new Map(origins.map((origin) => [origin, this.#names.get(keyOf(origin)) ?? hashedName(origin)]))
  }
}

function countOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

function rawName({ server, tool }: Origin): string {
  return `${server}_${tool}`
}

function keyOf({ server, tool }: Origin): string {
  return JSON.stringify([server, tool])
}

function isCut(origin: Origin): boolean {
  return [...rawName(origin)].length > MAX_NAME_LENGTH
}

const HASH_LENGTH = 6

function hashedName(origin: Origin): string {
  const hash = createHash("sha256").update(keyOf(origin)).digest("hex").slice(0, HASH_LENGTH)
  return `${cleanName(rawName(origin)).slice(0, MAX_NAME_LENGTH - HASH_LENGTH - 1)}_${hash}`
}
