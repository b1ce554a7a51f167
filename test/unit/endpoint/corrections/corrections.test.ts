import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { openCorrections } from "../../../../src/endpoint/corrections/corrections.ts"
import { refusedNames } from "../../../../src/endpoint/corrections/refused-names.ts"
import { withoutKeyword } from "../../../../src/endpoint/corrections/schema-keywords.ts"
import { replyError } from "../../../../src/endpoint/errors/provider-error.ts"

type Body = Record<string, unknown>

const url = new URL("https://a.test/v1/chat/completions")

function refused(body: unknown, status = 400) {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  return replyError({ status, headers: {}, text, url, now: 0, keySent: false, secrets: [] })
}

/** What is sent after a refusal; `undefined` where it is reported at once. */
function correctedBy(error: unknown, body: Body, status = 400): Body | undefined {
  return openCorrections().learn(refused(error, status), body)?.body
}

const SCHEMA = {
  type: "object",
  additionalProperties: false,
  properties: {
    format: { type: "string", format: "date-time", pattern: "^2" },
    size: { type: "integer", minimum: 1 },
  },
  required: ["format"],
}
const BODY: Body = {
  model: "m",
  temperature: 0.2,
  stream: true,
  stream_options: { include_usage: true },
  tools: [{ type: "function", function: { name: "log", description: "d", parameters: SCHEMA, strict: true } }],
  messages: [
    { role: "user", content: "hi" },
    {
      role: "assistant",
      content: null,
      reasoning_content: "hm",
      tool_calls: [{ index: 0, id: "a", type: "function" }],
    },
  ],
}
const SENT = [
  ...["temperature", "stream_options", "include_usage", "strict", "reasoning_content", "index"],
  ...["additionalProperties", "format", "pattern", "minimum", "$schema", "oneOf", "allOf"],
]

describe("the names that an error refuses", () => {
  const REFUSALS: [said: string, ...names: string[]][] = [
    ["Unknown field: additionalProperties", "additionalProperties"],
    ["'format' is not supported", "format"],
    [`Invalid JSON payload received. Unknown name "$schema" at 'tools[0].parameters': Cannot find field.`, "$schema"],
    [
      `Unknown name "additionalProperties" at 'tools[0].function_declarations[0].parameters': Cannot find field.\nUnknown name "pattern" at 'x.format[0]': Cannot find field.`,
      "additionalProperties",
      "pattern",
    ],
    [
      "Invalid schema for function 'format': In context=('properties', 'minimum'), 'pattern' is not permitted.",
      "pattern",
    ],
    ["Invalid schema: the keyword oneOf is not allowed", "oneOf"],
    ["Unsupported parameter: 'temperature' is not supported with this model.", "temperature"],
    ["Unsupported value: 'temperature' does not support 0.2 with this model.", "temperature"],
    ["temperature is not supported", "temperature"],
    ["Unrecognized request argument supplied: stream_options", "stream_options"],
    ["Unrecognized request arguments supplied: format, temperature", "temperature", "format"],
    ["body.stream_options.include_usage: Extra inputs are not permitted", "include_usage"],
    ["#: extraneous key [strict] is not permitted, please reformat your input and try again.", "strict"],
    ["Additional properties are not allowed ('strict' was unexpected)", "strict"],
    ['json: unknown field "stream_options"', "stream_options"],
    [
      "Failed to deserialize the JSON body: unknown field `strict`, expected one of `stream_options`, `temperature`",
      "strict",
    ],
    ["messages.1: property 'reasoning_content' is unsupported", "reasoning_content"],
    ["litellm.UnsupportedParamsError: x does not support parameters: {'temperature': 0.2}, for model=m", "temperature"],
    [
      "tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level",
      "oneOf",
      "allOf",
    ],
    // These refuse none of them.
    ["Invalid value for 'temperature': must be at most 2"],
    ["In context=(), 'additionalProperties' is required to be supplied and to be false."],
    ["The request's format is not supported"],
    ["The model does not support tools in this format"],
    ["format: this is the wrong one"],
    ["'temperaturex' is not supported"],
    [""],
  ]
  for (const [said, ...names] of REFUSALS) {
    it(`are ${names.join(", ") || "none"}: ${said}`, () => assert.deepEqual(refusedNames(said, SENT), names))
  }
})

