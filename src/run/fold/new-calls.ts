import type { WireCall } from "../../endpoint/style.ts"
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
  const calls = made.map(({ id, name, arguments: raw }, index): CallState => {
    const ordinal = callCount(run) + index + 1
    return { agent, turn: agent.turn, index, id, name, arguments: raw, ordinal, ...fresh(problems[index]) }
  })
  run.calls.push(...calls)
  return calls
}

function fresh(problem: string | undefined) {
  const phase = { is: "new" as const }
  const untouched = { attempts: 0, wasInDoubt: false, undecided: false }
  return { problem, phase, ...untouched, edited: undefined, parts: undefined, requests: [] }
}
