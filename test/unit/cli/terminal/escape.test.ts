import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { escapeLine, escapeProse, escapeText } from "../../../../src/cli/terminal/escape.ts"

const SHOWN: [name: string, text: string, shown: string][] = [
  ["an erasing sequence", "rm -rf /\x1b[2K\rls", "rm -rf /<U+001B>[2K<U+000D>ls"],
  ["text turned round", "safe\u202Egnp.exe", "safe<U+202E>gnp.exe"],
  ["a tab", "a\tb", "a<U+0009>b"],
  ["a C1 control", "\x9b31m", "<U+009B>31m"],
  ["a space that is none of ours", "a\u00A0b\u3000c\u2007", "a<U+00A0>b<U+3000>c<U+2007>"],
  ["line and paragraph separators", "a\u2028b\u2029c", "a<U+2028>b<U+2029>c"],
  ["private use", "\uE000\u{10FFFD}", "<U+E000><U+10FFFD>"],
  ["unassigned", "\u0378\u{E0FFF}", "<U+0378><U+E0FFF>"],
  ["default-ignorable", "\u034F\u115F\u3164\uFE0F\u200D\u{E0100}", "<U+034F><U+115F><U+3164><U+FE0F><U+200D><U+E0100>"],
  ["invisible tags", "\u{E0041}", "<U+E0041>"],
  ["half a character", "a\uD800b", "a<U+D800>b"],
  ["what people write", "äöü ß 日本語 → 🎉 e\u0301", "äöü ß 日本語 → 🎉 e\u0301"],
]

for (const [name, text, shown] of SHOWN) {
  test(`${name} is shown, not obeyed`, () => assert.equal(escapeText(text), shown))
}

test("only a newline is obeyed in text, and none in a line", () => {
  assert.equal(escapeText("a\nb\r\nc"), "a\nb<U+000D>\nc")
  assert.equal(escapeLine("a\nb"), "a<U+000A>b")
})

test("whatever the text, nothing of it moves a cursor, hides or passes for a space", () => {
  const anything = fc.string({ unit: "binary", maxLength: 200 })
  const loneHalves = fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 50 })
    .map((units) => String.fromCharCode(...units))
  fc.assert(
    fc.property(fc.oneof(anything, loneHalves), (text) => {
      const left = escapeText(text).replaceAll("\n", "").replaceAll(" ", "")
      assert.doesNotMatch(left, /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u)
    }),
  )
})

test("whatever the text, what is harmless stays as it is and in order", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme-ascii" }), (text) => assert.equal(escapeText(text), text)))
})

test("prose keeps what shapes letters, tabs and the spaces of other scripts, and nothing that is obeyed", () => {
  const prose = "a\tb\u00A0c\u3000d \u{1F469}\u200D\u{1F4BB} ❤\uFE0F"
  assert.equal(escapeProse(prose), prose)
  assert.equal(
    escapeProse("a\x1b[2Kb\rc\u202Ed\u200Be\x9b\u2028"),
    "a<U+001B>[2Kb<U+000D>c<U+202E>d<U+200B>e<U+009B><U+2028>",
  )
})
