import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createClient, createToolkit, defineTool, memoryJournal } from "../../src/index.ts"
import { replyText, type Step, scriptedEndpoint, sseOf } from "../support/scripted-endpoint.ts"

/** A toolkit that notes what ran. */
async function noting() {
  const ran: unknown[] = []
  const note = defineTool({ name: "note", description: "Notes", run: (args) => void ran.push(args) })
  return { ran, toolkit: await createToolkit({ extraTools: [note] }) }
}

const SEARCHING = [
  { type: "text", text: "Let me look." },
  { type: "server_tool_use", id: "srv_1", name: "web_search", input: { query: "x" } },
  { type: "web_search_tool_result", tool_use_id: "srv_1", content: [{ type: "web_search_result", url: "u" }] },
]

function anthropicReply(content: { type: string; text?: string }[], stop_reason: string): Step {
  const usage = { input_tokens: 1, output_tokens: 1 }
  const message = { id: "m", type: "message", role: "assistant", content, stop_reason, usage }
  const events = [
    { type: "message_start", message: { ...message, content: [], stop_reason: null } },
    ...content.flatMap((content_block, index) => [
      { type: "content_block_start", index, content_block },
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason }, usage },
    { type: "message_stop" },
  ]
  return ({ body }) => (body.stream ? { sse: sseOf(events, "") } : { body: message })
}

const PAUSED = anthropicReply(SEARCHING, "pause_turn")

describe("a turn that the endpoint pauses", () => {
  for (const form of ["plain", "streamed"] as const) {
    it(`goes on with the reply sent back as it is, and nothing after it (${form})`, async () => {
      await using endpoint = await scriptedEndpoint([PAUSED, PAUSED, replyText("It is x.")]).listen()
      const client = createClient({ baseUrl: endpoint.baseUrl, style: "anthropic", model: "m" })
      const how = form === "streamed" ? { onText: () => {} } : {}
      const { status, text, turns, messages, stopped } = await client.run("what is x?", how)
      assert.deepEqual([status, text, turns, stopped], ["done", "It is x.", 3, undefined])
      assert.deepEqual(
        messages.map(({ role }) => role),
        ["user", "assistant", "assistant", "assistant"],
      )
      const [, second, third] = endpoint.requests
      assert.deepEqual(second?.body.messages.slice(1), [{ role: "assistant", content: SEARCHING }])
      assert.deepEqual(third?.body.messages.slice(1), [{ role: "assistant", content: [...SEARCHING, ...SEARCHING] }])
    })
  }

  it("that stops in between goes on in a resume by another process", async () => {
    await using endpoint = await scriptedEndpoint([PAUSED, { status: 400, body: "no" }, replyText("It is x.")]).listen()
    const options = { baseUrl: endpoint.baseUrl, style: "anthropic" as const, model: "m" }
    const journal = memoryJournal()
    await assert.rejects(createClient(options).run("what is x?", { journal }), { code: "provider" })
    const { status, text } = await createClient(options).resume(journal, [])
    assert.deepEqual([status, text], ["done", "It is x."])
    assert.deepEqual(endpoint.requests[2]?.body, endpoint.requests[1]?.body)
  })

  it("counts as a turn, and 20 in a row that bring nothing are an error; a resume goes on", async () => {
    await using endpoint = await scriptedEndpoint([...Array<Step>(20).fill(PAUSED), replyText("It is x.")]).listen()
    const options = { baseUrl: endpoint.baseUrl, style: "anthropic" as const, model: "m" }
    const limited = await createClient({ ...options, maxTurns: 3 }).run("what is x?")
    assert.deepEqual([limited.status, limited.limit, endpoint.requests.length], ["incomplete", "maxTurns", 3])
    const journal = memoryJournal()
    endpoint.requests.length = 0
    await assert.rejects(createClient(options).run("what is x?", { journal }), {
      code: "provider",
      message: "The endpoint paused the model 20 times in a row (pause_turn): resume the run to go on",
    })
    assert.equal(endpoint.requests.length, 20)
    assert.equal((await createClient(options).resume(journal, [])).text, "It is x.")
  })
})

describe("a reply that is cut off inside a call", () => {
  const call = { id: "c1", type: "function", function: { name: "note", arguments: '{"text":"a very lo' } }
  const cutOff = (finish_reason: string): Step => ({
    body: { choices: [{ message: { role: "assistant", content: null, tool_calls: [call] }, finish_reason }] },
  })

  it("is asked for again with the reason, three in a row end the run, and a resume goes on", async () => {
    await using endpoint = await scriptedEndpoint([
      ...Array<Step>(3).fill(cutOff("length")),
      replyText("short"),
    ]).listen()
    const client = createClient({ baseUrl: endpoint.baseUrl, style: "openai", model: "m" })
    const { ran, toolkit } = await noting()
    const journal = memoryJournal()
    const cut = await client.run("go", { toolkit, journal })
    assert.deepEqual([cut.status, cut.limit, cut.turns], ["incomplete", "maxOutputTokens", 3])
    assert.deepEqual(cut.stopped, { kind: "length", reason: "length" })
    assert.match(JSON.stringify(endpoint.requests[1]?.body.messages.at(-1)), /cut off at a length limit/)
    const done = await client.resume(journal, [], { toolkit })
    assert.deepEqual([done.status, done.text, ran], ["done", "short", []])
  })

  it("in a full context ends the run at once", async () => {
    await using endpoint = await scriptedEndpoint([cutOff("model_context_window_exceeded")]).listen()
    const client = createClient({ baseUrl: endpoint.baseUrl, style: "openai", model: "m" })
    const { ran, toolkit } = await noting()
    const cut = await client.run("go", { toolkit })
    assert.deepEqual([cut.status, cut.limit, cut.turns, ran], ["incomplete", "context", 1, []])
  })

  it("does not count where a whole reply was in between", async () => {
    const whole: Step = {
      body: {
        choices: [
          {
            message: { tool_calls: [{ ...call, function: { name: "note", arguments: "{}" } }] },
            finish_reason: "tool_calls",
          },
        ],
      },
    }
    const cut = cutOff("length")
    await using endpoint = await scriptedEndpoint([cut, cut, whole, cut, cut, replyText("ok")]).listen()
    const client = createClient({ baseUrl: endpoint.baseUrl, style: "openai", model: "m" })
    const { ran, toolkit } = await noting()
    const { status, text } = await client.run("go", { toolkit })
    assert.deepEqual([status, text, ran.length], ["done", "ok", 1])
  })
})
