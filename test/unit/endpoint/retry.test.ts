import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { replyError } from "../../../src/endpoint/errors/provider-error.ts"
import { afterFailure, askedWaitMs } from "../../../src/endpoint/retry.ts"

const now = Date.parse("2030-01-01T00:00:00Z")
const url = new URL("https://a.test/v1/chat/completions")
const policy = { retries: 2, retryBaseMs: 500, random: () => 1 }

function failed(status: number, text = "", headers: Record<string, string> = {}) {
  return replyError({ status, headers, text, url, now, keySent: false, secrets: [] })
}

describe("what is tried again", () => {
  for (const status of [408, 409, 429, 500, 502, 503, 504, 529]) {
    it(`status ${status} is`, () => assert.equal(afterFailure(failed(status), 1, policy).do, "wait"))
  }
  for (const status of [400, 401, 402, 403, 404, 413, 422, 501, 308]) {
    it(`status ${status} is not`, () => assert.equal(afterFailure(failed(status), 1, policy).do, "fail"))
  }
  it("x-should-retry overrules the status, both ways", () => {
    assert.equal(afterFailure(failed(503, "", { "x-should-retry": "false" }), 1, policy).do, "fail")
    assert.equal(afterFailure(failed(400, "", { "x-should-retry": "true" }), 1, policy).do, "wait")
  })
  it("a spent quota is not, by its code or by its words", () => {
    const byCode = '{"error":{"message":"no more","code":"insufficient_quota"}}'
    const byWords =
      '{"error":{"message":"You exceeded your current quota, please check your plan and billing details."}}'
    assert.equal(afterFailure(failed(429, byCode), 1, policy).do, "fail")
    assert.equal(afterFailure(failed(429, byWords), 1, policy).do, "fail")
    assert.equal(afterFailure(failed(429, byCode, { "x-should-retry": "true" }), 1, policy).do, "fail")
    assert.equal(afterFailure(failed(429, byWords, { "x-should-retry": "true" }), 1, policy).do, "wait")
  })
  it("a quota that fills up again, because a wait is asked for, is", () => {
    const body = '{"error":{"message":"You exceeded your current quota","details":[{"retryDelay":"7s"}]}}'
    assert.deepEqual(afterFailure(failed(429, body), 1, policy), { do: "wait", waitMs: 7000 })
  })
  it("more attempts than agreed are not", () => {
    assert.equal(afterFailure(failed(503), 2, policy).do, "wait")
    assert.equal(afterFailure(failed(503), 3, policy).do, "fail")
  })
})

describe("how long it waits", () => {
  it("doubles, from half to the whole of it by chance", () => {
    const waits = (random: number) =>
      [1, 2].map((attempt) => afterFailure(failed(503), attempt, { ...policy, random: () => random }))
    assert.deepEqual(waits(1), [
      { do: "wait", waitMs: 500 },
      { do: "wait", waitMs: 1000 },
    ])
    assert.deepEqual(waits(0), [
      { do: "wait", waitMs: 250 },
      { do: "wait", waitMs: 500 },
    ])
  })
  it("retry-after-ms comes before retry-after", () => {
    assert.equal(askedWaitMs({ "retry-after-ms": "50", "retry-after": "20" }, now), 50)
  })
  it("retry-after is seconds or an HTTP date, and 0 or a past date is now", () => {
    assert.equal(askedWaitMs({ "retry-after": "2" }, now), 2000)
    assert.equal(askedWaitMs({ "retry-after": "0" }, now), 0)
    assert.equal(askedWaitMs({ "retry-after": "Tue, 01 Jan 2030 00:00:30 GMT" }, now), 30_000)
    assert.equal(askedWaitMs({ "retry-after": "Mon, 31 Dec 2029 23:59:30 GMT" }, now), 0)
  })
  it("what is no time is not obeyed", () => {
    for (const value of ["-5", "soon", "", "NaN"]) assert.equal(askedWaitMs({ "retry-after": value }, now), undefined)
  })
  it("a wait longer than the cap fails and names the time", () => {
    const next = afterFailure(failed(429, "", { "retry-after": "3600" }), 1, policy)
    assert.deepEqual(next, { do: "fail", because: "it asks to wait 3600 s: try again then" })
  })
})
