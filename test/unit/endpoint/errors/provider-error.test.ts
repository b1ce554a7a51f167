import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { causeOf } from "../../../../src/endpoint/errors/error-text.ts"
import { mask } from "../../../../src/endpoint/errors/mask.ts"
import { errorInReply, ProviderError, replyError } from "../../../../src/endpoint/errors/provider-error.ts"
import { isToolnexusError } from "../../../../src/tool/error.ts"

const url = new URL("https://a.test/v1/chat/completions")

function failed(status: number, body: unknown, headers: Record<string, string> = {}, secrets: string[] = []) {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  return replyError({ status, headers, text, url, now: 0, keySent: secrets.length > 0, secrets })
}

describe("the cause of an error reply", () => {
  const CAUSES: [string, unknown, string][] = [
    ["the usual shape", { error: { message: "no such model" } }, "no such model"],
    ["a string", { error: "no such model" }, "no such model"],
    ["a list", [{ error: { message: "no such model" } }], "no such model"],
    ["at the top", { message: "no such model" }, "no such model"],
    ["FastAPI, a string", { detail: "no such model" }, "no such model"],
    ["FastAPI, fields", { detail: [{ loc: ["body", "top_p"], msg: "too high" }] }, "body.top_p: too high"],
    ["fields in the message", { message: { detail: [{ loc: ["body"], msg: "bad" }] } }, "body: bad"],
    [
      "a gateway's upstream, as text",
      { error: { message: "Provider returned error", metadata: { raw: '{"error":{"message":"inner"}}' } } },
      "inner",
    ],
    ["JSON in a message", { error: { message: '{"error":{"message":"inner"}}' } }, "inner"],
    ["an error word and a message", { error: "Not Found", message: "no deployment" }, "Not Found: no deployment"],
    ["only a code", { error: { code: "bad_thing" } }, "bad_thing"],
    ["a web page", "<html><head><title>502 Bad &amp; Gateway</title></head></html>", "502 Bad & Gateway"],
    ["a web page without a title", "<html><body>x</body></html>", "an HTML page instead of a reply"],
    ["words", "upstream connect error", "upstream connect error"],
    ["words over lines", "a\n  b", "a b"],
    ["nothing", "", ""],
  ]
  for (const [name, body, cause] of CAUSES) {
    it(`is found: ${name}`, () => assert.equal(causeOf(typeof body === "string" ? body : JSON.stringify(body)), cause))
  }
  it("is at most 200 characters", () => assert.equal(causeOf("x".repeat(500)).length, 200))
  it("does not take a member of Object's for an entity", () => {
    assert.equal(causeOf("<title>&constructor;</title>"), "&constructor;")
  })
})

describe("a provider error", () => {
  it("names status and cause, and is recognised", () => {
    const error = failed(400, { error: { message: "bad schema" } }, { "x-request-id": "r1" })
    assert.equal(error.message, "HTTP 400: bad schema")
    assert.equal(error.code, "provider")
    assert.equal(error.requestId, "r1")
    assert.ok(isToolnexusError(error) && error instanceof ProviderError)
  })
  it("of 401 and 403 drops the body and says what to check", () => {
    for (const status of [401, 403]) {
      const error = failed(status, { error: { message: "Incorrect API key provided: abcd" } }, {}, ["abcd"])
      assert.equal(error.body, "")
      assert.match(error.message, new RegExp(`^HTTP ${status}; a\\.test refused the key`))
      assert.doesNotMatch(error.message, /abcd/)
    }
  })
  it("of 401 or 403 without a key says that none was sent, and how to give one", () => {
    const way = "name its variable with --api-key-env, or pass apiKey"
    assert.equal(failed(401, "no").message, `HTTP 401; a.test wants a key and none was sent: ${way}`)
    assert.equal(failed(403, "no").message, `HTTP 403; no key was sent to a.test: if it wants one, ${way}`)
  })
  it("masks the key in message and body, whatever it looks like", () => {
    const error = failed(400, { error: { message: "your key hunter22 is odd" } }, {}, ["hunter22"])
    assert.doesNotMatch(error.message + error.body, /hunter22/)
  })
  it("of a redirect says where to", () => {
    assert.match(failed(308, "", { location: "https://b.test/v1" }).message, /redirects to https:\/\/b\.test\/v1/)
  })
  it("tells seconds to wait", () => assert.equal(failed(429, "", { "retry-after-ms": "1500" }).retryAfter, 1.5))
  it("of a model without tools says what to choose", () => {
    assert.match(failed(400, { error: "x does not support tools" }).message, /choose a model/)
  })
})

