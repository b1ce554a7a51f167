import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { parseArguments } from "../../../src/tools/parse-arguments.ts"

test("an object is taken as it is, and no text at all is an empty one", () => {
  assert.deepEqual(parseArguments('{"a":[1,"x",null]}'), { input: { a: [1, "x", null] } })
  assert.deepEqual(parseArguments(""), { input: {} })
  assert.deepEqual(parseArguments(" \n"), { input: {} })
})

test("what is no JSON object is a problem in words for the model", () => {
  assert.match(
    parseArguments('{"a":').problem ?? "",
    /^The arguments are not valid JSON \(.*\)\. Send one JSON object\.$/,
  )
  assert.equal(parseArguments("[1]").problem, "The arguments must be a JSON object, got array.")
  assert.equal(parseArguments("null").problem, "The arguments must be a JSON object, got null.")
  assert.equal(parseArguments('"{}"').problem, "The arguments must be a JSON object, got string.")
})

const LOST = ["9007199254740993", "-9007199254740993", "123456789012345678901", "9007199254740993.0", "1e999", "-1e999"]
for (const number of LOST) {
  test(`the number ${number} would be changed, so the call does not run with it`, () => {
    assert.match(
      parseArguments(`{"deep":[{"id": ${number}}]}`).problem ?? "",
      new RegExp(`the number ${number}, which cannot be held exactly`),
    )
  })
}

const KEPT = [
  "9007199254740991",
  "-9007199254740991",
  "9007199254740992",
  "10000000000000000",
  "1.0",
  "0.1",
  "6.02e23",
  "-0",
  "1e308",
]
for (const number of KEPT) {
  test(`the number ${number} is kept`, () => {
    assert.deepEqual(parseArguments(`{"n":${number}}`), { input: { n: Number(number) } })
  })
}

test("numbers and brackets in strings and keys are text", () => {
  const input = { 'a"9007199254740993': 'x\\"9007199254740993\\', b: "[[[", c: '"' }
  assert.deepEqual(parseArguments(JSON.stringify(input)), { input })
})

test("a very long number is not shown whole", () => {
  assert.ok((parseArguments(`{"n":${"9".repeat(100_000)}}`).problem ?? "").length < 250)
})

test("nesting that would break what reads it later is a problem", () => {
  const nested = (depth: number) => `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`
  assert.deepEqual(Object.keys(parseArguments(nested(199))), ["input"])
  assert.match(parseArguments(nested(200)).problem ?? "", /nested more than 200 levels deep/)
  assert.match(parseArguments(nested(1_000_000)).problem ?? "", /nested|valid JSON/)
})

test("a long string is no trouble", () => {
  const input = { text: 'a\\"'.repeat(2_000_000) }
  assert.deepEqual(parseArguments(JSON.stringify(input)).input, input)
})

test("a key that names the prototype is a key", () => {
  const { input } = parseArguments('{"__proto__":{"x":1}}')
  assert.deepEqual(Object.keys(input ?? {}), ["__proto__"])
  assert.equal((input as { x?: number }).x, undefined)
})

test("any object that JSON can say comes back equal", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
      const raw = JSON.stringify(object)
      const parsed = parseArguments(raw)
      // What is refused holds a whole number beyond the safe ones, written out.
      if ("problem" in parsed && parsed.problem !== undefined) assert.match(raw, /\d{16}/)
      else assert.deepEqual(parsed.input, JSON.parse(raw))
    }),
  )
})
