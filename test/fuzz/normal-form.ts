import { type AgentState, type CallState, type RequestState, type RunState, refOf } from "../../src/run/fold/state.ts"

/** All that a state says, as one text: equal states have equal texts. */
export function normalForm({ agents, requests, root, ...rest }: RunState): string {
  return JSON.stringify({
    ...rest,
    root: root?.key,
    agents: [...agents.values()].map(agentForm),
    requests: [...requests.values()].map(requestForm),
  })
}

function agentForm({ children, reply, run, tools: _, ...rest }: AgentState): object {
  return {
    ...rest,
    children: children.map(({ key }) => key),
    reply: reply && { ...reply, calls: reply.calls.map((call) => run.calls.indexOf(call)) },
    run: { ...run, calls: run.calls.map(callForm) },
  }
}

function callForm({ agent, requests, ...rest }: CallState): object {
  return { ...rest, agent: agent.key, requests: requests.map(({ request }) => request.id) }
}

function requestForm({ calls, ...rest }: RequestState): object {
  return { ...rest, calls: calls.map(refOf) }
}
