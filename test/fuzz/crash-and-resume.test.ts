import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import {
  answerDeclined,
  answerOutput,
  answerResults,
  type Client,
  createGate,
  createInProcessClient,
  createToolkit,
  defineTool,
  pending,
  type Request,
  type RunEvent,
  type RunJournal,
  relayTool,
  type ToolContext,
} from "../../src/index.ts"
import { resultsIn } from "../support/agent.ts"

const CASES = process.env.TOOLNEXUS_TEST_SIZE === "long" ? 20_000 : 400

/** What a call is like: `gated` ones are asked about first, `asks` ones ask themselves, `relay` is for the host. */
const BEHAVIOURS = ["plain", "safe", "asks", "asks_twice", "gated", "gated_asks", "relay"] as const
type Behaviour = (typeof BEHAVIOURS)[number]
type Reaction = "answer" | "decline" | "later"

interface Scenario {
  turns: Behaviour[][]
  /** How many lines each process writes before it is killed; after the last, nothing is killed. */
  lives: number[]
  reactions: Reaction[]
}

const scenario: fc.Arbitrary<Scenario> = fc.record({
  turns: fc.array(fc.array(fc.constantFrom(...BEHAVIOURS), { minLength: 1, maxLength: 6 }), {
    minLength: 1,
    maxLength: 3,
  }),
  lives: fc.array(fc.nat({ max: 12 }), { maxLength: 8 }),
  reactions: fc.array(fc.constantFrom<Reaction>("answer", "decline", "later"), { maxLength: 12 }),
})

test("whatever is asked, answered, declined, left and killed: every call gets one result, in order, and none runs after its result was recorded", async () => {
  await fc.assert(fc.asyncProperty(scenario, survives), { numRuns: CASES, includeErrorInReport: true })
})

async function survives({ turns, lives, reactions }: Scenario): Promise<void> {
  const file: RunEvent[] = []
  const left = [...reactions]
  for (const life of [...lives, Number.POSITIVE_INFINITY]) {
    const client = await newProcess(turns, file, () => left.shift() ?? "answer")
    const journal = dying(file, life)
    await live(client, journal, file).catch((error: Error) => {
      if (!error.message.includes("killed")) throw error
    })
  }
  const client = await newProcess(turns, file, () => "answer")
  const result = await live(client, dying(file, Number.POSITIVE_INFINITY), file)
  assert.equal(result.status, "done")
  assert.deepEqual(
    resultsIn(result.messages).map(([id]) => id),
    turns.flatMap((calls, turn) => calls.map((_call, index) => `c${turn}_${index}`)),
  )
}

/** One process: its own client and tools over the shared file. */
async function newProcess(turns: Behaviour[][], file: readonly RunEvent[], react: () => Reaction): Promise<Client> {
  const guard = (ctx: ToolContext): void => {
    const index = Number(ctx.call?.id.split("_")[1])
    const mine = file.filter(
      (event) => "turn" in event && "index" in event && event.turn === ctx.call?.turn && event.index === index,
    )
    assert.equal(
      mine.at(-1)?.type,
      "call.started",
      "a call runs only after its start is on record, and never after its result",
    )
  }
  const asks = (name: string, questions: number) =>
    defineTool({
      name,
      description: "",
      run: (_args, ctx) => {
        guard(ctx)
        const had = ctx.answers?.length ?? 0
        return had < questions ? pending({ kind: "input", prompt: `question ${had}` }) : "told"
      },
    })
  const safe = defineTool({
    name: "safe",
    description: "",
    annotations: { readOnly: true },
    run: (_args, ctx) => {
      guard(ctx)
      return "read"
    },
  })
  const extraTools = [
    asks("plain", 0),
    safe,
    asks("asks", 1),
    asks("asks_twice", 2),
    asks("gated", 0),
    asks("gated_asks", 1),
  ]
  const toolkit = await createToolkit({ extraTools: [...extraTools, relayTool("relay", "for the host")] })
  const client = createInProcessClient({
    model: "m",
    gate: createGate({
      rules: [
        { effect: "ask", rule: "gated" },
        { effect: "ask", rule: "gated_asks" },
      ],
    }),
    generate: ({ messages }) => {
      const turn = messages.filter(({ role }) => role === "assistant").length
      const calls = turns[turn]
      return calls
        ? { toolCalls: calls.map((name, index) => ({ id: `c${turn}_${index}`, name, input: {} })) }
        : { text: "done" }
    },
    waitFor: (request) => answerFor(request, react()),
  })
  return {
    ...client,
    run: (prompt, options) => client.run(prompt, { toolkit, ...options }),
    resume: (halted, answers, options) => client.resume(halted, answers, { toolkit, ...options }),
  }
}

async function live(client: Client, journal: RunJournal, file: readonly RunEvent[]) {
  return file.some(({ type }) => type === "user.said") ? client.resume(journal, []) : client.run("go", { journal })
}

function answerFor(request: Request, reaction: Reaction) {
  if (reaction === "later") return undefined
  if (reaction === "decline") return answerDeclined(request.id)
  const relayed = request.data?.calls as { id: string }[] | undefined
  if (relayed)
    return answerResults(
      request.id,
      relayed.map(({ id }) => ({ id, output: "done elsewhere" })),
    )
  return request.kind === "input" ? answerOutput(request.id, "x") : { id: request.id, ok: true }
}

/** A journal of a process that is killed after some lines: what is written before stays, also half of an append. */
function dying(file: RunEvent[], lines: number): RunJournal {
  let left = lines
  return {
    read: async () => structuredClone(file),
    append: async (events, { at }) => {
      assert.equal(at, file.length)
      for (const event of events) {
        if (left-- <= 0) throw new Error("killed")
        file.push(JSON.parse(JSON.stringify(event)))
      }
    },
    close: async () => {},
  }
}
