import assert from "node:assert/strict"
import { test } from "node:test"
import type { JSONSchema } from "../../../src/tool/tool.ts"
import { createSchemaCheck } from "../../../src/tools/schema-check.ts"

const toolOf = (inputSchema: JSONSchema) => ({ name: "t", description: "", inputSchema, source: "native" as const })

async function problemOf(inputSchema: JSONSchema, input: unknown): Promise<string | undefined> {
  const problem = await createSchemaCheck(assert.fail).check(toolOf(inputSchema), input)
  return problem?.replace(/^The arguments do not fit the schema of t: (.*)\. Nothing was run\.$/, "$1")
}

const object = (properties: JSONSchema, more: JSONSchema = {}): JSONSchema => ({ type: "object", properties, ...more })

test("what fits has no problem", async () => {
  assert.equal(await problemOf(object({ n: { type: "integer" } }), { n: 1, more: true }), undefined)
  assert.equal(await problemOf(object({}), { anything: 1 }), undefined)
})

test("nothing is coerced, filled in or taken away", async () => {
  const input = { n: "1", extra: true }
  assert.equal(await problemOf(object({ n: { type: "number" }, d: { default: 1 } }), input), "n must be number")
  assert.deepEqual(input, { n: "1", extra: true })
})

test("a problem names where it is and what was expected", async () => {
  const schema = object(
    {
      list: { type: "array", items: object({ "a/b": { type: "string" } }) },
      mode: { enum: ["fast", "slow"] },
      always: { const: 1 },
    },
    { required: ["mode"], additionalProperties: false },
  )
  const input = { list: [{ "a/b": 1 }], always: 2, extra: 1 }
  assert.equal(
    await problemOf(schema, input),
    'mode is missing; extra is not a parameter; list[0]["a/b"] must be string; always must be 1',
  )
  assert.equal(await problemOf(schema, { mode: "x" }), 'mode must be one of ["fast","slow"]')
})

test("many problems are not all listed", async () => {
  const problem = await problemOf(object({}, { required: [..."abcdefgh"] }), {})
  assert.equal(problem, "a is missing; b is missing; c is missing; d is missing; e is missing; and 3 more")
})

test("what is no object does not fit a tool without parameters", async () => {
  assert.equal(await problemOf(object({}), []), "the whole must be object")
})

test("an inherited member is not there", async () => {
  assert.equal(await problemOf(object({}, { required: ["constructor"] }), {}), "constructor is missing")
})

test("a schema counts as draft-07, and as 2020-12 where it says so", async () => {
  const tuple = { prefixItems: [{ type: "string" }] }
  assert.equal(await problemOf(object({ t: tuple }), { t: [1] }), undefined)
  const $schema = "https://json-schema.org/draft/2020-12/schema"
  assert.equal(await problemOf({ ...object({ t: tuple }), $schema }, { t: [1] }), "t[0] must be string")
  const old = { $schema: "http://json-schema.org/draft-04/schema#", ...object({ n: { type: "number" } }) }
  assert.equal(await problemOf(old, { n: "x" }), "n must be number")
})

test("two schemas with one $id do not get in each other's way", async () => {
  const check = createSchemaCheck(assert.fail)
  const first = { $id: "same", ...object({ n: { type: "number" } }) }
  const second = { $id: "same", ...object({ n: { type: "string" } }) }
  assert.match((await check.check(toolOf(first), { n: "x" })) ?? "", /n must be number/)
  assert.equal(await check.check(toolOf(second), { n: "x" }), undefined)
})

test("a schema may refer to itself and to its own parts", async () => {
  const list = { $id: "https://example.test/list.json", ...object({ next: { $ref: "#" }, n: { $ref: "#/$defs/n" } }) }
  const schema = { ...list, $defs: { n: { type: "number" } } }
  assert.equal(await problemOf(schema, { next: { next: { n: "x" } } }), "next.next.n must be number")
})

test("a pattern that is no Unicode regular expression is understood all the same", async () => {
  assert.equal(await problemOf(object({ s: { type: "string", pattern: "^[\\w-.]+$" } }), { s: "a.b" }), undefined)
})

test("a schema that cannot be compiled is reported once, and not checked", async () => {
  for (const broken of [
    object({ n: { type: "nonsense" } }),
    object({ n: { $ref: "https://example.test/elsewhere.json" } }),
    object({ s: { type: "string", pattern: "(" } }),
  ]) {
    const warnings: string[] = []
    const check = createSchemaCheck((warning) => warnings.push(warning))
    const inputs = [{ n: 1 }, { n: 2 }]
    const problems = await Promise.all(inputs.map((input) => check.check(toolOf(broken), input)))
    assert.deepEqual(problems, [undefined, undefined])
    assert.equal(await check.check(toolOf(broken), {}), undefined)
    assert.equal(warnings.length, 1)
    assert.match(warnings[0] ?? "", /^the schema of tool t cannot be compiled, so its arguments are not checked: /)
  }
})

test("a schema that says it is checked later is checked now", async () => {
  const problem = await problemOf({ $async: true, ...object({ n: { type: "number" } }) }, { n: "x" })
  assert.equal(problem, "n must be number")
})

test("what is nested too deeply for a schema that refers to itself is a problem, not a crash", async () => {
  const schema = { ...object({ next: { $ref: "#" } }), required: ["n"] }
  let input: Record<string, unknown> = { n: 1 }
  for (let depth = 0; depth < 200_000; depth++) input = { n: 1, next: input }
  assert.match((await problemOf(schema, input)) ?? "", /cannot be checked against the schema of t/)
})
