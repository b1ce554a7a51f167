import type { WireCall } from "../endpoint/style.ts"
import { canonicalJson } from "../suspension/canonical-json.ts"
import { parseArguments } from "../tools/parse-arguments.ts"
import { type AgentState, type CallState, callCount } from "./state.ts"

/**
 * The calls that an agent's latest reply makes, counted among those of its run.
 *
 * @param problems by index: why that call is not run
 */
export function addCalls(
  agent: AgentState,
  made: readonly WireCall[],
  problems: Readonly<Record<string, string>> = {},
): CallState[] {
  const { run } = agent
  const inARow = new Map<string, number>()
  const calls = made.map(({ id, name, arguments: raw }, index): CallState => {
    const same = identityOf(name, raw)
    const repeats = (inARow.get(same) ?? run.inARow.get(same) ?? 0) + 1
    inARow.set(same, repeats)
    const ordinal = callCount(run) + index + 1
    return { agent, turn: agent.turn, index, id, name, arguments: raw, ordinal, repeats, ...fresh(problems[index]) }
  })
  run.inARow = inARow
  run.calls.push(...calls)
  return calls
}

function fresh(problem: string | undefined) {
  const phase = { is: "new" as const }
  return { problem, phase, attempts: 0, undecided: false, edited: undefined, parts: undefined, requests: [] }
}

/** The same text for the same tool with the same arguments; arguments that cannot be read are their text. */
function identityOf(name: string, raw: string): string {
  return canonicalJson([name, parseArguments(raw).input ?? raw])
}
