import assert from "node:assert/strict"
import { test } from "node:test"
import {
  answerOutput,
  createGate,
  defineTool,
  memoryJournal,
  pending,
  recordAnswers,
  relayTool,
} from "../../src/index.ts"
import { agent, calls } from "../support/agent.ts"

const id = "r1"

test("an answer that does not fit is refused in words about the answer, with the request's id in the details", async () => {
  const schema = { type: "integer", minimum: 0 }
  const run = () => pending({ id, kind: "input", prompt: "How many?", data: { schema } })
  const asking = await agent([calls("ask")], [defineTool({ name: "ask", description: "", run })])
  const halted = await asking.run("go")
  for (const [typed, fact] of [
    ["many", "it must be integer"],
    ["-1", "it must be >= 0"],
  ] as const) {
    const message = `The answer to "How many?" does not fit: ${fact}; answer with a value that fits, written as JSON`
    await assert.rejects(asking.resume(halted, [answerOutput(id, typed)]), {
      code: "invalid_answer",
      message,
      details: { id },
    })
  }
})

test("edited arguments that do not fit are refused in words about them", async () => {
  const inputSchema = { type: "object", properties: { sum: { type: "number" } } }
  const pay = defineTool({ name: "pay", description: "", inputSchema, run: () => "paid" })
  const gate = createGate({ rules: [{ effect: "ask", rule: "pay" }] })
  const gated = await agent([calls("pay")], [pay], { gate })
  const halted = await gated.run("go")
  await assert.rejects(gated.resume(halted, [{ id: halted.pending?.id, ok: true, data: { input: { sum: "5" } } }]), {
    code: "invalid_answer",
    message: "The edited arguments of pay do not fit: sum must be number; correct them",
    details: { id: halted.pending?.id },
  })
})

test("an answer with a misspelt member is refused with its name and those that are known, and nothing runs unedited", async () => {
  const ran: unknown[] = []
  const pay = defineTool({ name: "pay", description: "", run: (args) => `paid ${ran.push(args)}` })
  const gate = createGate({ rules: [{ effect: "ask", rule: "pay" }] })
  const gated = await agent([calls("pay"), "done"], [pay], { gate })
  const halted = await gated.run("go")
  const of = halted.pending?.id
  for (const [answer, message] of [
    [
      { id: of, ok: true, dat: { input: {} } },
      "answer has members that it cannot have (dat): it holds id, ok, data, reason",
    ],
    [{ id: of, ok: true, input: {} }, /\(input\): it holds id, ok, data, reason$/],
    [{ id: of, ok: false, note: "no" }, /\(note\): it holds id, ok, data, reason$/],
    [
      { id: of, ok: true, data: { inptu: {} } },
      /\(inptu\): its members can be output, results, note, input, grant, digest, by$/,
    ],
    [{ id: of, ok: false, data: { nte: "no" } }, /\(nte\): its members can be/],
    [{ id: of, ok: true, data: { grant: "runs" } }, /"run" is the only one/],
  ] as const) {
    await assert.rejects(gated.resume(halted, [answer]), { code: "invalid_answer", message })
  }
  assert.deepEqual(ran, [])
  const answer = { id: of, ok: true, reason: undefined, data: { input: { sum: 1 }, note: undefined, by: "mia" } }
  assert.equal((await gated.resume(halted, [answer])).status, "done")
  assert.deepEqual(ran, [{ sum: 1 }])
})

test("a misspelt isError of a relayed result is refused: the failure would be told as a success", async () => {
  const relaying = await agent([calls("fetch"), "done"], [relayTool("fetch", "")])
  const halted = await relaying.run("go")
  const of = halted.pending?.id
  const results = [{ id: "c1", output: "404", is_error: true }]
  await assert.rejects(relaying.resume(halted, [{ id: of, ok: true, data: { results } }]), {
    code: "invalid_answer",
    message: "answer.data.results[0] has members that it cannot have (is_error): it holds id, output, isError",
  })
})

test("what a host says to a tool of its own is the tool's to read, whatever its members are called", async () => {
  const run: Parameters<typeof defineTool>[0]["run"] = (_args, { answer }) =>
    answer ? JSON.stringify(answer.data) : pending({ id, kind: "seat", prompt: "Where?" })
  const asking = await agent([calls("ask"), "done"], [defineTool({ name: "ask", description: "", run })])
  const halted = await asking.run("go")
  const done = await asking.resume(halted, [{ id, ok: true, data: { row: 4 } }])
  assert.deepEqual(
    done.toolCalls.map(({ output }) => output),
    ['{"row":4}'],
  )
})

test("an answer that contradicts a recorded one that is stood by is refused, and nothing is written", async () => {
  const ask = defineTool({
    name: "ask",
    description: "",
    run: (_args, { answer }) => (answer ? String(answer.data?.output) : pending({ id, kind: "input", prompt: "?" })),
  })
  const journal = memoryJournal()
  const by = await agent([calls("ask"), "done"], [ask])
  await by.run("go", { journal })
  await recordAnswers(journal, [answerOutput(id, "staging")])
  const lines = await journal.read()
  const foreign = { foreign: "accept recorded" } as const
  await assert.rejects(by.resume(journal, [answerOutput(id, "production")], foreign), { code: "answer_differs" })
  assert.deepEqual(await journal.read(), lines)
  const done = await by.resume(journal, [answerOutput(id, "staging")], foreign)
  assert.deepEqual([done.status, done.toolCalls[0]?.output], ["done", "staging"])
})
