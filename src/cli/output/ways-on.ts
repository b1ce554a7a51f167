import { isToolnexusError } from "../../index.ts"

/** A failure with several ways on: on lines of their own they can be read. */
export interface WaysOn {
  fact: string
  ways: readonly string[]
}

/** What an error says in its details, or `undefined`: its message says all. */
export function waysOn(error: unknown): WaysOn | undefined {
  if (!isToolnexusError(error)) return undefined
  const { fact, ways } = error.details
  return typeof fact === "string" && Array.isArray(ways) ? { fact, ways } : undefined
}
