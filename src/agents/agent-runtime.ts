import { randomUUID } from "node:crypto"
import type { Clock } from "../event/clock.ts"
import { systemClock } from "../event/system-clock.ts"
import { Engine } from "../run/engine.ts"
import { type AgentState, emptyState, keyOf } from "../run/fold/state.ts"
import { foldNew } from "../run/loop.ts"
import { createMasker } from "../run/masks/masks.ts"
import { memoryJournal } from "../run/memory.ts"
import type { NewEvent } from "../run/new-event.ts"
import { fittingAnswers, recordFitting } from "../run/resume.ts"
import type { Seat } from "../run/seat.ts"
import { parseAnswer } from "../suspension/answer.ts"
import { ToolnexusError } from "../tool/error.ts"
import { createSchemaCheck } from "../tools/schema-check.ts"
import type { Budget } from "./agent-definition.ts"
import type { AgentRuntimeOptions } from "./agent-runtime-options.ts"
import { AgentHandle, type Handle } from "./handle.ts"
import { seatFor, setupOf } from "./seating.ts"
import { type TaskResult, taskResult, timedOut } from "./task-result.ts"

/**
 * A tree of agents over one journal: every agent is a run of the same engine, and one run file holds them all.
 *
 * @example
 * const rt = new AgentRuntime({ llm: { baseUrl: "http://127.0.0.1:11434/v1" }, registry: { asker: { name: "asker", does: "asks", model: "m" } } })
 * const handle = rt.spawn(rt.root, "asker")
 */
export class AgentRuntime {
  readonly root: Handle
  readonly #options: AgentRuntimeOptions
  readonly #engine: Engine
  readonly #clock: Clock
  readonly #handles = new Map<string, AgentHandle>()
  readonly #seats = new Map<string, Seat>()

  /** @throws ToolnexusError `usage` without `llm` and `fetch`: it reads no environment */
  constructor(options: AgentRuntimeOptions) {
    if (!options.llm && !options.fetch) {
      throw new ToolnexusError("usage", "An AgentRuntime needs an endpoint: pass llm, or a fetch that answers")
    }
    this.#options = options
    this.#clock = options.clock ?? systemClock
    const root = new AgentHandle("root", undefined, undefined)
    this.root = root
    this.#handles.set(root.id, root)
    this.#engine = this.#open()
  }

