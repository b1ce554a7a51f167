import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { test } from "node:test"
import { KEYS } from "../support/pty.ts"
import { workplace } from "../support/workplace.ts"
import { keptRuns } from "./kept-runs.ts"

const bin = resolve(import.meta.dirname, "../../bin/toolnexus.js")

test("in a terminal, runs prune shows what would go, takes no early Enter for a yes, and deletes after one", async (t) => {
  const { terminal, stateFolder } = await workplace(t, [])
  const { put, held } = keptRuns(stateFolder)
  const old = Array.from({ length: 30 }, (_, at) => put({ prompt: `job ${at} \u001b[2K\u202E` }))
  const kept = put({ status: "pending" })
  const pty = terminal(["runs", "prune"], { rows: 20 })
  pty.type(KEYS.enter + KEYS.enter)
  while (!(await pty.waitFor(/shows more|Enter confirms/)).includes("Enter confirms")) {
    const before = pty.scrollback()
    pty.type(" ")
    await pty.waitFor(() => pty.scrollback() !== before && /shows more|Enter confirms/.test(pty.screen()))
  }
  const shown = pty.scrollback()
  for (let at = 0; at < 30; at++) assert.match(shown, new RegExp(`done +40d +[\\d.]+ KiB +job ${at} <U`), `${at}`)
  assert.ok(old.every(({ file }) => existsSync(file)))
  pty.type(KEYS.enter)
  await pty.waitFor("choose one first")
  pty.type(KEYS.down)
  await pty.waitFor("> 1. Delete for good")
  pty.type(KEYS.enter)
  assert.deepEqual(await pty.exit, { code: 0, signal: undefined })
  assert.match(pty.scrollback(), /deleted: 30 runs, \d+ KiB/)
  assert.deepEqual(Object.keys(held()).sort(), [kept.file, kept.entry].sort())
})

test("in a terminal, Ctrl-C at the question deletes nothing", async (t) => {
  const { terminal, stateFolder } = await workplace(t, [])
  const { put, held } = keptRuns(stateFolder)
  put()
  const before = held()
  const pty = terminal(["runs", "prune"])
  await pty.waitFor("Enter confirms")
  pty.type(KEYS.ctrlC)
  assert.deepEqual(await pty.exit, { code: 5, signal: undefined })
  assert.match(pty.scrollback(), /nothing is deleted/)
  assert.deepEqual(held(), before)
})

test("four processes that prune at once delete everything once, and leave nothing", async (t) => {
  const { env, stateFolder } = await workplace(t, [])
  const { put, held } = keptRuns(stateFolder)
  for (let at = 0; at < 25; at++) put()
  const ends = await Promise.all(
    Array.from({ length: 4 }, () => ended([bin, "runs", "prune", "--yes", "--output", "json"], env)),
  )
  assert.deepEqual(
    ends.map(({ code }) => code),
    [0, 0, 0, 0],
    ends.map(({ err }) => err).join("\n"),
  )
  const deleted = ends.flatMap(({ out }) => JSON.parse(out).runs.filter((it: { deleted: boolean }) => it.deleted))
  assert.equal(deleted.length, 25)
  assert.deepEqual(held(), {})
})

interface Ended {
  code: number | null
  out: string
  err: string
}

function ended(argv: string[], env: Record<string, string>): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, argv, { env: { ...process.env, ...env } }, (_error, out, err) =>
      resolve({ code: child.exitCode, out, err }),
    )
  })
}
