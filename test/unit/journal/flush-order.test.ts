import assert from "node:assert/strict"
import { constants } from "node:fs"
import { open } from "node:fs/promises"
import { join } from "node:path"
import { after, test } from "node:test"
import { openFileJournal } from "../../../src/journal/file.ts"
import type { JournalFs, JournalHandle } from "../../../src/journal/journal-fs.ts"
import { tempFolder } from "./temp-folder.ts"

const folder = tempFolder()
after(folder.remove)

let number = 0
const newFile = () => join(folder.path, `${++number}.run.jsonl`)

/** The real file system, with a record of what is written and flushed in which order, and with failures. */
function recordingFs(fail: Partial<Record<"write" | "datasync" | "sync", (call: number) => string | undefined>> = {}) {
  const log: string[] = []
  let calls = 0
  const attempt = (what: "write" | "datasync" | "sync") => {
    const code = fail[what]?.(++calls)
    if (code !== undefined) throw Object.assign(new Error(`${code}: ${what}`), { code })
  }
  const recorded = (handle: Awaited<ReturnType<typeof open>>, name: string): JournalHandle => ({
    read: (...args) => handle.read(...args),
    stat: () => handle.stat(),
    truncate: (length) => handle.truncate(length),
    close: () => handle.close(),
    async write(buffer, offset, length) {
      attempt("write")
      log.push(`write ${buffer.toString("utf8", offset, offset + length).trim()}`)
      return handle.write(buffer, offset, length)
    },
    async datasync() {
      attempt("datasync")
      await handle.datasync()
      log.push("datasync")
    },
    async sync() {
      attempt("sync")
      await handle.sync()
      log.push(`sync ${name}`)
    },
  })
  const fs: JournalFs = {
    async open(path, flags, mode) {
      return recorded(await open(path, flags, mode), flags & constants.O_CREAT ? "file" : "folder")
    },
  }
  return { fs, log }
}

test("a new file's folder is flushed before anything is written", async () => {
  const { fs, log } = recordingFs()
  const journal = await openFileJournal(newFile(), { mode: "new", fs })
  await journal.append([{ n: 1 }], { at: 0, flush: true })
  assert.deepEqual(log, ["sync folder", 'write {"n":1}', "datasync"])
  await journal.close()
})

test("an append with flush resolves after its flush, one without after its write", async () => {
  const { fs, log } = recordingFs()
  const journal = await openFileJournal(newFile(), { mode: "new", fs })
  log.length = 0
  const note = (what: string) => () => log.push(what)
  await journal.append([{ n: 1 }], { at: 0, flush: false }).then(note("1 done"))
  await journal.append([{ n: 2 }], { at: 1, flush: true }).then(note("2 done"))
  assert.deepEqual(log, ['write {"n":1}', "1 done", 'write {"n":2}', "datasync", "2 done"])
  await journal.close()
})

test("what is appended while a write is under way is written together and flushed once", async () => {
  const { fs, log } = recordingFs()
  const journal = await openFileJournal(newFile(), { mode: "new", fs })
  log.length = 0
  const appends = [0, 1, 2, 3].map((n) =>
    journal.append([{ n }], { at: n, flush: n > 1 }).then(() => log.push(`${n} done`)),
  )
  await Promise.all(appends)
  assert.deepEqual(log, [
    'write {"n":0}',
    "0 done",
    'write {"n":1}\n{"n":2}\n{"n":3}',
    "1 done",
    "datasync",
    "2 done",
    "3 done",
  ])
  await journal.close()
})

test("closing flushes what was not, and only then", async () => {
  const { fs, log } = recordingFs()
  const journal = await openFileJournal(newFile(), { mode: "new", fs })
  await journal.append([{ n: 1 }], { at: 0, flush: false })
  log.length = 0
  await journal.close()
  assert.deepEqual(log, ["datasync"])

  const again = await openFileJournal(journal.file, { mode: "existing", fs })
  await again.append([{ n: 2 }], { at: 1, flush: true })
  log.length = 0
  await again.close()
  assert.deepEqual(log, [])
})

test("after a failed write every append fails with the same error, which names file and cause", async () => {
  const { fs } = recordingFs({ write: (call) => (call === 2 ? "ENOSPC" : undefined) })
  const journal = await openFileJournal(newFile(), { mode: "new", fs })
  await journal.append([{ n: 0 }], { at: 0, flush: false })
  const failing = [1, 2, 3].map((n) => journal.append([{ n }], { at: n, flush: false }))
  const failed = {
    code: "journal",
    message: `${journal.file} cannot be written: the disk is full; the run stops here and can be resumed`,
  }
  for (const append of failing) await assert.rejects(append, failed)
  await assert.rejects(journal.append([{ n: 4 }], { at: 4, flush: true }), failed)
  assert.deepEqual(await journal.read(), [{ n: 0 }])
  await journal.close()
  await (await openFileJournal(journal.file, { mode: "existing" })).close()
})

test("after a failed flush an append that wanted it fails, and every later one", async () => {
  const { fs } = recordingFs({ datasync: () => "EIO" })
  const journal = await openFileJournal(newFile(), { mode: "new", fs })
  await journal.append([{ n: 0 }], { at: 0, flush: false })
  await assert.rejects(journal.append([{ n: 1 }], { at: 1, flush: true }), {
    code: "journal",
    message: /the disk failed/,
  })
  await assert.rejects(journal.append([{ n: 2 }], { at: 2, flush: false }), {
    code: "journal",
    message: /the disk failed/,
  })
  await journal.close()
})

test("a flush that fails at the close is told, and the lock is given back", async () => {
  const { fs } = recordingFs({ datasync: () => "EIO" })
  const journal = await openFileJournal(newFile(), { mode: "new", fs })
  await journal.append([{ n: 0 }], { at: 0, flush: false })
  await assert.rejects(journal.close(), { code: "journal", message: /the disk failed/ })
  await (await openFileJournal(journal.file, { mode: "existing" })).close()
})

test("a write that takes only a part of the bytes is continued", async () => {
  const { fs } = recordingFs()
  const short: JournalFs = {
    async open(...args) {
      const handle = await fs.open(...args)
      return { ...handle, write: (buffer, offset, length) => handle.write(buffer, offset, Math.min(length, 3)) }
    },
  }
  const journal = await openFileJournal(newFile(), { mode: "new", fs: short })
  await journal.append([{ text: "漢字" }, { n: 2 }], { at: 0, flush: true })
  assert.deepEqual(await journal.read(), [{ text: "漢字" }, { n: 2 }])
  await journal.close()
})
