import { createHttpModel } from "../endpoint/http-model.ts"
import { createDemoModel } from "../endpoint/local/demo.ts"
import { createInProcessModel } from "../endpoint/local/in-process.ts"
import type { Model } from "../endpoint/style.ts"
import { systemClock } from "../event/system-clock.ts"
import { createGate } from "../permission/create-gate.ts"
import { isRecord, typeName } from "../suspension/request.ts"
import { ToolnexusError } from "../tool/error.ts"
import { createSchemaCheck } from "../tools/schema-check.ts"
import type { Loop } from "./loop.ts"
import { runPrompt } from "./loop.ts"
import { createMasker } from "./masks/masks.ts"
import { memoryStore } from "./memory.ts"
import { alone } from "./one-at-a-time.ts"
import type { Client, ClientOptions, InProcessClientOptions, LoopOptions, RunJournal, Store } from "./options.ts"
import { isJournal } from "./require-journal.ts"
import { resumeRun } from "./resume.ts"
import type { RunResult } from "./views/run-result.ts"
import { streamed } from "./views/streamed.ts"

/**
 * A client for an endpoint. Here the real clock, sockets and rules are wired in; the engine knows none of them.
 *
 * @param options the endpoint, and how its runs are asked, limited and watched
 * @throws ToolnexusError `configuration` for a base URL or style that cannot be used
 * @example
 * const client = createClient({ baseUrl: "http://127.0.0.1:11434/v1", style: "openai", model: "qwen3" })
 * const result = await client.run("Say hello")
 */
export function createClient(options: ClientOptions): Client {
  if (!isRecord(options)) throw new ToolnexusError("usage", "createClient needs options: baseUrl, style and model")
  const clock = options.clock ?? systemClock
  return clientOf(createHttpModel({ ...options, clock }), options)
}

/**
 * A client for a model in this process: no wire.
 *
 * @param options `generate` is called with the transcript and gives text, calls, or both
 * @example
 * const client = createInProcessClient({ model: "echo", generate: ({ messages }) => ({ text: String(messages.length) }) })
 */
export function createInProcessClient(options: InProcessClientOptions): Client {
  return clientOf(createInProcessModel(options), options)
}

/**
 * A client for the built-in scripted model, which needs no network and is no language model.
 *
 * @example await createDemoClient().run("show me", { toolkit: await createToolkit({ builtins: true }) })
 */
export function createDemoClient(options: LoopOptions = {}): Client {
  return clientOf(createDemoModel(), options)
}

/** A client for any model: `run`, `resume` and the wrappers over them. */
export function clientOf(model: Model, options: LoopOptions): Client {
  if (typeof model.name !== "string" || model.name === "")
    throw new ToolnexusError("configuration", `The model must be a name, got ${typeName(model.name)}`)
  const onWarning = options.onWarning ?? process.emitWarning
  const loop: Loop = {
    ...options,
    model,
    clock: options.clock ?? systemClock,
    gate: options.gate ?? createGate({ rules: [] }),
    schemas: createSchemaCheck(onWarning),
    secrets: new Map(),
    masks: createMasker(options.masks ?? [], onWarning),
  }
  const store = options.store ?? memoryStore()
  const client: Client = {
    run: (prompt, run = {}) => alone(run.journal, () => runPrompt(loop, prompt, run)),
    stream: (prompt, run = {}) => streamed((watching) => client.run(prompt, watching), run),
    resume: (halted, answers, resume = {}) =>
      alone(isJournal(halted) ? halted : resume.journal, () => resumeRun(loop, halted, answers, resume)),
    ask: (prompt, { id = "default", ...run } = {}) =>
      withConversation(store, id, (journal) => client.run(prompt, { ...run, journal })),
    runWithAnswer: (toolkit, messages, pending, answer) =>
      client.resume({ messages, suspended: [pending] }, [answer], { toolkit }),
    askWithAnswer: (toolkit, conversationId, _pending, answer) =>
      withConversation(store, conversationId, (journal) => client.resume(journal, [answer], { toolkit })),
  }
  return client
}

/** A conversation's journal is let go of after each run, whatever became of it. */
async function withConversation(
  store: Store,
  id: string,
  use: (journal: RunJournal) => Promise<RunResult>,
): Promise<RunResult> {
  const journal = await store.open(id)
  try {
    return await use(journal)
  } finally {
    await journal.close()
  }
}
