import { nearestName } from "../../tool/nearest-name.ts"

/** What speaks against an entry that says two things at once. */
export interface Conflict {
  fact: string
  next: string
}

/** What only says something of a server that is reached in one way. */
const BESIDE = { command: ["args", "env", "cwd"], url: ["headers"] } as const

/**
 * Whether an entry says two things of which only one could hold: nothing is chosen for its writer.
 *
 * @param via what its type says, where it has one
 * @example conflictIn({ command: "x", url: "https://h.test" }, undefined)?.fact // "it has both a command and a url"
 */
export function conflictIn(
  members: Readonly<Record<string, unknown>>,
  via: "stdio" | "http" | "sse" | undefined,
): Conflict | undefined {
  if (members.command !== undefined && members.url !== undefined)
    return { fact: "it has both a command and a url", next: "keep the one by which it is reached" }
  const [is, other] = members.command === undefined ? (["url", "command"] as const) : (["command", "url"] as const)
  if (via !== undefined && (via === "stdio") !== (is === "command")) {
    const types = is === "command" ? "stdio" : "http or sse"
    return {
      fact: `its type is ${via}, and it has a ${is} and no ${other}`,
      next: `a ${is} goes with the type ${types}`,
    }
  }
  const stray = BESIDE[other].filter((member) => saysSomething(members[member]))
  if (stray.length === 0) return undefined
  const them = stray.join(" and ")
  return { fact: `it has a ${is} and also ${them}, for a ${other} only`, next: `leave ${them} out` }
}

/** Some programs write what is empty. */
function saysSomething(value: unknown): boolean {
  return typeof value === "object" && value !== null ? Object.keys(value).length > 0 : value !== undefined
}

/** A member that nobody knows and that may be meant as one that is known: it may restrict, or hold what the server needs. */
export function misspeltIn(members: readonly string[], known: readonly string[]): Conflict | undefined {
  for (const member of members) {
    const meant = known.includes(member) ? undefined : nearestName(member, known)
    if (meant !== undefined) return { fact: `it has no member ${member}`, next: `did you mean ${meant}?` }
  }
  return undefined
}
