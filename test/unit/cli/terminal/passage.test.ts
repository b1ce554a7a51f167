import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { clip, columnsOf, wrap } from "../../../../src/cli/terminal/columns.ts"
import { linesAfter, quoted, rowsOf, said } from "../../../../src/cli/terminal/passage.ts"

const line = fc.string({ unit: fc.constantFrom("a", " ", "日", "🎉", "é", "e\u0301", "-") })

test("a line is cut into rows that fit, and nothing is dropped", () => {
  fc.assert(
    fc.property(line, fc.integer({ min: 2, max: 12 }), (text, columns) => {
      const rows = wrap(text, columns)
      assert.equal(rows.join(""), text)
      assert.ok(rows.every((row) => columnsOf(row) <= columns))
    }),
  )
})

test("a clipped line fits and says that something is missing", () => {
  assert.equal(clip("short", 10), "short")
  assert.equal(clip("日本語日本語", 7), "日本語…")
})

test("every row of text from elsewhere has the margin, so that none passes for a line of ours", () => {
  const rows = rowsOf(quoted(`${"x".repeat(15)}\nfolder: /safe`), 10)
  assert.deepEqual(
    rows.map(({ text }) => text),
    ["  | xxxxxx", "  | xxxxxx", "  | xxx", "  | folder", "  | : /saf", "  | e"],
  )
})

test("page by page, in whatever sizes, every row is shown once and in order", () => {
  const lines = fc.array(
    line.map((text) => said(text)),
    { maxLength: 12 },
  )
  fc.assert(
    fc.property(lines, fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }), (all, sizes) => {
      let rest: ReturnType<typeof linesAfter> = all
      let text = ""
      for (let page = 0; rest.length > 0; page++) {
        const columns = 6 + (page % 3)
        const rows = rowsOf(rest, columns).slice(0, sizes[page % sizes.length])
        text += rows.map((row) => row.text).join("")
        rest = linesAfter(rest, rows.length, columns)
      }
      assert.equal(text, all.map((each) => each.text).join(""))
    }),
  )
})