describe("a corrected request", () => {
  const toolOf = (body: Body | undefined) => (body as { tools: { function: Body }[] } | undefined)?.tools[0]?.function

  it("has no such keyword in any schema, and still the property of that name", () => {
    const corrected = correctedBy({ error: { message: "'format' is not supported" } }, BODY)
    assert.deepEqual(toolOf(corrected)?.parameters, {
      ...SCHEMA,
      properties: { ...SCHEMA.properties, format: { type: "string", pattern: "^2" } },
    })
  })

  it("lacks all that one error names, and nothing else", () => {
    const message = `Unknown name "additionalProperties" at 'a.b': Cannot find field.\nUnknown name "minimum" at 'a.c': Cannot find field.`
    const corrected = correctedBy([{ error: { code: 400, message, status: "INVALID_ARGUMENT" } }], BODY)
    const { additionalProperties: _, ...rest } = SCHEMA
    const size = { type: "integer" }
    assert.deepEqual(toolOf(corrected)?.parameters, { ...rest, properties: { ...SCHEMA.properties, size } })
    assert.deepEqual({ ...corrected, tools: BODY.tools }, BODY)
  })

  it("lacks what was refused of a tool, a message or a call, and keeps the order of the rest", () => {
    const error = (name: string) => ({ detail: [{ loc: ["body", name], msg: "Extra inputs are not permitted" }] })
    assert.ok(!("strict" in (toolOf(correctedBy(error("strict"), BODY, 422)) ?? {})))
    assert.doesNotMatch(JSON.stringify(correctedBy(error("reasoning_content"), BODY)), /reasoning_content/)
    assert.doesNotMatch(JSON.stringify(correctedBy(error("index"), BODY)), /"index"/)
    assert.deepEqual(Object.keys(correctedBy(error("temperature"), BODY) ?? {}), [
      "model",
      "stream",
      "stream_options",
      "tools",
      "messages",
    ])
  })

  it("has no member left that is empty by it", () => {
    const corrected = correctedBy({ detail: [{ loc: ["stream_options", "include_usage"], msg: "Extra inputs" }] }, BODY)
    assert.ok(corrected && !("stream_options" in corrected))
  })

  it("keeps what a request is made of, and what a model said", () => {
    const said = { role: "assistant", content: [{ type: "tool_use", id: "a", name: "x", input: { ttl: 1 } }] }
    const body = { model: "m", messages: [said], tools: [{ name: "x", cache_control: { type: "e", ttl: "1h" } }] }
    assert.equal(correctedBy("'messages' is not supported", body), undefined)
    const corrected = correctedBy("tools.0.cache_control.ttl: Extra inputs are not permitted", body)
    assert.deepEqual(corrected, { ...body, tools: [{ name: "x", cache_control: { type: "e" } }] })
  })

  it("has no thinking that another endpoint signed, and what this one thinks later", () => {
    const foreign = { type: "thinking", thinking: "hm", signature: "theirs" }
    const own = { type: "thinking", thinking: "so", signature: "ours" }
    const text = { type: "text", text: "x" }
    const assistant = (...content: object[]) => ({ role: "assistant", content })
    const user = { role: "user", content: [text] }
    const corrections = openCorrections()
    const error = refused("messages.1.content.0: Invalid `signature` in `thinking` block")
    const learnt = corrections.learn(error, { messages: [user, assistant(foreign, text), user, assistant(foreign)] })
    assert.deepEqual(learnt, { body: { messages: [user, assistant(text), user] }, leftOut: [] })
    const later = { messages: [user, assistant(foreign, text), user, assistant(own, text)] }
    assert.deepEqual(corrections.apply(later), { messages: [user, assistant(text), user, assistant(own, text)] })
    assert.equal(correctedBy("Invalid `signature` in `thinking` block", { messages: [user] }), undefined)
  })

  it("is not made for other errors", () => {
    assert.equal(correctedBy("'temperature' is not supported", BODY, 404), undefined)
    assert.equal(correctedBy("temperature must be at most 2", BODY), undefined)
    assert.equal(correctedBy("<html><title>400 Bad Request</title></html>", BODY), undefined)
  })
})

