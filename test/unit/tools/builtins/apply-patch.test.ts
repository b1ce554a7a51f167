import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, readdirSync, statSync, symlinkSync } from "node:fs"
import { test } from "node:test"
import { temporaryFolder, workingFolder } from "../../../support/folder.ts"

const apply = async (files: Record<string, string>, patch: string) => {
  const folder = await workingFolder(files)
  return { folder, ...(await folder.call("apply_patch", { patch })) }
}

test("several files are changed, made, deleted and renamed in one", async () => {
  const { folder, output, isError } = await apply(
    { "src/a": "1\n2\n3\n", old: "gone\n", from: "x\ny\n" },
    "--- a/src/a\n+++ b/src/a\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n" +
      "--- /dev/null\n+++ b/new/deep/file\n@@ -0,0 +1,2 @@\n+p\n+q\n" +
      "--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n" +
      "diff --git a/from b/to\nrename from from\nrename to to\n--- a/from\n+++ b/to\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n",
  )
  assert.equal(output, "The patch is applied:\nchanged src/a\nmade new/deep/file\ndeleted old\nrenamed from to to")
  assert.equal(isError, false)
  assert.deepEqual(
    [folder.text("src/a"), folder.text("new/deep/file"), folder.text("to")],
    ["1\ntwo\n3\n", "p\nq\n", "x\nz\n"],
  )
  assert.deepEqual(readdirSync(folder.path).sort(), ["new", "src", "to"])
})

test("where one file does not fit, nothing at all is changed", async () => {
  const { folder, output, isError } = await apply(
    { a: "1\n", b: "2\n" },
    "--- /dev/null\n+++ b/new/x\n@@ -0,0 +1 @@\n+p\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+one\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-other\n+two\n",
  )
  assert.equal(isError, true)
  assert.equal(output, 'Hunk 1 of b does not fit: its lines are not in the file. Line 1 is "2", the patch has "other".')
  assert.deepEqual([folder.text("a"), folder.text("b"), readdirSync(folder.path).sort()], ["1\n", "2\n", ["a", "b"]])
})

test("a hunk whose line number is wrong is put where its lines are, if that is one place", async () => {
  const text = "a\nb\nc\nd\ne\nf\n"
  const wrong = "--- a/f\n+++ b/f\n@@ -40,2 +40,2 @@\n d\n-e\n+E\n"
  assert.equal((await apply({ f: text }, wrong)).folder.text("f"), "a\nb\nc\nd\nE\nf\n")
  const bare = "--- a/f\n+++ b/f\n@@ @@\n d\n-e\n+E\n"
  assert.equal((await apply({ f: text }, bare)).folder.text("f"), "a\nb\nc\nd\nE\nf\n")
  const twice = await apply({ f: "x\ny\nx\ny\n" }, "--- a/f\n+++ b/f\n@@ -9 +9 @@\n-y\n+z\n")
  assert.match(twice.output, /its lines are there 2 times, at lines 2, 4/)
  const said = await apply({ f: "x\ny\nx\ny\n" }, "--- a/f\n+++ b/f\n@@ -4 +4 @@\n-y\n+z\n")
  assert.equal(said.folder.text("f"), "x\ny\nx\nz\n")
})

test("later hunks count from where the earlier ones were put", async () => {
  const text = `${"x\n".repeat(5)}a\n${"x\n".repeat(5)}x\nb\n`
  const patch = "--- a/f\n+++ b/f\n@@ -3,1 +3,2 @@\n-a\n+A\n+A\n@@ -9,2 +10,2 @@\n-x\n+X\n b\n"
  assert.equal((await apply({ f: text }, patch)).folder.text("f"), `${"x\n".repeat(5)}A\nA\n${"x\n".repeat(5)}X\nb\n`)
})

test("line ends, byte order marks and a missing last line end stay", async () => {
  const patch = "--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n a\n-b\n+B\n+C\n"
  assert.equal((await apply({ f: "\uFEFFa\r\nb\r\n" }, patch)).folder.text("f"), "\uFEFFa\r\nB\r\nC\r\n")
  assert.equal((await apply({ f: "a\nb" }, patch)).folder.text("f"), "a\nB\nC")
  const marked = "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+B\n"
  assert.equal((await apply({ f: "a\nb" }, marked)).folder.text("f"), "a\nB\n")
  const unmarked = "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n\\ No newline at end of file\n"
  assert.equal((await apply({ f: "a\nb\n" }, unmarked)).folder.text("f"), "a\nB")
})

