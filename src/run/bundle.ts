import { makeRequestId } from "../suspension/request.ts"
import { gatedCall } from "./decide.ts"
import type { Engine } from "./engine.ts"
import { settleCall } from "./run-call.ts"
import { agentOf, type CallState } from "./state.ts"
import { refused } from "./wording.ts"

/** One request for all relayed calls of a turn that are free to go, in call order. */
export async function bundle(engine: Engine, calls: readonly CallState[]): Promise<void> {
  const [first] = calls
  if (!first) return
  const { gate } = engine.parts.seatOf(first.agent.path)
  const denied = calls.flatMap((call) => {
    const because = gate.denies?.(gatedCall(call))
    return because ? [{ call, because }] : []
  })
  if (denied.length > 0) {
    await Promise.all(denied.map(({ call, because }) => settleCall(engine, call, refused(because.rule ?? because.by))))
    return // those that are left are bundled next
  }
  const names = [...new Set(calls.map((call) => call.name))].join(", ")
  const request = { id: makeRequestId(), kind: "tool_call", prompt: `Carry out ${names} and give the output` }
  const indexes = calls.map((call) => call.index)
  const { turn } = first
  await engine.emit([{ type: "call.suspended", ...agentOf(first.agent), turn, indexes, by: "relay", request }], {
    flush: true,
  })
}
