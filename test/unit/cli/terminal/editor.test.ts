import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { edit, type Typed } from "../../../../src/cli/terminal/editor.ts"
import type { Key, KeyName } from "../../../../src/cli/terminal/keys.ts"

/** `|` is the cursor. */
const typed = (shown: string): Typed => ({ text: shown.replace("|", ""), cursor: shown.indexOf("|") })
const shown = ({ text, cursor }: Typed) => `${text.slice(0, cursor)}|${text.slice(cursor)}`

const CASES: [from: string, key: KeyName, to: string][] = [
  ["ab|c", "backspace", "a|c"],
  ["|abc", "backspace", "|abc"],
  ["ab|c", "delete", "ab|"],
  ["a🎉|", "backspace", "a|"],
  ["ae\u0301|", "backspace", "a|"],
  ["a|🎉b", "right", "a🎉|b"],
  ["ab|", "left", "a|b"],
  ["one\ntwo|", "home", "one\n|two"],
  ["o|ne\ntwo", "end", "one|\ntwo"],
  ["|\ntwo", "home", "|\ntwo"],
  ["one\ntw|o", "up", "on|e\ntwo"],
  ["a\nlonger|", "up", "a|\nlonger"],
  ["on|e\ntwo", "down", "one\ntw|o"],
  ["lon|ger\nab", "down", "longer\nab|"],
  ["one|", "down", "one|"],
  ["one two|", "word left", "one |two"],
  ["|one two", "word right", "one| two"],
  ["one two  |", "erase word", "one |"],
  ["one\ntwo|", "erase to start", "one\n|"],
  ["o|ne\ntwo", "erase to end", "o|\ntwo"],
  ["a|b", "newline", "a\n|b"],
  ["a|b", "unknown", "a|b"],
  ["a|b", "escape", "a|b"],
]

for (const [from, name, to] of CASES) {
  test(`${name} makes ${JSON.stringify(from)} ${JSON.stringify(to)}`, () => {
    assert.equal(shown(edit(typed(from), { type: "press", name })), to)
  })
}

test("a paste is put in where the cursor is, whole", () => {
  const pasted = edit(typed("a|b"), { type: "paste", text: "1\n2", by: "read" })
  assert.equal(shown(pasted), "a1\n2|b")
})

test("whatever is pressed, the cursor stays between characters", () => {
  const names = [...new Set(CASES.map(([, name]) => name))]
  const press = fc.constantFrom(...names).map((name): Key => ({ type: "press", name }))
  const character = fc
    .constantFrom("a", "🎉", "日", "\n", " ")
    .map((text): Key => ({ type: "paste", text, by: "read" }))
  fc.assert(
    fc.property(fc.array(fc.oneof(press, character), { maxLength: 60 }), (keys) => {
      const end = keys.reduce(edit, { text: "", cursor: 0 })
      assert.ok(end.cursor >= 0 && end.cursor <= end.text.length)
      assert.doesNotMatch(`${end.text.slice(0, end.cursor)}|${end.text.slice(end.cursor)}`, /\p{Cs}/u)
    }),
    {
      numRuns: 3000,
      examples: [
        [[..."🎉\na"].map((text): Key => ({ type: "paste", text, by: "read" })).concat({ type: "press", name: "up" })],
      ],
    },
  )
})
