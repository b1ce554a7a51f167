import assert from "node:assert/strict"
import { test } from "node:test"
import { answerOutput, defineTool, memoryJournal, pending } from "../../src/index.ts"
import { agent, calls } from "../support/agent.ts"

test("a finished result resumed from plain JSON gives its text again, and no model is asked", async () => {
  const by = await agent(["the end"])
  const done = JSON.parse(JSON.stringify(await by.run("go")))
  const again = await by.resume(done, [])
  assert.deepEqual([again.status, again.text, again.turns], ["done", "the end", 1])
  assert.deepEqual(again.messages, done.messages)
  assert.equal(by.model.requests.length, 1)
  const journal = memoryJournal()
  await by.resume(done, [], { journal })
  assert.equal((await journal.read()).at(-1)?.type, "run.finished")
  await assert.rejects(by.resume(done, [answerOutput("q", "x")]), { code: "unknown_answer" })
})

test("a halted result resumed from plain JSON without an answer is in the journal that it was given, and goes on from there", async () => {
  const ask = defineTool({
    name: "ask",
    description: "",
    run: (_args, { answer }) => (answer ? "told" : pending({ id: "q", kind: "input", prompt: "?" })),
  })
  const by = await agent([calls("ask"), "done"], [ask])
  const halted = JSON.parse(JSON.stringify(await by.run("go")))
  const journal = memoryJournal()
  const again = await by.resume(halted, [], { journal })
  assert.deepEqual([again.status, again.pending?.id], ["pending", "q"])
  assert.deepEqual(
    (await journal.read()).map(({ type }) => type),
    ["run.started", "run.imported", "run.halted"],
  )
  assert.equal((await by.resume(journal, [answerOutput("q", "x")])).text, "done")
})
