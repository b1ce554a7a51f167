import { createHttpModel } from "../endpoint/http-model.ts"
import type { Clock } from "../event/clock.ts"
import type { AgentSetup } from "../event/event.ts"
import { createGate } from "../permission/create-gate.ts"
import { limitsOf } from "../run/loop.ts"
import type { Seat } from "../run/seat.ts"
import { joinHooks } from "../run/steps/hooks.ts"
import { type Tool, toolSpec } from "../tool/tool.ts"
import type { AgentRuntimeOptions } from "./agent-runtime-options.ts"
import type { AgentHandle } from "./handle.ts"

/** What an agent of a tree works with: its own things, and what the runtime lends to all. */
export function seatFor(handle: AgentHandle, options: AgentRuntimeOptions, clock: Clock): Seat {
  const { llm = {}, fetch, gate, hooks, onWarning } = options
  const { definition } = handle
  const model = createHttpModel({
    ...llm,
    baseUrl: llm.baseUrl ?? "http://localhost/v1",
    style: llm.style ?? "openai",
    model: definition?.model ?? llm.model ?? "",
    ...(fetch ? { fetch } : {}),
    ...(onWarning ? { onWarning } : {}),
    clock,
  })
  return {
    model,
    tools: toolSet(definition?.tools ?? []),
    gate: gate ?? createGate(),
    hooks: joinHooks(hooks, definition?.hooks),
    waitFor: nearestWaitFor(handle),
  }
}

/** What the run file holds about an agent. */
export function setupOf(handle: AgentHandle, model: Seat["model"]): AgentSetup {
  const { soul, tools = [], budget = {} } = handle.definition ?? {}
  return {
    model: model.name,
    style: model.style.name,
    ...(soul ? { systemPrompt: soul } : {}),
    ...limitsOf(budget),
    tools: tools.map(toolSpec),
  }
}

function toolSet(tools: readonly Tool[]): Seat["tools"] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  return { tools: () => tools, get: (name) => byName.get(name) }
}

function nearestWaitFor(handle: AgentHandle): Seat["waitFor"] {
  return handle.definition?.waitFor ?? (handle.parent ? nearestWaitFor(handle.parent) : undefined)
}
