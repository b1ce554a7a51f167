import { makeRequestId } from "../../suspension/request.ts"
import type { Engine } from "../engine.ts"
import { agentOf, type CallState } from "../fold/state.ts"
import { denialOf } from "./decide.ts"
import { settleCall } from "./run-call.ts"

/** One request for all relayed calls of a turn that are free to go, in call order. */
export async function bundle(engine: Engine, calls: readonly CallState[]): Promise<void> {
  const [first] = calls
  if (!first) return
  const denials = await Promise.all(calls.map((call) => denialOf(engine, call)))
  const settled = calls.flatMap((call, at) => {
    const denial = denials[at]
    return denial ? [settleCall(engine, call, denial)] : []
  })
  if (settled.length > 0) return void (await Promise.all(settled)) // those that are left are bundled next
  const names = [...new Set(calls.map((call) => call.name))].join(", ")
  const request = { id: makeRequestId(), kind: "tool_call", prompt: `Carry out ${names} and give the output` }
  const indexes = calls.map((call) => call.index)
  const { turn } = first
  await engine.emit([{ type: "call.suspended", ...agentOf(first.agent), turn, indexes, by: "relay", request }], {
    flush: true,
  })
}
