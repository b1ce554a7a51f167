import assert from "node:assert/strict"
import { test } from "node:test"
import { jsonProblem, parsedJson } from "../../../../src/cli/words/json-problem.ts"

const PROBLEMS: Record<string, string> = {
  " \n": "it is empty",
  "[": "line 1, column 2: it ends here and is not complete",
  '[\n  {"name": "a"},\n]': "line 3, column 1: a value must stand here",
  '[\n  {"name": "a"}\n  {"name": "b"}\n]': "line 3, column 3: a comma or ] must stand here",
  "[{'name': 1}]": "line 1, column 3: a name in double quotes or } must stand here",
  '{"a":1,}': "line 1, column 8: a name in double quotes must stand here",
  '[{"name": undefined}]': "line 1, column 11: a value must stand here",
  "[,]": "line 1, column 2: a value or ] must stand here",
  '[{"a" 1}]': "line 1, column 7: a colon must stand here",
  '[{"a": "x\ny"}]': "line 1, column 10: a line end or control character in a text must be written as an escape",
  '["\\q"]': "line 1, column 3: this is no escape of JSON",
  '["sk-live': "line 1, column 2: a text begins here and is not ended",
  '[{"a": 1, "b": 01}]': "line 1, column 17: a comma or } must stand here",
  "[] // comment": "line 1, column 4: it should have ended before",
}

test("what is wrong with a text that is no JSON is said with its place", () => {
  for (const [text, problem] of Object.entries(PROBLEMS)) assert.equal(jsonProblem(text), problem)
})

test("nothing that a text holds is said of it, wherever it breaks", () => {
  for (const text of [
    "sk-live-4242",
    "TOKEN=sk-live-4242\n",
    '{"key":sk-live-4242}',
    '["sk-live-4242',
    '{"sk-live-4242" 1}',
  ])
    assert.doesNotMatch(jsonProblem(text), /sk|live|4242|TOKEN/)
})

test("a problem is found in what JSON.parse refuses, and in nothing else", () => {
  const whole = '[ {"a\\u00e9\\n": -1.5e+3, "b": [true, null]},\t{}, [], "x", 0 ]'
  const places = [...whole].map((_, at) => at)
  const texts = [
    ...places.map((at) => whole.slice(0, at)),
    ...places.flatMap((at) => [...'{}[],:"\\ 0e-\n\u00a0u'].map((it) => whole.slice(0, at) + it + whole.slice(at + 1))),
  ]
  for (const text of [whole, ...texts]) {
    const found = /^(?:it is empty|line \d+, column \d+: .+)$/.test(jsonProblem(text))
    assert.equal(found, isBroken(text), JSON.stringify(text))
  }
})

function repeated(text: string): string | undefined {
  try {
    parsedJson(text, (fact) => new Error(fact))
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

test("a name that an object says twice is found at its place, however it is written; in two objects it may stand", () => {
  assert.match(repeated('[{"ok":true,\n"o\\u006b":false}]') ?? "", /\(line 2, column 1\)/)
  assert.match(repeated('{"__proto__":1,"a":{"b":1},"__proto__":2}') ?? "", /\(line 1, column 28\)/)
  assert.equal(repeated('[{"a":{"a":"a"},"b":["a","a",{"b":1}]},{"a":1}]'), undefined)
})

test("a text of millions of escapes or brackets is walked through all the same", () => {
  const many = 2_000_000
  assert.match(jsonProblem(`["${"\\n".repeat(many)}`), /is not ended$/)
  assert.match(jsonProblem("[".repeat(many)), /is not complete$/)
})

function isBroken(text: string): boolean {
  try {
    JSON.parse(text)
    return false
  } catch {
    return true
  }
}
