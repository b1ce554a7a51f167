import type { EndpointOptions } from "../endpoint/endpoint-options.ts"
import type { Generate } from "../endpoint/local/generate.ts"
import type { Model } from "../endpoint/style.ts"
import type { Clock } from "../event/clock.ts"
import type { AgentPath, Limits, Message, RunEvent, Usage } from "../event/event.ts"
import type { Journal } from "../journal/journal.ts"
import type { Decision, Gate } from "../permission/gate.ts"
import type { Request } from "../suspension/request.ts"
import type { WaitFor } from "../suspension/wait-for.ts"
import type { Tool, ToolResult } from "../tool/tool.ts"
import type { Mask } from "./masks/masks.ts"
import type { RunResult } from "./views/run-result.ts"

export type { Generate } from "../endpoint/local/generate.ts"
export type { AuthScheme } from "../endpoint/request-headers.ts"
export type { RetryEvent } from "../endpoint/retry.ts"
export type { ProxyOptions } from "../endpoint/transport/proxy.ts"

export type RunJournal = Journal<RunEvent>

/** What a client is made with, wherever its model is. */
export interface LoopOptions extends Limits {
  systemPrompt?: string | undefined
  /** Who is asked; without it a suspended run halts. */
  waitFor?: WaitFor | undefined
  /** Permission rules; without it the built-in defaults: what changes something or leaves the folder is asked. */
  gate?: Gate | undefined
  hooks?: Hooks | undefined
  /**
   * What becomes `[masked NAME]` in what tools and hooks say, before it is stored or sent. What the model says is never altered, and what a
   * person is shown for approval is not masked. A call whose arguments hold such a mark is not run.
   */
  masks?: readonly Mask[] | undefined
  /** Told of each model call and each tool run. It must not throw, and nothing waits for it. */
  onMetric?: ((event: MetricEvent) => void) | undefined
  /** Told once of what is odd and does not stop a run, such as a tool's schema that cannot be compiled. */
  onWarning?: ((message: string) => void) | undefined
  /** Conversations by id, for `ask`; without it they live in this process. */
  store?: Store | undefined
  clock?: Clock | undefined
}

/** A client for an endpoint. */
export interface ClientOptions extends LoopOptions, EndpointOptions {}

/** A model in this process, no wire. */
export interface InProcessClientOptions extends LoopOptions {
  model: string
  generate: Generate
}

/**
 * The calling side's functions. Each may be async; a throw of `beforeTool` means no, any other fails the run. The model and
 * tools wait for the `before` ones. The `after` ones are told what is recorded: the run goes on meanwhile, and is not over
 * before they are.
 */
export interface Hooks {
  beforeLLM?(call: {
    runId: string
    agent?: AgentPath
    turn: number
    messages: readonly Message[]
  }): void | Promise<void>
  afterLLM?(call: {
    runId: string
    agent?: AgentPath
    turn: number
    message: Message
    usage?: Usage
  }): void | Promise<void>
  /** One gate with the rules: the stricter counts. Nothing returned means no objection. */
  beforeTool?(call: HookedCall): HookDecision | undefined | Promise<HookDecision | undefined>
  /** Sees resolved results only, never a suspension. */
  afterTool?(call: HookedCall & { result: ToolResult }): void | Promise<void>
}

export interface HookedCall {
  runId: string
  agent?: AgentPath
  turn: number
  id: string
  name: string
  input: Record<string, unknown>
}

/** `{ decision: "ask", prompt }` puts it to a person; `reason` is told to the model on a refusal. */
export interface HookDecision {
  decision: Decision["decision"]
  reason?: string
  prompt?: string
}

export type MetricEvent =
  | { type: "llm"; runId: string; agent?: AgentPath; turn: number; ms: number; usage?: Usage; isError: boolean }
  | {
      type: "tool"
      runId: string
      agent?: AgentPath
      turn: number
      id: string
      name: string
      ms: number
      isError: boolean
      /** It suspended; that is no error. */
      pending: boolean
    }

/** Conversations by id. `open` takes whatever lock the store has; the client closes the journal after each run. */
export interface Store {
  open(id: string): Promise<RunJournal>
}

