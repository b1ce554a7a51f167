import assert from "node:assert/strict"
import fc from "fast-check"
import {
  type Answer,
  answerDeclined,
  answerOutput,
  answerResults,
  type Clock,
  createGate,
  createToolkit,
  defineTool,
  type Gate,
  type Generate,
  type InProcessClientOptions,
  pending,
  type Request,
  type RunEvent,
  relayTool,
  type ToolContext,
  type Toolkit,
} from "../../src/index.ts"
import { type ManualClock, manualClock } from "../../src/testing/index.ts"

/** What a call is like: `gated` ones are asked about first, `asks` ones ask themselves, `relay` is for the host. */
const BEHAVIOURS = [
  "plain",
  "safe",
  "asks",
  "asks_twice",
  "asks_soon",
  "gated",
  "gated_asks",
  "secret",
  "relay",
] as const
export type Behaviour = (typeof BEHAVIOURS)[number]
type Reaction = "answer" | "decline" | "later" | "too late"

export interface Scenario {
  turns: Behaviour[][]
  /** How many lines each process writes before it is killed; after the last, nothing is killed. */
  lives: number[]
  reactions: Reaction[]
  /** How many turns of the event loop an append takes. */
  delays: number[]
}

export const scenario: fc.Arbitrary<Scenario> = fc.record({
  turns: fc.array(fc.array(fc.constantFrom(...BEHAVIOURS), { minLength: 1, maxLength: 6 }), {
    minLength: 1,
    maxLength: 3,
  }),
  lives: fc.array(fc.nat({ max: 12 }), { maxLength: 8 }),
  reactions: fc.array(fc.constantFrom<Reaction>("answer", "decline", "later", "too late"), { maxLength: 12 }),
  delays: fc.array(fc.nat({ max: 2 }), { minLength: 1, maxLength: 5 }),
})

/** The file of a run, the world around it, and what the tools did in it. */
export interface World {
  scenario: Scenario
  file: RunEvent[]
  clock: ManualClock
  reactions: Reaction[]
  /** By turn and index: how often the tool ran, over all processes. */
  runs: Map<string, number>
}

export function worldOf(it: Scenario): World {
  return { scenario: it, file: [], clock: manualClock(), reactions: [...it.reactions], runs: new Map() }
}

const SOON_MS = 60_000

/** What one process has: its own model, tools, gate and person over the shared file. */
export interface Equipment {
  toolkit: Toolkit
  options: InProcessClientOptions & { gate: Gate; clock: Clock }
}

export async function equipmentOf(world: World, react: () => Reaction): Promise<Equipment> {
  const { turns } = world.scenario
  const toolkit = await createToolkit({ extraTools: toolsOf(world) })
  const options = {
    model: "m",
    clock: world.clock,
    gate: createGate({
      rules: [
        { effect: "ask" as const, rule: "gated" },
        { effect: "ask" as const, rule: "gated_asks" },
      ],
    }),
    generate: ({ messages }: Parameters<Generate>[0]) => {
      requireRecorded(world, messages)
      const turn = messages.filter(({ role }) => role === "assistant").length
      const calls = turns[turn]
      return calls
        ? { toolCalls: calls.map((name, index) => ({ id: `c${turn}_${index}`, name, input: {} })) }
        : { text: "done" }
    },
    waitFor: (request: Request) => answerFor(world, request, react()),
  }
  return { options, toolkit }
}

function toolsOf(world: World) {
  const asks = (name: string, questions: number, question: (had: number) => object = () => ({ kind: "input" })) =>
    defineTool({
      name,
      description: "",
      ...(name === "safe" ? { annotations: { readOnly: true } } : {}),
      run: (_args, ctx) => {
        requireStarted(world, ctx)
        const had = ctx.answers?.length ?? 0
        if (had >= questions) return "told"
        return pending({ kind: "input", prompt: `question ${had}`, ...question(had) })
      },
    })
  const expiresAt = () => ({ expiresAt: new Date(world.clock.now() + SOON_MS).toISOString() })
  return [
    asks("plain", 0),
    asks("safe", 0),
    asks("asks", 1),
    asks("asks_twice", 2),
    asks("asks_soon", 1, expiresAt),
    asks("gated", 0),
    asks("gated_asks", 1),
    asks("secret", 1, () => ({ kind: "secret" })),
    relayTool("relay", "for the host"),
  ]
}

/** A call runs only after its start is on record, and never after its result. */
function requireStarted(world: World, ctx: ToolContext): void {
  const index = Number(ctx.call?.id.split("_")[1])
  const mine = eventsOf(world.file, ctx.call?.turn ?? 0, index)
  assert.equal(mine.at(-1)?.type, "call.started", "a call runs after its start is on record, not after its result")
  const key = `${ctx.call?.turn}/${index}`
  world.runs.set(key, (world.runs.get(key) ?? 0) + 1)
}

/** The model is told nothing that is not on record. */
function requireRecorded(world: World, messages: readonly Record<string, unknown>[]): void {
  const results = messages.filter(({ role }) => role === "tool").length
  const finished = world.file.filter(({ type }) => type === "call.finished").length
  assert.equal(results, finished, "the model hears of a result when it is on record")
}

function answerFor(world: World, request: Request, reaction: Reaction): Answer | undefined {
  const isRecorded = world.file.some((event) => event.type === "call.suspended" && event.request.id === request.id)
  assert.ok(isRecorded || request.kind === "in_doubt", "a question is shown when it is on record")
  if (reaction === "later") return undefined
  if (reaction === "too late") world.clock.advance(SOON_MS + 1)
  if (reaction === "decline") return answerDeclined(request.id)
  const relayed = request.data?.calls as { id: string }[] | undefined
  if (relayed)
    return answerResults(
      request.id,
      relayed.map(({ id }) => ({ id, output: "done elsewhere" })),
    )
  return ["input", "secret"].includes(request.kind) ? answerOutput(request.id, "x") : { id: request.id, ok: true }
}

/** The events about one call, in order. */
export function eventsOf(file: readonly RunEvent[], turn: number, index: number): RunEvent[] {
  return file.filter(
    (event) =>
      "turn" in event &&
      event.turn === turn &&
      ("index" in event ? event.index === index : event.type === "call.suspended" && event.indexes.includes(index)),
  )
}
