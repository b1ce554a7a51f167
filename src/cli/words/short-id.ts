import { escapeLine } from "../terminal/escape.ts"

/** As much of an id as a person wants to type; the beginning of one is enough wherever a FILE is named. */
export function shortId(runId: string): string {
  return /^run_([0-9a-f]{8})-/.exec(runId)?.[1] ?? escapeLine(runId)
}
