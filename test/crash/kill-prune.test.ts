import assert from "node:assert/strict"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { type TestContext, test } from "node:test"
import { readRun } from "../../src/index.ts"
import { keptRuns } from "../cli/kept-runs.ts"

const BIN = resolve(import.meta.dirname, "../../bin/toolnexus.js")
const ROUNDS = process.env.TOOLNEXUS_TEST_SIZE === "long" ? 60 : 6

function stateOf(t: TestContext) {
  const path = mkdtempSync(join(tmpdir(), "toolnexus-kill-prune-"))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  const start = (...argv: string[]) =>
    spawn(process.execPath, [BIN, ...argv], {
      stdio: "ignore",
      env: { PATH: process.env.PATH ?? "", HOME: path, TOOLNEXUS_STATE_DIR: path },
    })
  return { ...keptRuns(path), start }
}

async function codeOf(child: ChildProcess): Promise<number | null> {
  const [code] = await once(child, "exit")
  return code
}

/** In turns of the event loop, so that it is killed wherever it is. */
async function until(holds: () => boolean, child: ChildProcess): Promise<void> {
  while (!holds() && child.exitCode === null) await new Promise((resolve) => setImmediate(resolve))
}

test("killed in the middle, runs prune leaves each run whole or gone, and the next one deletes the rest", async (t) => {
  for (let round = 0; round < ROUNDS; round++) {
    const { put, held, start } = stateOf(t)
    const runs = Array.from({ length: 30 }, () => put())
    const before = held()
    const child = start("runs", "prune", "--yes")
    const few = 1 + round * 4
    await until(() => runs.filter(({ file }) => !existsSync(file)).length >= few, child)
    child.kill("SIGKILL")
    if (child.exitCode === null) await codeOf(child)
    const now = held()
    for (const { file, entry } of runs.filter((it) => existsSync(it.file)))
      assert.deepEqual([now[file], now[entry]], [before[file], before[entry]])
    assert.equal(await codeOf(start("runs", "prune", "--yes")), 0)
    assert.deepEqual(held(), {})
  }
})

test("where an answer is recorded while its run is deleted, one of them is refused, or both are done one after the other", async (t) => {
  for (let round = 0; round < ROUNDS; round++) {
    const { put, start } = stateOf(t)
    const { file, entry } = put({ status: "pending" })
    const asked = (await readRun(file)).result.suspended?.find(({ kind }) => kind === "input")
    const answering = start("answer", file, "--answer", `${asked?.id}=staging`, "--no-input")
    const pruning = start("runs", "prune", "--yes", file)
    const [answered, pruned] = await Promise.all([codeOf(answering), codeOf(pruning)])
    assert.ok([0, 5].includes(answered ?? -1) && [0, 5].includes(pruned ?? -1), `${answered} ${pruned}`)
    assert.equal(answered === 5 && pruned === 5, false)
    assert.deepEqual([existsSync(file), existsSync(entry)], pruned === 0 ? [false, false] : [true, true])
    if (pruned === 5) assert.equal((await readRun(file)).recorded.length, 1)
  }
})