/** What `run` and `stream` take beside the prompt. */
export interface RunOptions {
  /** Without one, or with an empty one, a run is a plain completion. */
  toolkit?: ToolSet | undefined
  /** Where the run is written; without one it lives in memory. The caller closes it. */
  journal?: RunJournal | undefined
  /** Earlier messages, in the endpoint's own shape. */
  history?: readonly Message[] | undefined
  /** Stops the run; what is done is kept, and the result says `interrupted`. */
  signal?: AbortSignal | undefined
  /** Called with each piece of text; it makes the endpoint stream. */
  onText?: ((text: string) => void) | undefined
  /** Called with each event once it is recorded, requests complete. */
  onEvent?: ((event: RunEvent) => void) | undefined
}

export interface ResumeOptions extends Omit<RunOptions, "history"> {
  /** Higher limits than the run had. */
  limits?: Limits | undefined
  /**
   * The journal was written elsewhere: its grants do not count, and recorded answers that are
   * not used are asked again, or count because a person stands by them.
   */
  foreign?: "ask again" | "accept recorded" | undefined
}

/** A halted run: its journal, or what a `RunResult` keeps of it. */
export type Halted =
  | RunJournal
  | {
      messages: readonly Message[]
      suspended?: readonly Request[]
      pending?: Request
      toolCalls?: readonly { id: string; turn: number; started?: true }[]
      runId?: string
      turns?: number
      usage?: Usage
      toolCallCount?: number
    }

/** What the engine needs of a toolkit. */
export interface ToolSet {
  tools(): readonly Tool[]
  get(name: string): Tool | undefined
  /** Added to the system prompt when a run begins. */
  skillsPrompt?(): string
  /** Who is asked, where the client has nobody. */
  readonly waitFor?: WaitFor | undefined
}

/** `done` is the last; a failure throws. */
export type StreamEvent = { type: "text"; text: string } | RunEvent | { type: "done"; result: RunResult }

/** Runs agents against one model. A failure throws; a limit, a halt or a stop is a result. */
export interface Client {
  /**
   * Runs a prompt to a final text, a halt or a limit.
   *
   * @param prompt what to do; on a journal that holds a run already it goes on with that conversation
   * @throws ToolnexusError `provider` for the endpoint; `wait_for` and `hook` for the host's own functions; `unknown_tool`,
   *   `journal`, `damaged`. What was recorded stays, and `resume` goes on from there
   * @example const { status, text } = await client.run("Say hello")
   */
  run(prompt: string, options?: RunOptions): Promise<RunResult>
  /**
   * The same as a sequence of text, events and, last, the result. It starts when it is read; who stops reading stops the run.
   *
   * @throws ToolnexusError as `run`
   * @example for await (const event of client.stream("Say hello")) if (event.type === "text") process.stdout.write(event.text)
   */
  stream(prompt: string, options?: RunOptions): AsyncIterable<StreamEvent>
  /**
   * Goes on with a halted, interrupted or limited run. All answers are checked before any is applied, and nothing is written
   * or sent where one does not fit. Without answers it goes on with what can go on.
   *
   * @param halted its journal, or what a `RunResult` keeps of it, also through JSON
   * @param answers to its open requests; fewer than there are settle those calls, and it halts again
   * @throws ToolnexusError `unknown_answer`, `invalid_answer`, `answer_differs`, `answer_expired`, `ambiguous`; and as `run`
   * @example await client.resume(halted, [answerOutput(halted.pending.id, "staging")], { toolkit })
   */
  resume(halted: Halted, answers: readonly unknown[], options?: ResumeOptions): Promise<RunResult>
  /**
   * `run` on the store's journal of a conversation.
   *
   * @param options `id`: which conversation, `"default"` without one
   * @throws ToolnexusError as `run`
   * @example await client.ask("And now?", { id: "user-7" })
   */
  ask(prompt: string, options?: RunOptions & { id?: string }): Promise<RunResult>
  /**
   * `resume` from bare messages and one request.
   *
   * @throws ToolnexusError as `resume`
   * @example await client.runWithAnswer(toolkit, halted.messages, halted.pending, answerOutput(halted.pending.id, "sunny"))
   */
  runWithAnswer(toolkit: ToolSet, messages: readonly Message[], pending: Request, answer: unknown): Promise<RunResult>
  /**
   * `resume` on the store's journal of a conversation.
   *
   * @throws ToolnexusError as `resume`
   * @example await client.askWithAnswer(toolkit, "user-7", halted.pending, answerOutput(halted.pending.id, "sunny"))
   */
  askWithAnswer(toolkit: ToolSet, conversationId: string, pending: Request, answer: unknown): Promise<RunResult>
}

/** What a client is built on, once the model is there. */
export interface LoopParts extends LoopOptions {
  model: Model
}
