import { canonicalJson } from "../../suspension/canonical-json.ts"
import { parseArguments } from "../../tools/parse-arguments.ts"
import type { CallState } from "../fold/state.ts"

/** How many calls of the same tool with the same arguments were made in a row, turn after turn, with this one. */
export function repeatsOf(call: CallState): number {
  const { calls, callsBefore } = call.agent.run
  let count = 0
  let turn = call.turn
  let isInTurn = false
  for (let at = call.ordinal - callsBefore - 1; at >= 0; at--) {
    const other = calls[at]
    if (!other) break
    if (other.turn !== turn) {
      if (!isInTurn || other.turn !== turn - 1) break
      turn = other.turn
      isInTurn = false
    }
    if (!isSame(other, call)) continue
    count += 1
    isInTurn = true
  }
  return count
}

function isSame(a: CallState, b: CallState): boolean {
  return a.name === b.name && (a.arguments === b.arguments || argumentsOf(a) === argumentsOf(b))
}

/** One text for what is the same; arguments that cannot be read are their text. */
function argumentsOf({ arguments: raw }: CallState): string {
  return canonicalJson(parseArguments(raw).input ?? raw)
}
