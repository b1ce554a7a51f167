import assert from "node:assert/strict"
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test } from "node:test"
import { createInProcessClient, createToolkit, memoryJournal } from "../../src/index.ts"
import { scriptedModel } from "../../src/testing/index.ts"
import { calls, resultsIn } from "../support/agent.ts"

const edit = calls(["edit", { path: "a.txt", oldText: "one", newText: "two" }])

async function editing(turns: Parameters<typeof scriptedModel>[0]) {
  const folder = mkdtempSync(join(tmpdir(), "toolnexus-preview-"))
  const file = join(folder, "a.txt")
  writeFileSync(file, "one\n")
  const toolkit = await createToolkit({ builtins: ["edit"], cwd: folder })
  const client = createInProcessClient({ model: "m", generate: scriptedModel(turns).generate })
  return { file, client, toolkit, journal: memoryJournal() }
}

test("who is asked about an edit sees its diff, and what was shown is what is done", async () => {
  const { file, client, toolkit, journal } = await editing([edit, "done"])
  const { pending } = await client.run("go", { toolkit, journal })
  assert.match(String(pending?.data?.diff), /-one\n\+two/)
  const result = await client.resume(journal, [{ id: pending?.id, ok: true }], { toolkit })
  assert.equal(result.status, "done")
  assert.equal(readFileSync(file, "utf8"), "two\n")
})

test("a file that changed after its diff was shown is not overwritten: the new diff is asked about", async () => {
  const { file, client, toolkit, journal } = await editing([edit, "done"])
  const first = (await client.run("go", { toolkit, journal })).pending
  writeFileSync(file, "zero\none\n")
  const again = await client.resume(journal, [{ id: first?.id, ok: true }], { toolkit })
  assert.equal(again.status, "pending")
  assert.notEqual(again.pending?.id, first?.id)
  assert.match(String(again.pending?.data?.diff), / zero\n-one\n\+two/)
  assert.equal(readFileSync(file, "utf8"), "zero\none\n")
  await client.resume(journal, [{ id: again.pending?.id, ok: true }], { toolkit })
  assert.equal(readFileSync(file, "utf8"), "zero\ntwo\n")
})

test("edited arguments are shown again with their own diff before they run", async () => {
  const { file, client, toolkit, journal } = await editing([edit, "done"])
  const first = (await client.run("go", { toolkit, journal })).pending
  const input = { path: "a.txt", oldText: "one", newText: "three" }
  const again = await client.resume(journal, [{ id: first?.id, ok: true, data: { input } }], { toolkit })
  assert.match(String(again.pending?.data?.diff), /-one\n\+three/)
  assert.equal(again.pending?.prompt, "Allow edit with the edited arguments?")
  const result = await client.resume(journal, [{ id: again.pending?.id, ok: true }], { toolkit })
  assert.equal(readFileSync(file, "utf8"), "three\n")
  assert.match(String(resultsIn(result.messages)[0]?.[1]), /The person edited the arguments/)
})

test("an edit that cannot be made and is edited so that it can is shown with its diff before it runs", async () => {
  const { file, client, toolkit, journal } = await editing([
    calls(["edit", { path: "a.txt", oldText: "nope", newText: "x" }]),
    "done",
  ])
  const first = (await client.run("go", { toolkit, journal })).pending
  const input = { path: "a.txt", oldText: "one", newText: "x" }
  const again = await client.resume(journal, [{ id: first?.id, ok: true, data: { input } }], { toolkit })
  assert.match(String(again.pending?.data?.diff), /-one\n\+x/)
  assert.equal(readFileSync(file, "utf8"), "one\n")
  await client.resume(journal, [{ id: again.pending?.id, ok: true }], { toolkit })
  assert.equal(readFileSync(file, "utf8"), "x\n")
})

test("an edit that cannot be made is asked about with the reason, and a grant does not cover other states of the file", async () => {
  const impossible = calls(["edit", { path: "a.txt", oldText: "nope", newText: "x" }])
  const { client, toolkit, journal } = await editing([impossible, edit, edit, "done"])
  const first = (await client.run("go", { toolkit, journal })).pending
  assert.match(String(first?.data?.problem), /not found/)
  const second = await client.resume(journal, [{ id: first?.id, ok: true }], { toolkit })
  assert.match(String(second.toolCalls[0]?.output), /was not found/)
  const granted = { id: second.pending?.id, ok: true, data: { grant: "run" } }
  assert.equal((await client.resume(journal, [granted], { toolkit })).status, "pending")
})
