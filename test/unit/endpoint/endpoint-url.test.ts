import assert from "node:assert/strict"
import { it } from "node:test"
import { endpointUrl } from "../../../src/endpoint/endpoint-url.ts"

const OPENAI: [string, string][] = [
  ["http://127.0.0.1:8080", "http://127.0.0.1:8080/chat/completions"],
  ["http://127.0.0.1:8080/", "http://127.0.0.1:8080/chat/completions"],
  ["https://a.test/v1", "https://a.test/v1/chat/completions"],
  ["https://a.test/v1/", "https://a.test/v1/chat/completions"],
  ["https://a.test/v1//", "https://a.test/v1/chat/completions"],
  ["https://a.test/v1/chat/completions", "https://a.test/v1/chat/completions"],
  ["https://a.test/v1/chat/completions/", "https://a.test/v1/chat/completions"],
  ["https://a.test/d/m?api-version=1", "https://a.test/d/m/chat/completions?api-version=1"],
  ["https://a.test/d/m/chat/completions?v=1#x", "https://a.test/d/m/chat/completions?v=1"],
  [" https://a.test/api/v1 ", "https://a.test/api/v1/chat/completions"],
]

const ANTHROPIC: [string, string][] = [
  ["https://a.test", "https://a.test/v1/messages"],
  ["https://a.test/", "https://a.test/v1/messages"],
  ["https://a.test/v1", "https://a.test/v1/messages"],
  ["https://a.test/v1/", "https://a.test/v1/messages"],
  ["https://a.test/v1/messages", "https://a.test/v1/messages"],
  ["https://a.test/anthropic?beta=true", "https://a.test/anthropic/v1/messages?beta=true"],
]

for (const [base, url] of OPENAI) {
  it(`openai asks ${url} for the base URL ${JSON.stringify(base)}`, () => {
    assert.equal(endpointUrl(base, "openai").href, url)
  })
}

for (const [base, url] of ANTHROPIC) {
  it(`anthropic asks ${url} for the base URL ${base}`, () => {
    assert.equal(endpointUrl(base, "anthropic").href, url)
  })
}

for (const base of ["localhost:8080", "", "ftp://a.test", "not a url"]) {
  it(`${JSON.stringify(base)} is refused with what to write`, () => {
    assert.throws(() => endpointUrl(base, "openai"), { code: "configuration", message: /must begin with http:\/\// })
  })
}
