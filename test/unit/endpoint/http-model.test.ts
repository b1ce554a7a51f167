import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { ProviderError } from "../../../src/endpoint/errors/provider-error.ts"
import { createHttpModel, type HttpModelOptions } from "../../../src/endpoint/http-model.ts"
import type { RetryEvent } from "../../../src/endpoint/retry.ts"
import type { CompleteOptions, Model } from "../../../src/endpoint/style.ts"
import { manualClock } from "../../../src/testing/manual-clock.ts"
import {
  replyCalls,
  replyError,
  replyText,
  type Step,
  scriptedEndpoint,
  sseOf,
} from "../../support/scripted-endpoint.ts"

const HELLO = { messages: [{ role: "user", content: "hello" }], tools: [] }

/** A model whose waits between attempts take no time; what they would take is noted. */
function modelFor(baseUrl: string, options: Partial<HttpModelOptions> = {}): { model: Model; retries: RetryEvent[] } {
  const clock = manualClock()
  const retries: RetryEvent[] = []
  const onRetry = (event: RetryEvent) => {
    retries.push(event)
    queueMicrotask(() => clock.advance(event.waitMs))
  }
  const model = createHttpModel({ baseUrl, style: "openai", model: "m", clock, onRetry, random: () => 1, ...options })
  return { model, retries }
}

function ask(model: Model, options: Partial<CompleteOptions> = {}) {
  return model.complete(HELLO, { signal: new AbortController().signal, ...options })
}

async function textOf(steps: Step[], options: Partial<HttpModelOptions> = {}): Promise<string> {
  await using endpoint = await scriptedEndpoint(steps).listen()
  const { model } = modelFor(endpoint.baseUrl, options)
  return model.style.parseMessage((await ask(model)).message).text
}

async function errorOf(steps: Step[], options: Partial<HttpModelOptions> = {}, how: Partial<CompleteOptions> = {}) {
  await using endpoint = await scriptedEndpoint(steps).listen()
  const { model, retries } = modelFor(endpoint.baseUrl, options)
  const error = await ask(model, how).then(
    () => assert.fail("it did not fail"),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof ProviderError, String(error))
  return { error, retries, requests: endpoint.requests.length }
}

describe("a request", () => {
  it("asks for a stream only where text is wanted as it comes", async () => {
    await using endpoint = await scriptedEndpoint([replyText("hello")]).listen()
    const { model } = modelFor(endpoint.baseUrl)
    await ask(model)
    const pieces: string[] = []
    await ask(model, { onText: (text) => pieces.push(text) })
    assert.deepEqual(
      endpoint.requests.map(({ body }) => body.stream),
      [undefined, true],
    )
    assert.deepEqual(pieces, ["hel", "lo"])
  })

  it("holds no half of a character, and all else as it is", async () => {
    await using endpoint = await scriptedEndpoint([replyText("hello")]).listen()
    const { model } = modelFor(endpoint.baseUrl)
    const content = "cut \ud83d, \udc4d, whole 👍, written \\ud83d and \\\\ud83d\ud83d\n"
    const { signal } = new AbortController()
    await model.complete({ messages: [{ role: "user", content }], tools: [] }, { signal })
    const [sent] = endpoint.requests
    const kept = "cut \ufffd, \ufffd, whole 👍, written \\ud83d and \\\\ud83d\ufffd\n"
    assert.equal(sent?.body.messages[0].content, kept)
    assert.equal(
      sent?.text,
      JSON.stringify({ model: "m", messages: [{ role: "user", content: kept }] }).replaceAll("\ufffd", "\\ufffd"),
    )
  })

  it("has the defaults of the model, and the request's own over them", async () => {
    await using endpoint = await scriptedEndpoint([replyText("hello")]).listen()
    const { model } = modelFor(endpoint.baseUrl, { maxOutputTokens: 5, requestParams: { temperature: 0 } })
    await ask(model)
    await model.complete({ ...HELLO, maxOutputTokens: 7 }, { signal: new AbortController().signal })
    assert.deepEqual(
      endpoint.requests.map(({ body }) => [body.model, body.max_tokens, body.temperature]),
      [
        ["m", 5, 0],
        ["m", 7, 0],
      ],
    )
  })

  it("a base URL, a style or a header that cannot be used is refused before any request", () => {
    const clock = manualClock()
    const create = (more: object) => () =>
      createHttpModel({ baseUrl: "http://a.test", style: "openai", model: "m", clock, ...more })
    assert.throws(create({ baseUrl: "a.test" }), { code: "configuration" })
    assert.throws(create({ style: "other" }), { code: "configuration", message: /openai or anthropic/ })
    assert.throws(create({ apiKey: "a\nb" }), { code: "configuration" })
  })

  it("the account in a base URL is sent as a header and not in the address", async () => {
    await using endpoint = await scriptedEndpoint([replyText("hello")]).listen()
    const { model } = modelFor(endpoint.baseUrl.replace("http://", "http://me:secret@"), { fetch })
    await ask(model)
    assert.match(String(endpoint.requests[0]?.headers.authorization), /^Basic /)
  })
})

