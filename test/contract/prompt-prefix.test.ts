import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { answerOutput, createClient, createToolkit, defineTool, memoryJournal, pending } from "../../src/index.ts"
import { replyCalls, replyText, type Step, scriptedEndpoint } from "../support/scripted-endpoint.ts"

const TURNS = 30
const ASKS_AT = 15

function steps(): Step[] {
  const turns = Array.from({ length: TURNS - 1 }, (_, turn) =>
    replyCalls([{ id: `c${turn}`, name: "work", arguments: { turn } }], turn % 3 === 0 ? "Thinking aloud." : ""),
  )
  return [...turns, replyText("done")]
}

/** Does something in every turn, and asks a person in one. */
function workToolkit() {
  const work = defineTool({
    name: "work",
    description: "Works",
    inputSchema: { type: "object", properties: { turn: { type: "integer" } } },
    annotations: { readOnly: true },
    run: ({ turn }: { turn: number }, { answer }) =>
      turn === ASKS_AT && !answer ? pending({ kind: "input", prompt: "Go on?" }) : turn % 2 ? `did ${turn}` : "",
  })
  return createToolkit({ builtins: false, extraTools: [work] })
}

/** A body without breakpoints, up to the end of its messages. */
function prefixOf(body: unknown): string {
  const json = JSON.stringify(body, (key, value) => (key === "cache_control" ? undefined : value))
  assert.ok(json.endsWith("]}"), "messages are the last member")
  return json.slice(0, -2)
}

for (const style of ["openai", "anthropic"] as const) {
  for (const form of ["plain", "streamed"] as const) {
    describe(`over ${TURNS} turns of ${style}, ${form}`, () => {
      it("each request begins with the one before, also after a resume by another client", async () => {
        await using endpoint = await scriptedEndpoint(steps()).listen()
        const options = { baseUrl: endpoint.baseUrl, style, model: "m", systemPrompt: "Be brief." }
        const how = { toolkit: await workToolkit(), ...(form === "streamed" ? { onText: () => {} } : {}) }
        const journal = memoryJournal()
        const halted = await createClient(options).run("go", { ...how, journal })
        assert.equal(halted.status, "pending")
        assert.equal(endpoint.requests.length, ASKS_AT + 1)
        const answer = answerOutput(halted.pending?.id ?? "", "yes")
        const resumed = await createClient(options).resume(journal, [answer], { ...how, toolkit: await workToolkit() })
        assert.equal(resumed.status, "done")
        assert.equal(endpoint.requests.length, TURNS)
        const prefixes = endpoint.requests.map(({ body }) => prefixOf(body))
        for (const [turn, prefix] of prefixes.slice(1).entries()) {
          assert.ok(
            prefix.startsWith(prefixes[turn] ?? "?"),
            `request ${turn + 2} does not begin with request ${turn + 1}`,
          )
        }
      })
    })
  }
}

it("anthropic is told where to cache: tools, system prompt and the newest turn, in every request", async () => {
  await using endpoint = await scriptedEndpoint([
    replyCalls([{ id: "a", name: "work", arguments: { turn: 0 } }]),
    replyText("done"),
  ]).listen()
  const client = createClient({ baseUrl: endpoint.baseUrl, style: "anthropic", model: "m", systemPrompt: "Be brief." })
  await client.run("go", { toolkit: await workToolkit() })
  for (const { body } of endpoint.requests) {
    assert.deepEqual(body.tools.at(-1).cache_control, { type: "ephemeral" })
    assert.deepEqual(body.system.at(-1).cache_control, { type: "ephemeral" })
    assert.deepEqual(body.messages.at(-1).content.at(-1).cache_control, { type: "ephemeral" })
    assert.ok(JSON.stringify(body).split('"cache_control"').length - 1 <= 4, "the wire takes four at most")
  }
})
