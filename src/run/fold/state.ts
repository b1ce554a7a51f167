import { stopKind } from "../../endpoint/stop.ts"
import type {
  AgentPath,
  AgentSetup,
  AnswerVia,
  CallRef,
  EventOf,
  Limits,
  Message,
  RunEvent,
  StyleName,
  Usage,
} from "../../event/event.ts"
import type { Answer } from "../../suspension/answer.ts"
import type { Request } from "../../suspension/request.ts"
import { isSafeToRepeat, type ToolResult, type ToolSpec } from "../../tool/tool.ts"

/** Where a call stands. Everything else about it is computed. */
export type Phase =
  | { is: "new" }
  | { is: "allowed" }
  | { is: "refused"; reason: string; by: EventOf<"call.decided">["by"] }
  | { is: "running" }
  /** A request about it waits for its answer. */
  | { is: "asking"; request: string }
  /** The answer is there and not used yet. */
  | { is: "answered"; request: string }
  /** A `task` call: a child agent is at it. */
  | { is: "delegated"; child: string }
  | { is: "done"; result: ToolResult }

export interface CallState {
  readonly agent: AgentState
  readonly turn: number
  readonly index: number
  /** The wire's id. */
  readonly id: string
  readonly name: string
  /** The raw JSON text that the model sent. */
  readonly arguments: string
  /** Why it is not run, as the model is told. */
  readonly problem: string | undefined
  /** Which one of the run it is, from 1. */
  readonly ordinal: number
  phase: Phase
  /** How often it was started. */
  attempts: number
  /** A process ended while it was at work: whatever is said of it later, it may have been done. */
  wasInDoubt: boolean
  /** A file of elsewhere says that it may run: the gate of this machine has not been asked. */
  undecided: boolean
  /** The arguments that a person put in the place of the model's. */
  edited: Record<string, unknown> | undefined
  /** Of a result of elsewhere that is not text alone: what it is made of, as it came. */
  parts: readonly unknown[] | undefined
  /** Every request about it, oldest first. */
  readonly requests: RequestState[]
}

export interface RequestState {
  /** As it was made; see `stamped` for what is shown. */
  readonly request: Request
  readonly by: "tool" | "gate" | "relay" | "engine"
  readonly rule: string | undefined
  /** The request that it puts again, because the secret given to that one is in no file. */
  readonly renews: string | undefined
  /** The calls that ride on it. */
  readonly calls: readonly CallState[]
  answer: Answer | undefined
  via: AnswerVia | undefined
  /** The answer's value is in no file. */
  withheld: boolean
  /** Of the call as it was shown. */
  digest: string | undefined
  /** An answer recorded elsewhere that nobody here stands by yet. */
  held: Answer | undefined
  draft: string | undefined
  /** Its answer was used, or it needs none any more. */
  closed: boolean
}

/** Since the last prompt: what a result counts and limits hold for. */
export interface RunCount {
  turns: number
  readonly usage: Usage
  readonly calls: CallState[]
  /** Calls that were made elsewhere, and of which no more is known. */
  callsBefore: number
  /** Replies in a row that ended before the model was done: cut off, or paused by the endpoint. */
  cutShort: number
  /** What a person declined, by the call's digest, and who had asked. */
  readonly declined: Map<string, RequestState["by"]>
  readonly prompt: Message | undefined
  /** The run's work before it. */
  readonly workMsBefore: number
}

/** What an agent's latest reply is made of. */
export interface ReplyState {
  readonly text: string
  /** Why the model stopped, in the endpoint's own word. */
  readonly stop: string | undefined
  readonly calls: readonly CallState[]
}

export interface AgentState {
  readonly path: AgentPath
  readonly key: string
  readonly setup: AgentSetup
  /** Those of the setup, by name. */
  readonly tools: ReadonlyMap<string, ToolSpec>
  readonly children: AgentState[]
  limits: Limits
  /** Who says what in the transcript's shape: the endpoint that spoke last. */
  style: StyleName
  /** The transcript, without the results of the latest reply. */
  messages: Message[]
  /** Replies over the agent's life. */
  turn: number
  run: RunCount
  /** The latest reply since the last prompt. */
  reply: ReplyState | undefined
  /** What was said to it while it was busy, for the next time it is woken. */
  inbox: Message[]
  /** Its endpoint failed; a new prompt, or a resume, tries again. Of the root that fails the run. */
  failure: { code: string; message: string } | undefined
  closed: boolean
}

export interface Grant {
  tool: string
  digest: string
  folder: string | undefined
}

