import { brokenReply } from "../../endpoint/errors/provider-error.ts"
import { stopKind } from "../../endpoint/stop.ts"
import type { Reply } from "../../endpoint/style.ts"
import { styleNamed } from "../../endpoint/styles.ts"
import { translateMessages } from "../../endpoint/translate.ts"
import type { Message } from "../../event/event.ts"
import { isToolnexusError, type ToolnexusError } from "../../tool/error.ts"
import { requireBalanced } from "../balance.ts"
import { agentFailed } from "../closing.ts"
import type { Engine } from "../engine.ts"
import { resultMessages } from "../fold/fold.ts"
import { type AgentState, agentOf } from "../fold/state.ts"
import { callHook } from "./hooks.ts"

/** One turn's question to the model: the transcript out, the reply in, recorded before anything is made of it. */
export async function askModel(engine: Engine, agent: AgentState): Promise<void> {
  const { hooks, model } = engine.parts.seatOf(agent.path)
  const about = { runId: engine.state.runId, ...agentOf(agent), turn: agent.turn + 1 }
  const messages = translateMessages(transcriptOf(agent), styleNamed(agent.style), model.style)
  await callHook("beforeLLM", () => hooks.beforeLLM?.({ ...about, messages }))
  if (engine.signal.aborted) return
  requireBalanced(agent.messages, resultMessages(agent), styleNamed(agent.style))
  const reply = await timed(engine, agent, messages)
  if (reply === "stopped") return
  const { message, usage, stop, problems } = reply
  await engine.emit(
    [
      {
        type: "model.replied",
        ...agentOf(agent),
        style: model.style.name,
        message,
        ...(usage ? { usage } : {}),
        ...(stop ? { stop } : {}),
        ...(problems && Object.keys(problems).length > 0 ? { problems } : {}),
      },
    ],
    { flush: false },
  )
  await callHook("afterLLM", () => hooks.afterLLM?.({ ...about, message, ...(usage ? { usage } : {}) }))
}

/** The transcript as it is sent: one result for each call, right after the message that made them. */
export function transcriptOf(agent: AgentState): Message[] {
  return [...agent.messages, ...resultMessages(agent)]
}

async function timed(engine: Engine, agent: AgentState, messages: Message[]): Promise<Reply | "stopped"> {
  const { clock, onText, onMetric } = engine.parts
  const { model } = engine.parts.seatOf(agent.path)
  const { systemPrompt, tools } = agent.setup
  const startedAt = clock.now()
  const metric = (outcome: { isError: boolean; usage?: Reply["usage"] }) =>
    onMetric?.({
      type: "llm",
      runId: engine.state.runId,
      ...agentOf(agent),
      turn: agent.turn + 1,
      ms: clock.now() - startedAt,
      isError: outcome.isError,
      ...(outcome.usage ? { usage: outcome.usage } : {}),
    })
  const request = { messages, tools, ...(systemPrompt ? { systemPrompt } : {}) }
  try {
    requireProgress(agent)
    const reply = await engine.working(() =>
      model.complete(request, { signal: engine.signal, ...(onText ? { onText } : {}) }),
    )
    metric({ isError: false, usage: reply.usage })
    return reply
  } catch (error) {
    if (engine.signal.aborted) return "stopped" // what was stopped is no failure
    metric({ isError: true })
    if (isProviderError(error) && error.details.limit === "context") engine.stop({ why: "limit", limit: "context" })
    else if (isProviderError(error) && agent.path.length > 1)
      await engine.emit([agentFailed(agent, error)], { flush: false })
    else throw error
    return "stopped"
  }
}

/** A model at the endpoint's own tools is paused now and then, and goes on when it gets its words back. */
const MAX_PAUSES = 20

/** @throws ProviderError where pauses are all that comes */
function requireProgress({ reply, run }: AgentState): void {
  if (stopKind(reply?.stop) !== "pause" || run.cutShort < MAX_PAUSES) return
  throw brokenReply(
    `The endpoint paused the model ${run.cutShort} times in a row (${reply?.stop}): resume the run to go on`,
  )
}

function isProviderError(error: unknown): error is ToolnexusError {
  return isToolnexusError(error) && error.code === "provider"
}
