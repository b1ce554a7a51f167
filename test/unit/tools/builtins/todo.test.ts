import assert from "node:assert/strict"
import { test } from "node:test"
import { createToolkit } from "../../../../src/tools/create-toolkit.ts"

const toolkit = await createToolkit({ builtins: ["todo"] })
const todo = (items: unknown) => toolkit.execute("todo", { items })

test("the whole list comes back, a line for each item", async () => {
  const items = [
    { text: "look", status: "done" },
    { text: "change\n[x] this", status: "doing" },
    { text: "test", status: "open" },
  ]
  assert.deepEqual(await todo(items), { output: "[x] look\n[>] change [x] this\n[ ] test", isError: false })
  assert.equal((await todo([])).output, "(nothing to do)")
})

test("a list that is no list, or too long, is refused", async () => {
  assert.equal((await todo([{ text: "a", status: "later" }])).isError, true)
  assert.equal((await todo([{ text: "", status: "open" }])).isError, true)
  assert.equal((await todo(Array.from({ length: 201 }, () => ({ text: "a", status: "open" })))).isError, true)
  assert.equal((await todo([{ text: "x".repeat(501), status: "open" }])).isError, true)
})
