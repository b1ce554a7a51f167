import assert from "node:assert/strict"
import { join } from "node:path"
import { after, test } from "node:test"
import { openFileJournal } from "../../../src/journal/file.ts"
import { memoryJournal } from "../../../src/journal/memory.ts"
import { journalSuite } from "../../../src/testing/journal-suite.ts"
import { tempFolder } from "./temp-folder.ts"

const folder = tempFolder()
after(folder.remove)

let number = 0
const file = () => join(folder.path, `${number}.run.jsonl`)

journalSuite({ name: "memory", open: async () => memoryJournal(), test, assert })
journalSuite({
  name: "file",
  open: () => {
    number++
    return openFileJournal(file(), { mode: "new" })
  },
  reopen: () => openFileJournal(file(), { mode: "existing" }),
  test,
  assert,
})

test("memory: it begins with the lines that it is given, as copies", async () => {
  const line = { n: 1 }
  const journal = memoryJournal([line])
  line.n = 2
  assert.deepEqual(await journal.read(), [{ n: 1 }])
  await journal.append([{ n: 3 }], { at: 1, flush: false })
  assert.deepEqual(await journal.read(), [{ n: 1 }, { n: 3 }])
})
