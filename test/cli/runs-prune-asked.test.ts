import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { appendFileSync, chmodSync, chownSync, existsSync, renameSync, rmSync } from "node:fs"
import { describe, it } from "node:test"
import { openRun } from "../../src/index.ts"
import { program } from "../support/program.ts"
import type { Started } from "./command-line.ts"
import { placeWithRuns } from "./kept-runs.ts"

/** The line that names the keys comes when they count. */
async function asksWhether(asked: Started): Promise<void> {
  await asked.shows("Delete them?")
  await asked.shows("Enter confirms")
}

describe("runs prune without a yes", () => {
  it("with nobody there deletes nothing, lists, and ends with the command that does: exit 3", async (t) => {
    const { prune, put, held } = placeWithRuns(t)
    const { runId } = put({ status: "pending" })
    const before = held()
    const ran = await prune(["--status", "pending", "--older-than", "36h"])
    assert.equal(ran.code, 3)
    assert.match(ran.out, /pending +40d/)
    assert.match(ran.err, /^nothing is deleted: nobody could be asked \(there is no terminal\)$/m)
    assert.equal(ran.lastLine, "toolnexus runs prune --older-than 36h --status pending --yes")
    assert.match((await prune(["--no-input", runId])).err, /nobody is asked with --no-input[\s\S]*prune \S+ --yes\n$/)
    assert.deepEqual(held(), before)
    assert.equal((await prune(["--status", "pending", "--older-than", "36h", "--yes"])).code, 0)
    assert.deepEqual(held(), {})
  })
  it("only lists with --dry-run: exit 0", async (t) => {
    const { prune, put, held } = placeWithRuns(t)
    put()
    const before = held()
    const ran = await prune(["--dry-run"])
    assert.deepEqual([ran.code, /^would be deleted: 1 run, \d+(\.\d)? KiB$/m.test(ran.out)], [0, true])
    assert.deepEqual(held(), before)
    assert.equal((await prune(["--dry-run", "--yes"])).code, 2)
  })
  it("asks at the terminal: Enter alone does nothing, and a choice deletes", async (t) => {
    const { start, put, held } = placeWithRuns(t)
    put({ prompt: "tidy\x1b[2K up" })
    put({ status: "pending" })
    const kept = held()
    const asked = start()
    await asked.shows("tidy<U+001B>[2K up")
    await asked.shows("Enter confirms")
    asked.type("\r")
    await asked.shows("choose one first")
    asked.type("\x1b[B")
    await asked.shows("> 1. Delete for good")
    asked.type("\r")
    const ran = await asked.ran
    assert.equal(ran.code, 0, ran.err)
    assert.match(ran.out, /^deleted: 1 run, \d+(\.\d)? KiB\n$/)
    assert.equal(Object.keys(held()).length, Object.keys(kept).length - 2)
  })
  for (const [how, key, code] of [
    ["Keep everything", "2", 5],
    ["Ctrl-C", "\x03", 5],
    ["Ctrl-D", "\x04", 3],
  ] as const) {
    it(`keeps everything after ${how}: exit ${code}`, async (t) => {
      const { start, put, held } = placeWithRuns(t)
      put()
      const before = held()
      const asked = start()
      await asksWhether(asked)
      asked.type(key)
      if (key === "2") {
        await asked.shows("> 2. Keep everything")
        asked.type("\r")
      }
      const ran = await asked.ran
      assert.equal(ran.code, code)
      assert.match(ran.err, /^nothing is deleted$/m)
      assert.deepEqual(held(), before)
    })
  }
  it("keeps everything after SIGTERM: exit 143", async (t) => {
    const { start, put, held } = placeWithRuns(t)
    put()
    const before = held()
    const asked = start()
    await asksWhether(asked)
    asked.signal("SIGTERM")
    assert.equal((await asked.ran).code, 143)
    assert.deepEqual(held(), before)
  })
})

