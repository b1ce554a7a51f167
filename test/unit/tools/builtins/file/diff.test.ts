import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { parsePatch } from "../../../../../src/tool/patch.ts"
import { applyHunks } from "../../../../../src/tools/builtins/file/apply-hunks.ts"
import type { Change } from "../../../../../src/tools/builtins/file/change.ts"
import { diffLines } from "../../../../../src/tools/builtins/file/diff-lines.ts"
import { renderDiff } from "../../../../../src/tools/builtins/file/render-diff.ts"

function change(before: string, after: string): Change {
  const bytes = Buffer.from(before)
  const snapshot = { sha256: "", size: bytes.length, mode: 0o644, owner: { uid: 0, gid: 0 }, stamp: "", bytes }
  return { path: "f", file: "/f", before: snapshot, after: { bytes: Buffer.from(after) } }
}

const lines = fc.array(fc.constantFrom("a", "b", "c", "-- x", "++ y", "@@", ""), { maxLength: 40 })
const text = fc
  .tuple(lines, fc.constantFrom("", "\n"))
  .map(([all, end]) => (all.length === 0 ? "" : all.join("\n") + end))

test("a diff, read and applied as a patch, gives the new text", () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      fc.pre(before !== after)
      const diff = renderDiff([change(before, after)])
      const parsed = parsePatch(diff)
      assert.ok("files" in parsed, diff)
      assert.equal(applyHunks("f", before, parsed.files[0]?.hunks ?? []), after, diff)
    }),
    { numRuns: 2000 },
  )
})

test("a diff is the shortest one", () => {
  const shortest = (a: string[], b: string[]): number => {
    let row = b.map((_, at) => at + 1)
    for (const [i, left] of a.entries()) {
      const next: number[] = []
      for (const [j, right] of b.entries()) {
        const diagonal = j === 0 ? i : (row[j - 1] ?? 0)
        next.push(left === right ? diagonal : Math.min(row[j] ?? 0, j === 0 ? i + 1 : (next[j - 1] ?? 0)) + 1)
      }
      row = next
    }
    return b.length === 0 ? a.length : (row.at(-1) ?? 0)
  }
  fc.assert(
    fc.property(lines, lines, (a, b) => {
      const changed = diffLines(a, b).filter(({ kind }) => kind !== "same")
      assert.equal(
        changed.reduce((sum, { length }) => sum + length, 0),
        shortest(a, b),
      )
    }),
    { numRuns: 1000 },
  )
})

test("two long texts that have nothing in common are compared all the same", () => {
  const a = Array.from({ length: 200_000 }, (_, at) => `a${at}`)
  const b = Array.from({ length: 200_000 }, (_, at) => `b${at}`)
  assert.deepEqual(
    diffLines(a, b).map(({ kind, length }) => [kind, length]),
    [
      ["removed", 200_000],
      ["added", 200_000],
    ],
  )
})

test("where all line ends are CRLF it is said once, else each is shown", () => {
  assert.equal(
    renderDiff([change("a\r\nb\r\n", "a\r\nc\r\n")]),
    "--- a/f\n+++ b/f\n(all line ends: CRLF)\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n",
  )
  assert.equal(renderDiff([change("a\r\n", "a\n")]), "--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-a\r\n+a\n")
})

test("a name cannot pretend to be another line of the diff", () => {
  const path = "x\n+++ b/harmless\u202e"
  assert.match(renderDiff([{ ...change("a\n", "b\n"), path }]), /^--- "a\/x\\n\+\+\+ b\/harmless.*"\n\+\+\+ "b\/x\\n/)
})
