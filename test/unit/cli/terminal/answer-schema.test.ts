import assert from "node:assert/strict"
import { test } from "node:test"
import { loadAnswerSchema } from "../../../../src/cli/terminal/answer-schema.ts"
import { describe } from "../../../../src/cli/terminal/describe.ts"

const FITTING: [schema: object, typed: string, output: string][] = [
  [{ type: "string" }, " 42 ", " 42 "],
  [{ type: "integer" }, " 42\n", "42"],
  [{ type: "number", minimum: 1 }, "1.5", "1.5"],
  [{ type: "array", items: { type: "string" } }, '["a"]', '["a"]'],
  [{ type: "object", required: ["a"] }, '{"a": 1}', '{"a": 1}'],
  [{ type: ["integer", "null"] }, "null", "null"],
  [{ type: "integer", $schema: "https://json-schema.org/draft/2020-12/schema" }, "7", "7"],
  [{}, "anything", "anything"],
]

for (const [schema, typed, output] of FITTING) {
  test(`${JSON.stringify(typed)} fits ${JSON.stringify(schema)} and is given as ${JSON.stringify(output)}`, async () => {
    const loaded = await loadAnswerSchema(schema)
    assert.equal(loaded?.problemOf(typed), undefined)
    assert.equal(loaded?.outputOf(typed), output)
  })
}

const UNFITTING: [schema: object, typed: string, reason: RegExp][] = [
  [{ type: "integer" }, "4.5", /integer/],
  [{ type: "integer", minimum: 1 }, "four", /^It must be a whole number, at least 1\.$/],
  [{ type: "object" }, "four", /not JSON/],
  [{ type: "string", minLength: 3 }, "ab", /3 characters/],
  [{ type: "string", pattern: "^v\\d" }, "1", /pattern/],
  [{ type: "array", items: { type: "string" } }, "[1]", /string/],
]

for (const [schema, typed, reason] of UNFITTING) {
  test(`${JSON.stringify(typed)} does not fit ${JSON.stringify(schema)}, and the reason is said`, async () => {
    const loaded = await loadAnswerSchema(schema)
    assert.match(loaded?.problemOf(typed) ?? "", reason)
  })
}

test("values to choose from are offered as the outputs that they give", async () => {
  assert.deepEqual((await loadAnswerSchema({ type: "boolean" }))?.choices, ["true", "false"])
  assert.deepEqual((await loadAnswerSchema({ enum: ["a", "b"] }))?.choices, ["a", "b"])
  assert.deepEqual((await loadAnswerSchema({ enum: [1, "b", null] }))?.choices, ["1", '"b"', "null"])
  assert.equal((await loadAnswerSchema({ type: "string" }))?.choices, undefined)
})

test("a schema that cannot be compiled asks for text and checks nothing", async () => {
  const loaded = await loadAnswerSchema({ type: "string", pattern: "(" })
  assert.equal(loaded?.problemOf("x"), undefined)
  assert.equal(await loadAnswerSchema("no schema"), undefined)
})

test("what is expected is said with its limits, and the schema is not shown as JSON besides", async () => {
  for (const [schema, words] of [
    [{ type: "number", minimum: 0 }, "a number, at least 0"],
    [{ type: "integer", exclusiveMinimum: 0, maximum: 9 }, "a whole number, more than 0, at most 9"],
    [{ type: "string", minLength: 1, pattern: "^v" }, "text, at least 1 character, of the pattern ^v"],
    [{ type: ["integer", "null"] }, "a whole number or null"],
  ] as const) {
    assert.equal((await loadAnswerSchema(schema))?.expects, words)
  }
  const shown = (schema: object) => describe({ id: "r", kind: "input", prompt: "?", data: { schema } }, "/").length
  assert.equal(shown({ type: "number", minimum: 0 }), shown({ type: "string", enum: ["a"] }))
  assert.ok(shown({ type: "number", not: { const: 5 } }) > shown({ type: "number" }))
})