describe("retries", () => {
  it("wait longer each time and say why", async () => {
    await using endpoint = await scriptedEndpoint([
      replyError(503, "busy"),
      replyError(429, "slow"),
      replyText("ok"),
    ]).listen()
    const { model, retries } = modelFor(endpoint.baseUrl)
    await ask(model)
    assert.deepEqual(retries, [
      { attempt: 1, waitMs: 500, reason: "HTTP 503: busy" },
      { attempt: 2, waitMs: 1000, reason: "HTTP 429: slow" },
    ])
  })

  it("end after the agreed number, with the last error", async () => {
    const { error, requests } = await errorOf([replyError(503, "busy")], { retries: 1 })
    assert.equal(error.message, "HTTP 503: busy")
    assert.equal(requests, 2)
  })

  it("a wait that is too long fails at once and names the time", async () => {
    const { error, requests } = await errorOf([replyError(429, "slow", { "retry-after": "600" })])
    assert.equal(error.message, "HTTP 429: slow; it asks to wait 600 s: try again then")
    assert.equal(error.retryAfter, 600)
    assert.equal(requests, 1)
  })

  it("an abort during the wait ends it with its reason", async () => {
    await using endpoint = await scriptedEndpoint([replyError(503, "busy")]).listen()
    const controller = new AbortController()
    const reason = new Error("stop")
    const { model } = modelFor(endpoint.baseUrl, { onRetry: () => controller.abort(reason) })
    await assert.rejects(ask(model, { signal: controller.signal }), reason)
    assert.equal(endpoint.requests.length, 1)
  })

  it("a reply that breaks off is asked for again where nothing of it was shown", async () => {
    const half = sseOf([{ choices: [{ index: 0, delta: { content: "Half" } }] }], "")
    assert.equal(await textOf([{ sse: half, end: "destroy" }, replyText("whole")]), "whole")
    assert.equal(await textOf([{ body: '{"choices":[{"mess' }, replyText("whole")]), "whole")
  })

  it("after output it is reported and not started again", async () => {
    const half = sseOf([{ choices: [{ index: 0, delta: { content: "Half" } }] }], "")
    const shown: string[] = []
    const how = { onText: (text: string) => shown.push(text) }
    const { error, requests } = await errorOf([{ sse: half, end: "destroy" }, replyText("whole")], {}, how)
    assert.match(error.message, /ended in the middle/)
    assert.deepEqual([shown, requests], [["Half"], 1])
  })

  it("a stream cut after its finish reason is whole", async () => {
    const sse = sseOf([{ choices: [{ index: 0, delta: { content: "all" }, finish_reason: "stop" }] }], "")
    assert.equal(await textOf([{ sse, end: "destroy" }]), "all")
  })

  for (const encode of [undefined, "gzip", "br"] as const) {
    it(`a stream is over at its last event, though the server leaves the connection open (${encode ?? "plain"})`, async () => {
      const sse = sseOf([{ choices: [{ index: 0, delta: { content: "all" } }] }])
      assert.equal(await textOf([{ sse, end: "hang", ...(encode ? { encode } : {}) }]), "all")
    })
  }

  it("what our own idle timeout stopped is not tried again", async () => {
    const clock = manualClock()
    const silent: Step = () => {
      clock.advance(120_000)
      return new Promise(() => {})
    }
    const { error, requests } = await errorOf([silent], { clock })
    assert.match(error.message, /went silent: nothing came for 120000 ms \(idle timeout\)/)
    assert.equal(requests, 1)
  })
})

