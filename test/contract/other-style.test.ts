import assert from "node:assert/strict"
import { test } from "node:test"
import {
  answerOutput,
  createClient,
  createToolkit,
  defineTool,
  memoryJournal,
  outputOf,
  pending,
} from "../../src/index.ts"
import { replyCalls, replyText, scriptedEndpoint } from "../support/scripted-endpoint.ts"

const ask = defineTool({
  name: "ask",
  description: "asks",
  run: (_args, ctx) => (ctx.answer ? `heard ${outputOf(ctx.answer)}` : pending({ kind: "input", prompt: "?" })),
})

for (const [from, to] of [
  ["openai", "anthropic"],
  ["anthropic", "openai"],
] as const) {
  test(`a run that halted on ${from} is resumed on ${to}, from its journal or as plain data, and goes on there`, async () => {
    const toolkit = await createToolkit({ extraTools: [ask] })
    const clientOn = (style: "openai" | "anthropic", baseUrl: string) => createClient({ baseUrl, style, model: "m" })
    await using first = await scriptedEndpoint([replyCalls([{ id: "c1", name: "ask", arguments: {} }])]).listen()
    await using second = await scriptedEndpoint([replyText("done"), replyText("again"), replyText("done")]).listen()
    const journal = memoryJournal()
    const halted = await clientOn(from, first.baseUrl).run("go", { toolkit, journal })
    const answer = answerOutput(halted.pending?.id ?? "", "blue")
    const other = clientOn(to, second.baseUrl)

    const resumed = await other.resume(journal, [answer], { toolkit })
    assert.deepEqual([resumed.status, resumed.text], ["done", "done"])
    const followed = await other.run("and now?", { toolkit, journal })
    assert.equal(followed.text, "again")
    const plain = await other.resume(JSON.parse(JSON.stringify(halted)), [answer], { toolkit })
    assert.equal(plain.text, "done")

    const shape = JSON.stringify(second.requests[0]?.body.messages)
    assert.match(shape, to === "openai" ? /"role":"tool"/ : /"tool_result"/)
    assert.match(shape, /heard blue/)
    assert.deepEqual(second.requests[2]?.body.messages, second.requests[0]?.body.messages)
    assert.equal(
      second.requests[1]?.body.messages.filter((message: { role: string }) => message.role === "assistant").length,
      2,
    )
  })
}

test("what an endpoint alone understands goes back to it after a detour over another style, also through the file", async () => {
  const toolkit = await createToolkit({ extraTools: [ask] })
  const sent: { messages: Record<string, unknown>[] }[] = []
  const signed = (n: number) => [
    { type: "thinking", thinking: "hm", signature: `SIG${n}` },
    { type: "tool_use", id: `toolu_${n}`, name: "ask", input: {}, caller: { type: "direct" } },
  ]
  const chat = (n: number) => ({
    role: "assistant",
    content: null,
    reasoning_details: [{ data: `D${n}` }],
    tool_calls: [{ id: `c|odd:${n}`, type: "function", function: { name: "ask", arguments: "{}" } }],
  })
  const fetch = async (url: unknown, init?: { body?: unknown }) => {
    const n = sent.push(JSON.parse(String(init?.body)))
    return Response.json(
      String(url).includes("/messages")
        ? { type: "message", role: "assistant", content: signed(n), stop_reason: "tool_use" }
        : { choices: [{ message: chat(n), finish_reason: "tool_calls" }] },
    )
  }
  const on = (style: "openai" | "anthropic") =>
    createClient({ baseUrl: "http://127.0.0.1/v1", style, model: "m", fetch: fetch as typeof globalThis.fetch })
  let journal = memoryJournal()
  let halted = await on("anthropic").run("go", { journal, toolkit })
  for (const style of ["openai", "anthropic", "openai"] as const) {
    journal = memoryJournal(await journal.read()) // as another process reads it
    halted = await on(style).resume(journal, [answerOutput(halted.pending?.id ?? "", style)], { toolkit })
  }
  const replies = (at: number) => sent[at]?.messages.filter(({ role }) => role === "assistant") ?? []
  const content = (message: Record<string, unknown> | undefined) =>
    ((message?.content ?? []) as Record<string, unknown>[]).map(({ cache_control: _, ...block }) => block)
  assert.deepEqual(content(replies(2)[0]), signed(1))
  assert.deepEqual(replies(3)[1], chat(2))
  const results = sent[2]?.messages.flatMap(({ content: it }) => (Array.isArray(it) ? it : []))
  assert.deepEqual(
    results?.filter(({ type }) => type === "tool_result").map(({ tool_use_id }) => tool_use_id),
    ["toolu_1", "c_odd_2"],
  )
  assert.deepEqual(
    sent[3]?.messages.filter(({ role }) => role === "tool").map(({ tool_call_id }) => tool_call_id),
    ["toolu_1", "c|odd:2", "toolu_3"],
  )
})
