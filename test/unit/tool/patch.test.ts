import assert from "node:assert/strict"
import { test } from "node:test"
import { parsePatch } from "../../../src/tool/patch.ts"

function files(text: string) {
  const parsed = parsePatch(text)
  assert.ok("files" in parsed, JSON.stringify(parsed))
  return parsed.files
}
const names = (text: string) => files(text).map(({ from, to }) => [from, to])
const problem = (text: string) => {
  const parsed = parsePatch(text)
  return "problem" in parsed ? parsed.problem : JSON.stringify(parsed)
}
const HUNK = "@@ -1 +1 @@\n-a\n+b\n"

test("names stand with and without git's marks", () => {
  assert.deepEqual(names(`--- a/x\n+++ b/x\n${HUNK}`), [["x", "x"]])
  assert.deepEqual(names(`--- x\n+++ x\n${HUNK}`), [["x", "x"]])
  assert.deepEqual(names(`--- a/x\n+++ a/x\n${HUNK}`), [["a/x", "a/x"]])
  assert.deepEqual(names(`--- a/x\t2026-01-01\n+++ b/x\t2026-01-01\n${HUNK}`), [["x", "x"]])
  assert.deepEqual(names(`--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n`), [[undefined, "x"]])
  assert.deepEqual(names(`--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n`), [["x", undefined]])
  assert.deepEqual(names(`--- "a/\\303\\244 \\"\\t"\n+++ "b/\\303\\244 \\"\\t"\n${HUNK}`), [['ä "\t', 'ä "\t']])
  assert.deepEqual(names(`--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n`), [["x", "x"]])
})

test("git's headers rename, make, delete and say who may run it", () => {
  const text =
    "diff --git a/one b/two\nsimilarity index 100%\nrename from one\nrename to two\n" +
    "diff --git a/new b/new\nnew file mode 100755\nindex 000..111\n" +
    "diff --git a/old b/old\ndeleted file mode 100644\n" +
    "diff --git a/run b/run\nold mode 100644\nnew mode 100755\n"
  assert.deepEqual(
    files(text).map(({ from, to, executable }) => [from, to, executable]),
    [
      ["one", "two", undefined],
      [undefined, "new", true],
      ["old", undefined, undefined],
      ["run", "run", true],
    ],
  )
})

test("several files and hunks come apart, with words before them", () => {
  const text = `Here it is:\n\n--- a/x\n+++ b/x\n${HUNK}@@ -9 +9 @@\n-c\n+d\n\n--- a/y\n+++ b/y\n${HUNK}`
  assert.deepEqual(
    files(text).map(({ from, hunks }) => [from, hunks.map(({ line }) => line)]),
    [
      ["x", [1, 9]],
      ["y", [1]],
    ],
  )
})

test("a removed line that looks like a file's name is a line", () => {
  const [file, ...others] = files("--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n--- old.sql\n kept\n")
  assert.deepEqual(others, [])
  assert.deepEqual(file?.hunks[0]?.lines[0], { kind: "removed", text: "-- old.sql\n" })
  const pair = files("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- old\n+++ new\n kept\n")
  assert.equal(pair.length, 1)
})

test("wrong counts and a bare header are read by what stands there", () => {
  const [file] = files("--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\n-b\n+c\n\n+d\n--- a/y\n+++ b/y\n@@ @@\n-e\n+f\n")
  assert.deepEqual(
    file?.hunks[0]?.lines.map(({ kind, text }) => kind + text),
    ["kepta\n", "removedb\n", "addedc\n", "kept\n", "addedd\n"],
  )
})

test("what cannot be read is told with its line", () => {
  assert.match(problem(""), /^No file is named in it/)
  assert.match(problem("*** Begin Patch\n*** Update File: x\n*** End Patch"), /^No file is named in it/)
  assert.match(problem(HUNK), /^Line 1: a hunk stands before any file's name/)
  assert.match(problem("--- a/x\n+++ b/x\n"), /no hunk/)
  assert.match(problem("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\nwhat\n+b\n"), /^Line 5: a line of a hunk begins with/)
  assert.match(problem("--- a/x\n+++ b/x\n@@ -1 +1 @@\n a\n"), /^Line 3: the hunk changes nothing/)
  assert.match(problem("--- a/x\n+++ b/x\n@@ -one\n-a\n"), /^Line 3: this is no hunk's header/)
  assert.match(problem("--- /dev/null\n+++ /dev/null\n@@ -0,0 +1 @@\n+a\n"), /both names are \/dev\/null/)
  assert.match(
    problem("diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+t\n"),
    /only regular files/,
  )
  assert.match(problem("diff --git a/x b/x\nGIT binary patch\n"), /a binary patch/)
  assert.match(problem("diff --git a/x b/y\ncopy from x\ncopy to y\n"), /copies/)
})

test("reading is quick, whatever is sent", () => {
  const started = performance.now()
  parsePatch("@@\n".repeat(50_000))
  parsePatch(`--- a/x\n+++ b/x\n${"@@ -1,99999 +1,99999 @@\n-a\n".repeat(5_000)}`)
  parsePatch(`${"--- a/x\n".repeat(50_000)}`)
  parsePatch(`diff --git ${"a/x b/x ".repeat(5_000)}`)
  assert.ok(performance.now() - started < 5_000)
})