test("permissions stay, and change where the patch says so", async () => {
  const folder = await workingFolder({ f: "a\n", g: "b\n" })
  chmodSync(folder.at("f"), 0o640)
  chmodSync(folder.at("g"), 0o600)
  const patch =
    "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n" +
    "diff --git a/g b/h\nrename from g\nrename to h\n" +
    "diff --git a/n b/n\nnew file mode 100755\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n"
  const { diff } = await folder.preview("apply_patch", { patch })
  assert.match(diff, /^old mode 100640\nnew mode 100750\n/)
  assert.match(diff, /\nrename from g\nrename to h\n/)
  assert.match(diff, /\nnew file mode 100755\n--- \/dev\/null\n\+\+\+ b\/n\n/)
  assert.equal((await folder.call("apply_patch", { patch })).isError, false)
  const mode = (name: string) => (statSync(folder.at(name)).mode & 0o777).toString(8)
  assert.deepEqual([mode("f"), mode("h"), mode("n")], ["750", "600", "755"])
})

test("what would take something by surprise is refused", async () => {
  const hunk = "@@ -1 +1 @@\n-a\n+b\n"
  assert.match((await apply({ f: "a\n" }, `--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+b\n`)).output, /^f is there already/)
  assert.match((await apply({}, `--- a/f\n+++ b/f\n${hunk}`)).output, /^f is not there/)
  assert.match(
    (await apply({ f: "a\nb\n" }, "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n")).output,
    /does not take away all/,
  )
  assert.match(
    (await apply({ f: "a\n" }, `--- a/f\n+++ b/f\n${hunk}--- a/f\n+++ b/f\n${hunk}`)).output,
    /names f twice/,
  )
  assert.match((await apply({ f: "a\n" }, `--- a/f\n+++ b/f\n${hunk}--- a/./f\n+++ b/./f\n${hunk}`)).output, /twice/)
  assert.match((await apply({}, "not a patch")).output, /^The patch cannot be read\. No file is named/)
  const folder = await workingFolder({ f: "a\n" })
  symlinkSync("f", folder.at("link"))
  const patch = "--- a/link\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
  assert.match((await folder.call("apply_patch", { patch })).output, /link is a symbolic link/)
})

test("a file that was changed after the diff was shown is not overwritten, nor is any other of the patch", async () => {
  const folder = await workingFolder({ a: "1\n", b: "2\n2\n" })
  const patch = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+one\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-2\n+two\n"
  const { basis } = await folder.preview("apply_patch", { patch })
  folder.put("b", "2\nmine\n")
  assert.equal((await folder.call("apply_patch", { patch }, { basis })).isError, true)
  assert.deepEqual([folder.text("a"), folder.text("b")], ["1\n", "2\nmine\n"])
})

test("the diff that is shown is one that patch and git apply to the same files", async (t) => {
  const { folder } = await apply({}, "x")
  const before = Array.from({ length: 60 }, (_, at) => `line ${at}\n`).join("")
  folder.put("f", before)
  folder.put("gone", "x\ny")
  const edits =
    "@@ -3 +3 @@\n-line 2\n+LINE 2\n@@ -30,2 +30,1 @@\n-line 29\n-line 30\n+one\n@@ -60 +59,2 @@\n line 59\n+end\n"
  const patch = `--- a/f\n+++ b/f\n${edits}--- a/gone\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x\n-y\n--- /dev/null\n+++ b/made\n@@ -0,0 +1 @@\n+m\n`
  const { diff } = await folder.preview("apply_patch", { patch })
  const other = temporaryFolder({ f: before, gone: "x\ny", "the.diff": diff })
  const git = spawnSync("git", ["apply", "the.diff"], { cwd: other.path, encoding: "utf8" })
  if (git.error) return t.skip("git is not installed")
  assert.equal(git.status, 0, git.stderr + diff)
  assert.equal((await folder.call("apply_patch", { patch })).isError, false)
  assert.equal(other.text("f"), folder.text("f"))
  assert.equal(other.text("made"), folder.text("made"))
  assert.equal(existsSync(other.at("gone")), false)
})