export interface RunState {
  runId: string
  /** How many events there are. */
  count: number
  root: AgentState | undefined
  readonly agents: Map<string, AgentState>
  readonly requests: Map<string, RequestState>
  readonly grants: Grant[]
  /** The names of all marks `[masked NAME]` that were made. */
  readonly marks: Set<string>
  workMs: number
  /** The last event, where that is a closing one. */
  closing: RunEvent | undefined
}

export const ROOT: AgentPath = ["root"]
const ROOT_KEY = "root"

export function keyOf(path: AgentPath | undefined): string {
  return path === undefined ? ROOT_KEY : path.join("/")
}

export function emptyState(): RunState {
  return {
    runId: "",
    count: 0,
    root: undefined,
    agents: new Map(),
    requests: new Map(),
    grants: [],
    marks: new Set(),
    workMs: 0,
    closing: undefined,
  }
}

export function newAgent(path: AgentPath, setup: AgentSetup): AgentState {
  return {
    path,
    key: keyOf(path),
    setup,
    tools: new Map(setup.tools.map((tool) => [tool.name, tool])),
    children: [],
    limits: { ...setup.limits },
    style: setup.style,
    messages: [],
    turn: 0,
    run: emptyRun(undefined, 0),
    reply: undefined,
    inbox: [],
    failure: undefined,
    closed: false,
  }
}

export function emptyRun(prompt: Message | undefined, workMsBefore: number): RunCount {
  const usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 }
  const counts = { turns: 0, usage, calls: [], callsBefore: 0, cutShort: 0 }
  return { ...counts, declined: new Map(), prompt, workMsBefore }
}

/** Whether the model is done after a reply: it made no calls, and the endpoint did not pause it. */
export function isLastWord({ calls, stop }: ReplyState): boolean {
  return calls.length === 0 && stopKind(stop) !== "pause"
}

/** With those that were made elsewhere. */
export function callCount({ callsBefore, calls }: RunCount): number {
  return callsBefore + calls.length
}

export function refOf(call: CallState): CallRef {
  return { ...agentOf(call.agent), turn: call.turn, index: call.index }
}

/** What a call is known by to tools and what stands behind them: the same whenever it is run again. */
export function idempotencyKeyOf({ runId }: RunState, { agent, turn, index }: CallState): string {
  return `${runId}/${agent.key}/${turn}/${index}`
}

/** The `agent` member of an event: absent for the root. */
export function agentOf(agent: AgentState): { agent?: AgentPath } {
  return agent.path.length > 1 ? { agent: agent.path } : {}
}

export function specOf(call: CallState): ToolSpec | undefined {
  return call.agent.tools.get(call.name)
}

export function isRelay(call: CallState): boolean {
  return specOf(call)?.source === "relay"
}

export function maySimplyRunAgain(call: CallState): boolean {
  return isSafeToRepeat(specOf(call))
}

export function resultOf(call: CallState): ToolResult | undefined {
  return call.phase.is === "done" ? call.phase.result : undefined
}

/** A request that waits for its answer. */
export function isOpen(request: RequestState): boolean {
  return request.answer === undefined && !request.closed
}

/** A request and those that put it again. */
export function renewals(call: CallState, request: RequestState): RequestState[] {
  const original = request.renews ?? request.request.id
  return call.requests.filter((one) => one.request.id === original || one.renews === original)
}

/** The calls of an agent's latest reply. */
export function dueCalls(agent: AgentState): readonly CallState[] {
  return agent.reply?.calls ?? []
}

/** Every agent, parents before children, in the order of the calls that spawned them. */
export function* walk(agent: AgentState | undefined): Generator<AgentState> {
  if (!agent) return
  yield agent
  for (const child of agent.children) yield* walk(child)
}

/** The open requests in call order, depth first: a child's stand where its `task` call stands. */
export function openRequests(state: RunState): RequestState[] {
  if (![...state.requests.values()].some(isOpen)) return []
  const found = new Set<RequestState>()
  const visit = (agent: AgentState): void => {
    const delegated = new Set<string>()
    for (const call of dueCalls(agent)) {
      if (call.phase.is === "delegated") {
        delegated.add(call.phase.child)
        const child = state.agents.get(call.phase.child)
        if (child) visit(child)
      }
      if (call.phase.is !== "asking") continue
      const request = state.requests.get(call.phase.request)
      if (request && isOpen(request)) found.add(request)
    }
    for (const child of agent.children) if (!delegated.has(child.key) && !child.closed) visit(child)
  }
  if (state.root) visit(state.root)
  return [...found]
}