describe("a context overflow is recognised", () => {
  const WORDS: [number, unknown][] = [
    [400, { error: { message: "too long", code: "context_length_exceeded" } }],
    [400, { error: { message: "This model's maximum context length is 8192 tokens. However, you requested 9000" } }],
    [
      400,
      {
        type: "error",
        error: { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000" },
      },
    ],
    [400, { error: { message: "the request exceeds the available context size", type: "exceed_context_size_error" } }],
    [
      400,
      [{ error: { message: "The input token count (9000) exceeds the maximum number of tokens allowed (8192)." } }],
    ],
    [400, { message: "Input is too long for requested model." }],
    [400, { error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens." }],
    [400, { error: { message: "Your request exceeded model token limit: 8192 (requested: 9000)" } }],
    [422, { error: "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000" }],
    [422, { error: "Input validation error: `inputs` must have less than 1024 tokens. Given: 2000" }],
    [400, { message: "The decoder prompt (length 5000) is longer than the maximum model length of 4096." }],
  ]
  for (const [status, body] of WORDS) {
    it(JSON.stringify(body), () => {
      const error = failed(status, body)
      assert.equal(error.details.limit, "context")
      assert.equal(error.retryable, false)
    })
  }
  it("but not in a rate limit that speaks of tokens", () => {
    const error = failed(429, { message: "Too many tokens, please wait before trying again." })
    assert.equal(error.details.limit, undefined)
    assert.equal(error.retryable, true)
  })
  it("but not in a body that is too large for a proxy", () => {
    assert.equal(failed(413, "<title>413 Request Entity Too Large</title>").details.limit, undefined)
  })
})

describe("an error inside a reply", () => {
  it("has the status that its words stand for", () => {
    assert.equal(errorInReply({ error: { type: "overloaded_error", message: "Overloaded" } }).status, 529)
    assert.equal(errorInReply({ code: 502, message: "x" }).status, 502)
    assert.equal(errorInReply({ error: { code: "429", message: "x" } }).retryable, true)
    assert.equal(errorInReply({ code: "constructor", message: "x" }).status, 200)
  })
  it("about a key does not repeat what it says of it", () => {
    const error = errorInReply({ error: { type: "authentication_error", message: "Incorrect API key: ab***yz" } })
    assert.equal(error.message, "The endpoint reported an error (status 401): check the API key and what it may use")
    assert.equal(error.body, "")
  })
})

describe("masking", () => {
  const MASKED: [string, string][] = [
    ["Bearer abcdef123456", "Bearer ***"],
    ["key sk-proj-abcdef123456 is bad", "key *** is bad"],
    ["organization org-AbCdEf1234567890", "organization org-***"],
    ["https://a.test/x?api-key=abc123&v=1", "https://a.test/x?api-key=***&v=1"],
    ["https://a.test/x?code=abc123&sig=d%2Fe", "https://a.test/x?code=***&sig=***"],
    ["https://a.test/x?X-Amz-Signature=abc123", "https://a.test/x?X-Amz-Signature=***"],
    ["http://me:pass@a.test/", "http://***@a.test/"],
    ["write to jane.doe@example.test", "write to ***"],
    ["arn:aws:bedrock:us-east-1:123456789012:model/x", "arn:aws:bedrock:us-east-1:***:model/x"],
  ]
  for (const [text, masked] of MASKED) it(text, () => assert.equal(mask(text), masked))

  const KEPT = [
    "max_tokens: 8192 > 4096",
    "tool_use_failed",
    "?api-version=2024-01-01&max_tokens=5&encode=x",
    "model gpt-5-mini not found",
    "sk-learn",
  ]
  for (const text of KEPT) it(`keeps ${text}`, () => assert.equal(mask(text), text))
})
