import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { jsonText } from "../../../../src/cli/terminal/json-text.ts"
import { jsonLine } from "../../../../src/cli/words/json-line.ts"

test("a line of JSON is the same JSON, with nothing in it that a terminal obeys", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const line = jsonLine({ [text]: [text] })
      assert.deepEqual(JSON.parse(line), { [text]: [text] })
      assert.doesNotMatch(line.slice(0, -1), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u)
    }),
  )
})

for (const [what, value, text] of [
  [
    "control characters stand for themselves, to be shown as everywhere else",
    "a\x1b\b\t\r\f\x00",
    '"a\x1b\b\t\r\f\x00"',
  ],
  ["a newline, a quote and a backslash stay written", 'a\n"\\', '"a\\n\\"\\\\"'],
  ["a backslash before what looks like an escape is a backslash", "\\u001b\\b", '"\\\\u001b\\\\b"'],
  ["half of a character stands for itself", "a\uD800", '"a\uD800"'],
  ["what is no JSON is said", undefined, "none"],
] as const) {
  test(`JSON to read: ${what}`, () => assert.equal(jsonText(value), text))
}