describe("runs prune and others at the same time", () => {
  const saysYes = async (asked: Started) => {
    asked.type("1")
    await asked.shows("> 1. Delete for good")
    asked.type("\r")
    return asked.ran
  }
  it("keeps a run that somebody opened while the question was there", async (t) => {
    for (const named of ["by rule", "by name"]) {
      const { start, put, held } = placeWithRuns(t)
      const [used, free] = [put(), put()]
      const asked = start(named === "by name" ? [used.runId, free.runId] : [])
      await asksWhether(asked)
      const journal = await openRun(used.file, { mode: "existing" })
      const ran = await saysYes(asked)
      await journal.close()
      assert.equal(ran.code, named === "by name" ? 5 : 0)
      assert.match(ran.err, /^kept: \S+ is in use by process/m)
      assert.deepEqual(Object.keys(held()).sort(), [used.file, `${used.file}.lock`, used.entry].sort())
    }
  })
  it("keeps a run that somebody went on with and left again while the question was there", async (t) => {
    const { start, put, read } = placeWithRuns(t)
    const used = put()
    const asked = start()
    await asksWhether(asked)
    const last = read(used.file.slice(used.file.indexOf("state")))
      .trimEnd()
      .split("\n")
      .at(-1)
    appendFileSync(used.file, `${last}\n`)
    const ran = await saysYes(asked)
    assert.deepEqual([ran.code, existsSync(used.file), existsSync(used.entry)], [0, true, true])
    assert.match(ran.err, /^kept: \S+ was written to after it was looked at$/m)
  })
  it("stops at a signal after the run that it is at, and says what is deleted: exit 130", async (t) => {
    const { start, put, held } = placeWithRuns(t)
    const runs = Array.from({ length: 20 }, () => put())
    const before = held()
    const pruning = start(["--yes"])
    while (runs.every(({ file }) => existsSync(file))) await new Promise((resolve) => setImmediate(resolve))
    pruning.signal("SIGINT")
    const ran = await pruning.ran
    const gone = runs.filter(({ file }) => !existsSync(file))
    assert.equal(ran.code, 130)
    assert.ok(gone.length < 20)
    assert.match(ran.out, new RegExp(`^deleted: ${gone.length} runs?, `, "m"))
    for (const { file, entry } of gone) for (const path of [file, entry]) delete before[path]
    assert.deepEqual(held(), before)
  })
  it("says in JSON of each run what became of it", async (t) => {
    const { start, put } = placeWithRuns(t)
    const [free, used, changed, gone] = [put(), put(), put(), put()]
    const asked = start(["--output", "json"])
    await asksWhether(asked)
    const journal = await openRun(used.file, { mode: "existing" })
    appendFileSync(changed.file, "\n")
    rmSync(gone.file)
    const { json } = await saysYes(asked)
    await journal.close()
    type Told = { runId: string; deleted: boolean; why?: string; error?: { code: string } }
    const told = (json.runs as Told[]).map(({ runId, deleted, why, error }) => [runId, [deleted, why, error?.code]])
    assert.deepEqual(Object.fromEntries(told), {
      [free.runId]: [true, undefined, undefined],
      [used.runId]: [false, "failed", "in_use"],
      [changed.runId]: [false, "changed", undefined],
      [gone.runId]: [false, "gone", undefined],
    })
    assert.equal(json.freedBytes, json.runs.find(({ runId }: Told) => runId === free.runId).bytes)
  })
  it("is content with what another one has deleted while the question was there", async (t) => {
    const { start, put, prune, held } = placeWithRuns(t)
    put()
    rmSync(put().file)
    const asked = start()
    await asksWhether(asked)
    await prune(["--yes"])
    const ran = await saysYes(asked)
    assert.equal(ran.code, 0)
    assert.match(ran.err, /^nothing is deleted\ngone already: /m)
    assert.deepEqual(held(), {})
  })
  it("does not forget a run that was moved while the question was there", async (t) => {
    const { start, put, path, run } = placeWithRuns(t)
    const moved = put({ status: "pending" })
    const asked = start(["--all"])
    await asksWhether(asked)
    renameSync(moved.file, path("saved.run.jsonl"))
    assert.equal((await saysYes(asked)).code, 0)
    assert.equal(existsSync(moved.entry), true)
    assert.equal((await run(["runs", "show", "saved.run.jsonl"])).code, 0)
  })
})

describe("runs prune where a folder cannot be written to", {
  skip: process.getuid?.() !== 0 && "needs root, to become somebody else",
}, () => {
  const PROGRAM = `import { main, processIo } from "./src/cli/main.ts"
    process.exitCode = await main(process.argv.slice(2), processIo())`
  const NOBODY = 65534

  for (const [folder, told, stays] of [
    ["runs", /^toolnexus: \S+ cannot be locked: permission denied /m, [true, true]],
    [
      "known",
      /^toolnexus: \S+ is deleted, but not all that belongs to it \(permission denied\): mend that/m,
      [false, true],
    ],
  ] as const) {
    it(`fails in one line for the folder ${folder}, and deletes nothing of which it then knows nothing: exit 1`, (t) => {
      const { dir, put, runs, known } = placeWithRuns(t)
      const { file, entry } = put()
      for (const path of [runs, known, file, entry]) chownSync(path, NOBODY, NOBODY)
      for (const path of [dir, `${dir}/state`]) chmodSync(path, 0o755)
      chmodSync(folder === "runs" ? runs : known, 0o500)
      const nobody = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"]
      const command = [process.execPath, program({ code: PROGRAM }), "runs", "prune", "--yes"]
      const env = { TOOLNEXUS_STATE_DIR: `${dir}/state` }
      const ran = spawnSync("/usr/bin/setpriv", [...nobody, ...command], { cwd: dir, encoding: "utf8", env })
      assert.equal(ran.status, 1, ran.stderr)
      assert.match(ran.stderr, told)
      assert.deepEqual([existsSync(file), existsSync(entry)], stays)
    })
  }
})