describe("a schema without a keyword", () => {
  const CASES: [keyword: string, schema: Body, instead: Body][] = [
    ["const", { const: "a" }, { enum: ["a"] }],
    ["oneOf", { oneOf: [{ type: "string" }, { oneOf: [] }] }, { anyOf: [{ type: "string" }, { anyOf: [] }] }],
    ["type", { type: ["string", "null"] }, { anyOf: [{ type: "string" }, { type: "null" }] }],
    ["type", { type: "string" }, { type: "string" }],
    ["default", { properties: { default: { default: 1 } } }, { properties: { default: {} } }],
    [
      "title",
      { items: [{ title: "a" }], not: { title: "b" }, enum: [{ title: "c" }] },
      { items: [{}], not: {}, enum: [{ title: "c" }] },
    ],
    [
      "$defs",
      { $defs: { A: { type: "string" } }, properties: { a: { $ref: "#/$defs/A", description: "d" } } },
      { properties: { a: { type: "string", description: "d" } } },
    ],
    [
      "$ref",
      { definitions: { T: { items: { $ref: "#/definitions/T" } } }, properties: { t: { $ref: "#/definitions/T" } } },
      { properties: { t: { items: {} } } },
    ],
  ]
  for (const [keyword, schema, instead] of CASES) {
    it(`${keyword}: ${JSON.stringify(schema)}`, () => assert.deepEqual(withoutKeyword(schema, keyword, "all"), instead))
  }

  it("is not made huge by references to references", () => {
    const refs = (name: string) => Array.from({ length: 10 }, () => ({ $ref: `#/$defs/${name}` }))
    const names = Array.from({ length: 9 }, (_, at) => `d${at}`)
    const $defs = Object.fromEntries(names.map((name, at) => [name, { anyOf: refs(`d${at + 1}`) }]))
    const flat = withoutKeyword({ $defs, anyOf: refs("d0") }, "$ref", "all")
    assert.ok(JSON.stringify(flat).length < 100_000)
  })
})

describe("a limit of output tokens that is too high", () => {
  const LOWERED: [said: string, allowed: number][] = [
    ["max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for m", 4096],
    [
      "max_tokens is too large: 8192. This model supports at most 4,096 completion tokens, whereas you provided 8192.",
      4096,
    ],
    ["`max_tokens` must be less than or equal to `4096`, the maximum value for `max_tokens`", 4096],
    ["Invalid max_tokens value, the valid range of max_tokens is [1, 4096]", 4096],
    [
      "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 4096 tokens and your request has 25 input tokens (8192 > 4096 - 25).",
      4071,
    ],
    [
      "This model's maximum context length is 4096 tokens. However, you requested 8292 tokens (100 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
      3996,
    ],
    ["input length and `max_tokens` exceed context limit: 195000 + 8192 > 200000, decrease input length", 5000],
  ]
  for (const [said, allowed] of LOWERED) {
    it(`is lowered to ${allowed}: ${said}`, () => {
      const corrected = correctedBy({ error: { message: said } }, { max_tokens: 8192, messages: [] })
      assert.deepEqual(corrected, { max_tokens: allowed, messages: [] })
    })
  }
  it("stays lowered where the model takes no more, and not where that request left no more room", () => {
    for (const [at, [said, allowed]] of LOWERED.entries()) {
      const corrections = openCorrections()
      corrections.learn(refused({ error: { message: said } }), { max_tokens: 8192, messages: [] })
      assert.deepEqual(corrections.apply({ max_tokens: 8192 }), { max_tokens: at < 4 ? allowed : 8192 })
    }
  })
  it("is told by the other name where the endpoint wants that", () => {
    const body = { model: "m", max_tokens: 5, messages: [] }
    const renamed = { model: "m", max_completion_tokens: 5, messages: [] }
    assert.deepEqual(correctedBy("Use 'max_completion_tokens' instead.", body), renamed)
    assert.deepEqual(correctedBy("Unsupported parameter: 'max_tokens'", body), renamed)
    assert.deepEqual(correctedBy("max_completion_tokens: Extra inputs are not permitted", renamed), body)
    assert.equal(correctedBy("unknown field `x`, expected one of `max_completion_tokens`", body), undefined)
  })
})
