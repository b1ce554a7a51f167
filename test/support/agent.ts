import type {
  Client,
  Generated,
  LoopOptions,
  ResumeOptions,
  RunOptions,
  RunResult,
  Tool,
  Toolkit,
} from "../../src/index.ts"
import { createInProcessClient, createToolkit, type Halted } from "../../src/index.ts"
import { type ScriptedModel, type ScriptedTurn, scriptedModel } from "../../src/testing/index.ts"

/** What {@link agent} gives. */
export interface Agent {
  model: ScriptedModel
  toolkit: Toolkit
  client: Client
  run(prompt: string, run?: RunOptions): Promise<RunResult>
  resume(halted: Halted, answers: readonly unknown[], resume?: ResumeOptions): Promise<RunResult>
}

/** A client over a scripted model, with its tools: what most tests of the loop need. */
export async function agent(
  turns: readonly ScriptedTurn[],
  tools: readonly Tool[] = [],
  options: LoopOptions = {},
): Promise<Agent> {
  const model = scriptedModel(turns)
  const toolkit = await createToolkit({ extraTools: tools })
  const client = createInProcessClient({ model: "scripted", generate: model.generate, ...options })
  return {
    model,
    toolkit,
    client,
    run: (prompt: string, run: RunOptions = {}): Promise<RunResult> => client.run(prompt, { toolkit, ...run }),
    resume: (halted: Halted, answers: readonly unknown[], resume: ResumeOptions = {}): Promise<RunResult> =>
      client.resume(halted, answers, { toolkit, ...resume }),
  }
}

/** A turn that makes calls, in order; ids are `c1`, `c2`, ... */
export function calls(...made: (string | [name: string, input: unknown])[]): Generated {
  return {
    toolCalls: made.map((call, index) => {
      const [name, input] = typeof call === "string" ? [call, {}] : call
      return { id: `c${index + 1}`, name, input }
    }),
  }
}

/** The tool results in a transcript, by call id, in order. */
export function resultsIn(messages: readonly Record<string, unknown>[]): [unknown, unknown][] {
  return messages.filter((message) => message.role === "tool").map((message) => [message.tool_call_id, message.content])
}