describe("one corrected attempt", () => {
  it("drops a member that the error names, and does not send it again", async () => {
    const refuse: Step = ({ body }) =>
      body.stream_options ? replyError(400, "Unknown field: stream_options") : replyText("ok")
    await using endpoint = await scriptedEndpoint([refuse]).listen()
    const { model, retries } = modelFor(endpoint.baseUrl)
    for (let n = 0; n < 2; n++) await ask(model, { onText: () => {} })
    assert.deepEqual([endpoint.requests.length, retries.length], [3, 0])
  })

  it("renames the output limit, in its place", async () => {
    const said =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    await using endpoint = await scriptedEndpoint([replyError(400, said), replyText("ok")]).listen()
    const { model } = modelFor(endpoint.baseUrl, { maxOutputTokens: 5 })
    await ask(model)
    assert.deepEqual(Object.keys(endpoint.requests[1]?.body), ["model", "max_completion_tokens", "messages"])
  })

  it("lowers the output limit to what the model takes", async () => {
    const said = "max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for m"
    await using endpoint = await scriptedEndpoint([replyError(400, said), replyText("ok")]).listen()
    const { model } = modelFor(endpoint.baseUrl, { style: "anthropic" })
    await ask(model)
    assert.deepEqual(
      endpoint.requests.map(({ body }) => body.max_tokens),
      [8192, 4096],
    )
  })

  it("is made once: a second refusal is reported", async () => {
    const said = replyError(400, "'temperature' is not supported. 'top_p' is not supported.")
    const steps = [said, replyError(400, "'seed' is not supported"), replyText("ok")]
    const requestParams = { temperature: 1, top_p: 1, seed: 1 }
    const { error, requests } = await errorOf(steps, { requestParams, onWarning: () => {} })
    assert.equal(error.message, "HTTP 400: 'seed' is not supported")
    assert.equal(requests, 2)
  })

  it("without what the caller asked for is said, once", async () => {
    const refuse: Step = ({ body }) =>
      "temperature" in body
        ? replyError(400, "Unsupported parameter: 'temperature' is not supported with this model.")
        : replyText("ok")
    await using endpoint = await scriptedEndpoint([refuse]).listen()
    const warnings: string[] = []
    const onWarning = (warning: string) => warnings.push(warning)
    const { model } = modelFor(endpoint.baseUrl, { requestParams: { temperature: 1 }, onWarning })
    for (let n = 0; n < 2; n++) await ask(model)
    assert.equal(endpoint.requests.length, 3)
    const { host } = new URL(endpoint.baseUrl)
    assert.deepEqual(warnings, [
      `${host} does not take temperature, so it is left out: HTTP 400: Unsupported parameter: 'temperature' is not supported with this model.`,
    ])
  })

  it("has no keyword that the server refuses in its tools' schemas, in every later request too", async () => {
    const inputSchema = { type: "object", additionalProperties: false, properties: { a: { format: "uri" } } }
    const tools = [{ name: "get", description: "", inputSchema, source: "native" as const }]
    for (const style of ["openai", "anthropic"] as const) {
      const refuse: Step = ({ text }) => {
        const found = ["additionalProperties", "format"].filter((name) => text.includes(`"${name}":`))
        const lines = found.map(
          (name) => `Invalid JSON payload received. Unknown name "${name}" at 'tools[0].x': Cannot find field.`,
        )
        return found.length > 0 ? replyError(400, lines.join("\n")) : replyText("ok")
      }
      await using endpoint = await scriptedEndpoint([refuse]).listen()
      const { model } = modelFor(endpoint.baseUrl, { style })
      const { signal } = new AbortController()
      for (let n = 0; n < 2; n++) await model.complete({ ...HELLO, tools }, { signal })
      assert.equal(endpoint.requests.length, 3)
    }
  })
})

describe("an endpoint that is not there", () => {
  it("refused: one line with host and next step, at once", async () => {
    const endpoint = await scriptedEndpoint([]).listen()
    const { baseUrl } = endpoint
    await endpoint.close()
    const { model, retries } = modelFor(baseUrl)
    const next = "check --base-url / baseUrl and that the server runs"
    await assert.rejects(ask(model), {
      code: "provider",
      message: `could not reach ${baseUrl}: connection refused; ${next}`,
    })
    assert.equal(retries.length, 0)
  })

  it("https where the server speaks http", async () => {
    await using endpoint = await scriptedEndpoint([replyText("x")]).listen()
    const { model } = modelFor(endpoint.baseUrl.replace("http:", "https:"))
    await assert.rejects(ask(model), { code: "provider", message: /it does not speak TLS/ })
  })
})

