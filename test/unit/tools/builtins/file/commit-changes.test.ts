import assert from "node:assert/strict"
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs"
import { test } from "node:test"
import type { Change } from "../../../../../src/tools/builtins/file/change.ts"
import { commitChanges } from "../../../../../src/tools/builtins/file/commit-changes.ts"
import { stampOf, takeSnapshot } from "../../../../../src/tools/builtins/file/snapshot.ts"
import { type Folder, temporaryFolder } from "../../../../support/folder.ts"

async function change(folder: Folder, name: string, after: string | undefined): Promise<Change> {
  const file = folder.at(name)
  const before = await takeSnapshot(name, file, undefined)
  return { path: name, file, before, after: after === undefined ? undefined : { bytes: Buffer.from(after) } }
}

/** A change that passes every check and then fails, for root too: a folder is no file that can be deleted. */
async function impossible(folder: Folder): Promise<Change> {
  mkdirSync(folder.at("folder"))
  const stamp = (await stampOf("folder", folder.at("folder"))) ?? ""
  const before = { sha256: "", size: 0, mode: 0o644, owner: { uid: 0, gid: 0 }, stamp, bytes: Buffer.alloc(0) }
  return { path: "folder", file: folder.at("folder"), before, after: undefined }
}

test("what was changed is put back when a later change fails", async () => {
  const folder = temporaryFolder({ changed: "1", deleted: "2" })
  chmodSync(folder.at("changed"), 0o751)
  const changes = [
    await change(folder, "changed", "one"),
    await change(folder, "deleted", undefined),
    await change(folder, "new/and/deep", "x"),
    await impossible(folder),
  ]
  await assert.rejects(commitChanges(changes, undefined), {
    message: /^folder (?:is a folder|may not be accessed.*)\. Nothing was changed$/,
  })
  assert.deepEqual([folder.text("changed"), folder.text("deleted")], ["1", "2"])
  assert.equal(statSync(folder.at("changed")).mode & 0o777, 0o751)
  assert.deepEqual(readdirSync(folder.path).sort(), ["changed", "deleted", "folder"])
})

test("a folder that was made on the way and is used by others meanwhile stays, and that is told", async () => {
  const folder = temporaryFolder()
  const [made, failing] = [await change(folder, "new/x", "x"), await impossible(folder)]
  const signal = {
    throwIfAborted() {
      writeFileSync(folder.at("new/theirs"), "y")
    },
  } as AbortSignal
  await assert.rejects(commitChanges([made, failing], signal), {
    message: /NOT put back: .*new \(the folder is not empty\)/,
  })
  assert.deepEqual(readdirSync(folder.at("new")), ["theirs"])
})

test("a file that was touched after it was looked at is left alone, and all others too", async () => {
  for (const touch of ["change", "delete", "make"] as const) {
    const folder = temporaryFolder({ a: "1", b: "2" })
    const changes = [
      await change(folder, "a", "one"),
      await change(folder, "b", "two"),
      await change(folder, "c", "three"),
    ]
    if (touch === "change") writeFileSync(folder.at("b"), "mine")
    if (touch === "delete") unlinkSync(folder.at("b"))
    if (touch === "make") writeFileSync(folder.at("c"), "mine")
    await assert.rejects(commitChanges(changes, undefined), { message: /by someone else|is not there/ })
    assert.equal(folder.text("a"), "1")
    assert.equal(folder.text(touch === "make" ? "c" : "a"), touch === "make" ? "mine" : "1")
    assert.deepEqual(
      readdirSync(folder.path).filter((name) => name.includes("toolnexus")),
      [],
    )
  }
})

test("an abort before the first change leaves everything as it is", async () => {
  const folder = temporaryFolder({ a: "1" })
  const changes = [await change(folder, "a", "one")]
  await assert.rejects(commitChanges(changes, AbortSignal.abort(new Error("stopped"))), {
    message: "stopped. Nothing was changed",
  })
  assert.deepEqual([folder.text("a"), readdirSync(folder.path)], ["1", ["a"]])
})

test("a folder that became a link is not written through, before and after the content stands beside its file", async () => {
  for (const when of ["before", "after"] as const) {
    const folder = temporaryFolder({ "in/f": "1", "out/f": "theirs" })
    const move = () => {
      renameSync(folder.at("in"), folder.at("moved"))
      symlinkSync("out", folder.at("in"))
    }
    const changes = [await change(folder, "in/f", "one"), await change(folder, "in/deep/g", "x")]
    if (when === "before") move()
    const signal = { throwIfAborted: () => (when === "after" ? move() : undefined) } as AbortSignal
    await assert.rejects(commitChanges(changes, signal), { message: /^in\/f leads elsewhere/ })
    assert.deepEqual([folder.text("out/f"), readdirSync(folder.at("out"))], ["theirs", ["f"]])
    assert.equal(folder.text("moved/f"), "1")
  }
})