  /**
   * A new idle agent.
   *
   * @param parent a handle of this runtime, or `root`
   * @param name the registry's
   * @param budget instead of the definition's
   * @returns the handle, or why there is none
   */
  spawn(parent: Handle, name: string, budget?: Budget): Handle | { error: string } {
    const definition = Object.hasOwn(this.#options.registry, name) ? this.#options.registry[name] : undefined
    if (!definition) return { error: `the registry has no agent ${name}` }
    const above = this.#own(parent)
    if (this.#isClosed(above)) return { error: `${above.id} is closed` }
    const cap = this.#capOf(above)
    if (cap) return { error: cap }
    const handle = new AgentHandle(name, above, budget ? { ...definition, budget } : definition)
    this.#seats.set(handle.id, seatFor(handle, this.#options, this.#clock))
    this.#handles.set(handle.id, handle)
    handle.join()
    const setup = setupOf(handle, this.#seat(handle).model)
    this.#emit([{ type: "agent.spawned", agent: handle.path, name, ...setup }])
    definition.onSpawn?.(handle)
    return handle
  }

  /**
   * Gives an idle agent something to do. A busy one (at work, or waiting for an answer) keeps it for the next time.
   *
   * @param prompt what; without one it goes on with what it has
   * @throws ToolnexusError `usage` for a closed handle
   */
  wake(handle: Handle, prompt?: string): void {
    const own = this.#own(handle)
    if (this.#isClosed(own)) throw new ToolnexusError("usage", `The agent ${own.id} is closed: spawn another`)
    const said = this.#saidTo(own, prompt)
    if (said) this.#emit([said])
    this.#engine.kick()
  }

  /**
   * The next result of an agent, or the last one of a settled agent.
   *
   * @param options `timeoutMs`: milliseconds after which the result says `timeout`; the agent goes on
   * @throws ToolnexusError what the host has to mend, for instance a `waitFor` that threw
   */
  async wait(handle: Handle, options: { timeoutMs?: number } = {}): Promise<TaskResult> {
    const own = this.#own(handle)
    let late = false
    const cancel =
      options.timeoutMs === undefined
        ? () => {}
        : this.#clock.after(options.timeoutMs, () => {
            late = true
            this.#engine.kick()
          })
    await this.#engine.until(() => late || !this.#isAtWork(own))
    cancel()
    if (late && this.#isAtWork(own)) return timedOut(this.#engine.state, this.#state(own))
    if (!this.#engine.isUnderWay(() => true)) await this.#engine.rest()
    return this.#resultOf(own)
  }

  /**
   * Routes an answer to the suspended agent by its id, and goes on there and upwards.
   *
   * @returns the settled result of the handle directly below the root that it concerns
   * @throws ToolnexusError `unknown_answer`, `invalid_answer`, `answer_differs`, `answer_expired`
   */
  async resume(answer: unknown): Promise<TaskResult> {
    const { id } = parseAnswer(answer)
    const { state, isOver, parts } = this.#engine
    if (isOver) throw new ToolnexusError("usage", `The runtime is closed: the answer to ${id} was not taken`)
    const fitting = await fittingAnswers(state, [answer], {
      now: () => this.#clock.now(),
      schemas: parts.schemas,
      hidden: parts,
    })
    await recordFitting(this.#engine, fitting)
    const path = state.requests.get(id)?.calls[0]?.agent.path
    return this.wait(this.#handle(path ?? []).top)
  }

  /**
   * Closes an agent and all below it, leaf first. What they came to stays readable.
   *
   * @param options `force`: stops what is at work instead of waiting for it
   */
  async close(handle: Handle, options: { force?: boolean } = {}): Promise<void> {
    const own = this.#own(handle)
    if (options.force && own === this.root) this.#engine.stop({ why: "close" })
    await this.#engine.until(() => !this.#isAtWork(own))
    for (const one of leafFirst(own)) {
      if (one === this.root || this.#state(one).closed) continue
      await this.#engine.emit([{ type: "agent.closed", agent: one.path }], { flush: false })
      one.definition?.onClose?.(one)
    }
    if (own === this.root) await this.#engine.end()
  }

  #saidTo(handle: AgentHandle, prompt: string | undefined): NewEvent | undefined {
    const { style } = this.#seat(handle).model
    const { inbox, failure } = this.#state(handle)
    const agent = handle.path
    if (this.#isAtWork(handle) || this.#resultOf(handle).status === "pending") {
      return prompt === undefined ? undefined : { type: "agent.posted", agent, item: style.renderUser(prompt) }
    }
    const texts = [...inbox.map((message) => style.parseUser(message)), ...(prompt === undefined ? [] : [prompt])]
    if (texts.length > 0) return { type: "user.said", agent, message: style.renderUser(texts.join("\n\n")) }
    return failure ? { type: "run.resumed", agent } : undefined
  }

  #isClosed(handle: AgentHandle): boolean {
    return this.#engine.isOver || (handle !== this.root && this.#state(handle).closed)
  }

  #open(): Engine {
    const state = emptyState()
    const runId = `run_${randomUUID()}`
    const onWarning = this.#options.onWarning ?? process.emitWarning
    const started: NewEvent = { type: "run.started", v: 1, runId, model: "", style: "openai", tools: [] }
    return new Engine({
      state,
      journal: this.#options.journal ?? memoryJournal(),
      lines: 0,
      unwritten: foldNew({ clock: this.#clock }, state, [started]),
      seatOf: (path) => this.#seat(this.#handle(path)),
      clock: this.#clock,
      schemas: createSchemaCheck(onWarning),
      secrets: new Map(),
      masks: createMasker(this.#options.masks ?? [], onWarning),
      onMetric: this.#options.onMetric,
    })
  }

  /** Why nobody more may be spawned below a handle. */
  #capOf(parent: AgentHandle): string | undefined {
    const { maxChildren } = parent.definition?.budget ?? {}
    const open = parent.children.filter((child) => !this.#state(child).closed)
    if (maxChildren !== undefined && open.length >= maxChildren)
      return `${parent.id} has ${open.length} open children, and may have ${maxChildren}`
    for (let above: AgentHandle | undefined = parent; above; above = above.parent) {
      const maxDepth = above.definition?.budget?.maxDepth
      const depth = parent.path.length + 1 - above.path.length
      if (maxDepth !== undefined && depth > maxDepth) return `${above.id} may have ${maxDepth} levels below it`
    }
    return undefined
  }

  // A journal that fails stops the engine, and whoever waits is told.
  #emit(events: Parameters<Engine["emit"]>[0]): void {
    this.#engine.emit(events, { flush: false }).catch(() => undefined)
  }

  #isAtWork(handle: AgentHandle): boolean {
    return this.#engine.isUnderWay((step) => {
      const agent = "agent" in step ? step.agent : "call" in step ? step.call.agent : step.request.calls[0]?.agent
      return agent !== undefined && `${agent.key}/`.startsWith(`${handle.id}/`)
    })
  }

  #resultOf(handle: AgentHandle): TaskResult {
    const result = taskResult(this.#engine.state, this.#state(handle))
    const { failure } = this.#engine
    if (failure && result.status !== "done") throw failure.error
    return result
  }

  #seat(handle: AgentHandle): Seat {
    const seat = this.#seats.get(handle.id)
    if (seat) return seat
    throw new ToolnexusError("usage", `The handle ${handle.id} is no agent: spawn one below it`)
  }

  #own(handle: Handle): AgentHandle {
    const own = this.#handles.get(handle.id)
    if (own === handle) return own
    throw new ToolnexusError("usage", `The handle ${handle.id} is not of this runtime`)
  }

  #handle(path: readonly string[]): AgentHandle {
    const handle = this.#handles.get(keyOf(path))
    if (handle) return handle
    throw new ToolnexusError("usage", `There is no agent ${path.join("/")}`)
  }

  #state(handle: AgentHandle): AgentState {
    const state = this.#engine.state.agents.get(handle.id)
    if (state) return state
    throw new ToolnexusError("usage", `The handle ${handle.id} was never spawned`)
  }
}

function* leafFirst(handle: AgentHandle): Generator<AgentHandle> {
  for (const child of handle.children) yield* leafFirst(child)
  yield handle
}