describe("what came back", () => {
  it("a web page is named as one, without its tags", async () => {
    const { error } = await errorOf([
      { body: "<!doctype html><title>Sign in</title>", headers: { "content-type": "text/html" } },
    ])
    assert.match(error.message, /answered with a web page \(Sign in\) instead of a reply; check the base URL/)
  })
  it("text is named as text", async () => {
    const { error } = await errorOf([{ body: "upstream down", headers: { "content-type": "text/plain" } }])
    assert.match(error.message, /text instead of a reply: upstream down/)
  })
  it("nothing is named as nothing, after retries", async () => {
    const { error, requests } = await errorOf([{ body: "" }])
    assert.match(error.message, /empty/)
    assert.equal(requests, 3)
  })
  it("JSON after blank lines of keep-alive is read", async () => {
    const body = `\n\n   \n${JSON.stringify({ choices: [{ message: { role: "assistant", content: "ok" } }] })}`
    assert.equal(await textOf([{ body }]), "ok")
  })
  it("a byte order mark is no part of it", async () => {
    const body = `\uFEFF${JSON.stringify({ choices: [{ message: { role: "assistant", content: "ok" } }] })}`
    assert.equal(await textOf([{ body }]), "ok")
  })
  it("the other style's reply is an error that says so", async () => {
    const { error } = await errorOf([{ body: { type: "message", content: [{ type: "text", text: "x" }] } }])
    assert.match(error.message, /check that it speaks the openai style/)
  })
})

it("a key that the endpoint repeats in its reply is masked", async () => {
  const { error } = await errorOf([{ body: { error: { message: "bad key hunter22x" } } }], { apiKey: "hunter22x" })
  assert.equal(error.message, "The endpoint reported an error (status 200): bad key ***")
  assert.doesNotMatch(error.body, /hunter22x/)
})

it("a key in the address is sent there, and in no error", async () => {
  const steps: Step[] = [
    ({ url }) => replyError(400, `cannot serve ${url}: k3y-value is odd`),
    ({ url }) => ({ status: 308, headers: { location: `https://b.test${url}` } }),
    { status: 0 },
  ]
  await using endpoint = await scriptedEndpoint(steps).listen()
  const { model } = modelFor(`${endpoint.baseUrl}?key=k3y-value&api-version=1`, { retries: 0 })
  for (const _ of steps) {
    const error = await ask(model).catch((thrown: unknown) => thrown)
    assert.ok(error instanceof ProviderError)
    assert.doesNotMatch(`${error.message} ${error.body} ${JSON.stringify(error)}`, /k3y-value/)
  }
  assert.equal(endpoint.requests[0]?.url, "/chat/completions?key=k3y-value&api-version=1")
  const create = () => modelFor("htp://h.test?key=k3y-value")
  assert.throws(create, (error: Error) => !error.message.includes("k3y-value"))
})

it("what the caller's onText throws comes out as it is, and nothing is tried again", async () => {
  await using endpoint = await scriptedEndpoint([replyText("hello")]).listen()
  const { model } = modelFor(endpoint.baseUrl)
  const thrown = new Error("mine")
  const onText = () => {
    throw thrown
  }
  await assert.rejects(ask(model, { onText }), thrown)
  assert.equal(endpoint.requests.length, 1)
})

it("both styles give calls, text and usage, streamed and plain", async () => {
  const call = { id: "c1", name: "echo", arguments: { text: "hi" } }
  for (const style of ["openai", "anthropic"] as const) {
    await using endpoint = await scriptedEndpoint([
      replyCalls([call], "Looking.", { prompt: 7, completion: 3 }),
    ]).listen()
    const { model } = modelFor(endpoint.baseUrl, { style })
    const plain = await ask(model)
    const streamed = await ask(model, { onText: () => {} })
    assert.deepEqual(model.style.parseMessage(plain.message), {
      text: "Looking.",
      calls: [{ id: "c1", name: "echo", arguments: '{"text":"hi"}' }],
    })
    assert.deepEqual(plain.usage, { promptTokens: 7, completionTokens: 3, totalTokens: 10 })
    assert.deepEqual(streamed, plain)
  }
})
