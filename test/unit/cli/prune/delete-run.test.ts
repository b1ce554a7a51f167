import assert from "node:assert/strict"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"
import { type Deletion, deleteEntry, deleteRun } from "../../../../src/cli/prune/delete-run.ts"
import { type OwnRuns, readOwnRuns } from "../../../../src/cli/prune/own-runs.ts"
import { stateFolder } from "../../../../src/cli/state/state-folder.ts"
import { keptRuns } from "../../../cli/kept-runs.ts"

function folder(t: TestContext) {
  const path = mkdtempSync(join(tmpdir(), "toolnexus-delete-"))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  const uid = process.getuid?.()
  const state = stateFolder({ path, named: "by the user" }, uid)
  return { ...keptRuns(path), look: () => readOwnRuns(state, uid, assert.ifError) }
}

/** Removes so many files, and fails then: an end in the middle. */
function removing(count: number): (path: string) => void {
  let left = count
  return (path) => {
    if (left-- === 0) throw Object.assign(new Error("EACCES"), { code: "EACCES" })
    rmSync(path, { force: true })
  }
}

async function deleteAllIn({ runs, lost }: OwnRuns): Promise<Deletion[]> {
  return [...(await Promise.all(runs.map((run) => deleteRun(run)))), ...lost.map((entry) => deleteEntry(entry))]
}

describe("deleting a run", () => {
  it("that ends in the middle leaves the whole run, or what the next one finds and finishes", async (t) => {
    for (const count of [0, 1, 2]) {
      const { put, look, held } = folder(t)
      const { file, entry } = put()
      const before = held()
      const { runs } = await look()
      const [run] = runs
      assert.ok(run)
      const deletion = await deleteRun(run, removing(count))
      assert.ok(deletion.is === "failed" && deletion.error.code === "journal")
      assert.match(deletion.error.message, count === 0 ? /cannot be deleted \(permission/ : /is deleted, but not all/)
      assert.deepEqual([existsSync(file), existsSync(entry)], [count === 0, true])
      if (count === 0) assert.equal(held()[file], before[file])
      const left = await look()
      assert.deepEqual([left.runs.length, left.lost.length], count === 0 ? [1, 0] : [0, 1])
      assert.deepEqual(await deleteAllIn(left), [{ is: "deleted" }])
      assert.deepEqual(held(), {})
    }
  })
  it("lets go of its lock where it fails", async (t) => {
    const { put, look } = folder(t)
    put()
    for (let round = 0; round < 2; round++) {
      const [run] = (await look()).runs
      assert.ok(run)
      assert.equal(run.run.holder, undefined)
      assert.equal((await deleteRun(run, removing(round === 0 ? 0 : 9))).is, round === 0 ? "failed" : "deleted")
    }
  })
  it("by several at once is done by one of them, and nothing stays", async (t) => {
    const { put, look, held } = folder(t)
    for (let at = 0; at < 5; at++) put()
    const seen = await Promise.all([look(), look(), look()])
    const all = (await Promise.all(seen.map(deleteAllIn))).flat()
    assert.equal(all.filter(({ is }) => is === "deleted").length, 5)
    for (const deletion of all)
      assert.ok(deletion.is !== "changed" && (deletion.is !== "failed" || deletion.error.code === "in_use"))
    assert.deepEqual(held(), {})
  })
})

describe("deleting what is remembered of a run whose file is gone", () => {
  it("keeps it where the file is back, or it was written again", async (t) => {
    const { put, look, held } = folder(t)
    const [back, again] = [put(), put()]
    rmSync(back.file)
    rmSync(again.file)
    const { lost } = await look()
    writeFileSync(back.file, "")
    writeFileSync(again.entry, "{}")
    const before = held()
    assert.deepEqual(
      lost.map((entry) => deleteEntry(entry).is),
      ["changed", "changed"],
    )
    assert.deepEqual(held(), before)
  })
  it("that another one forgot is fine", async (t) => {
    const { put, look } = folder(t)
    rmSync(put().file)
    const { lost } = await look()
    assert.deepEqual(
      [...lost, ...lost].map((entry) => deleteEntry(entry).is),
      ["deleted", "gone"],
    )
  })
  it("fails where it cannot be removed, in one line", async (t) => {
    const { put, look } = folder(t)
    rmSync(put().file)
    const [entry] = (await look()).lost
    assert.ok(entry)
    const deletion = deleteEntry(entry, removing(0))
    assert.ok(deletion.is === "failed")
    assert.match(
      deletion.error.message,
      /^\S+\.json cannot be deleted \(permission denied\): mend that, and prune again$/,
    )
  })
})
