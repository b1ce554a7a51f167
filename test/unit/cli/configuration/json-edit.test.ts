import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { jsonWith } from "../../../../src/cli/configuration/json-edit.ts"

describe("a JSON text that is to say something else", () => {
  const cases: [string, string, unknown, string][] = [
    [
      "keeps its spaces where nothing is said of them",
      '{ "a": 1,  "b": [1] }\n',
      { a: 1, b: [1, 2] },
      '{ "a": 1,  "b": [1, 2] }\n',
    ],
    ["keeps the order of its members", '{\n\t"b": 1,\n\t"a": 2\n}', { a: 3, b: 1 }, '{\n\t"b": 1,\n\t"a": 3\n}'],
    [
      "gets what is new at the end, indented as the rest",
      '{\n    "a": 1\n}\n',
      { a: 1, b: { c: ["x"] } },
      '{\n    "a": 1,\n    "b": {\n        "c": ["x"]\n    }\n}\n',
    ],
    [
      "loses a member with its comma",
      '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}',
      { a: 1, c: 3 },
      '{\n  "a": 1,\n  "c": 3\n}',
    ],
    ["loses its first member", '{ "a": 1, "b": 2 }', { b: 2 }, '{ "b": 2 }'],
    ["loses its last members, and gets another", '{ "a": 1, "b": 2, "c": 3 }', { a: 1, d: 4 }, '{ "a": 1, "d": 4 }'],
    ["is empty at the end", '{\n  "a": 1\n}\n', {}, "{}\n"],
    ["stays on one line where it was", '{"a":1}', { a: 1, b: { c: 2 } }, '{"a":1,"b":{"c":2}}'],
    ["stays on one line with its spaces", '{ "a": 1 }', { a: 1, b: { c: [2, 3] } }, '{ "a": 1, "b": { "c": [2, 3] } }'],
    [
      "keeps the line ends of another system",
      '{\r\n  "a": 1\r\n}\r\n',
      { a: 1, b: 2 },
      '{\r\n  "a": 1,\r\n  "b": 2\r\n}\r\n',
    ],
    ["keeps its byte order mark", '\uFEFF{ "a": 1 }', { a: 2 }, '\uFEFF{ "a": 2 }'],
    ["keeps numbers as they are written", '{ "a": 1.0, "b": 1e3 }', { a: 1, b: 5 }, '{ "a": 1.0, "b": 5 }'],
    ["says a name that came twice once more", '{ "a": 1, "a": 2 }', { a: 3 }, '{ "a": 1, "a": 3 }'],
    ["loses a name that came twice", '{ "a": 1, "b": 0, "a": 2 }', { b: 0 }, '{ "b": 0 }'],
    ["is made where there was none", "", { a: { b: [] } }, '{\n  "a": {\n    "b": []\n  }\n}\n'],
  ]
  for (const [title, text, value, expected] of cases) {
    it(title, () => assert.equal(jsonWith(text, value), expected))
  }
  it("says it, whatever it said before", () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))
    const space = fc.constantFrom(undefined, 2, "\t")
    fc.assert(
      fc.property(object, object, space, fc.boolean(), (before, after, unit, isMerged) => {
        const plain = (it: unknown) => JSON.parse(JSON.stringify(it))
        const [old, wanted] = [plain(before), plain(isMerged ? { ...before, ...after } : after)]
        assert.deepEqual(JSON.parse(jsonWith(JSON.stringify(old, undefined, unit), wanted)), wanted)
      }),
    )
  })
})
