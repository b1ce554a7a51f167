import assert from "node:assert/strict"
import { it } from "node:test"
import { type AuthScheme, requestHeaders, secretsOf } from "../../../src/endpoint/request-headers.ts"

const url = new URL("https://a.test/v1")
const AUTH = ["authorization", "x-api-key", "api-key"]

function authOf(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => AUTH.includes(name)))
}

it("without a key there is no auth header, on either style", () => {
  for (const style of ["openai", "anthropic"] as const) {
    assert.deepEqual(authOf(requestHeaders({ style, url, apiKey: undefined, headers: {} })), {})
    assert.deepEqual(authOf(requestHeaders({ style, url, apiKey: "  ", headers: {} })), {})
  }
})

it("openai sends a bearer token, anthropic x-api-key and its version", () => {
  const openai = requestHeaders({ style: "openai", url, apiKey: "k1234", headers: {} })
  assert.deepEqual(authOf(openai), { authorization: "Bearer k1234" })
  const anthropic = requestHeaders({ style: "anthropic", url, apiKey: "k1234", headers: {} })
  assert.deepEqual(authOf(anthropic), { "x-api-key": "k1234" })
  assert.equal(anthropic["anthropic-version"], "2023-06-01")
})

it("an account's token on anthropic is a bearer token, and Azure takes api-key", () => {
  const oauth = requestHeaders({ style: "anthropic", url, apiKey: "sk-ant-oat01-x", headers: {} })
  assert.deepEqual(authOf(oauth), { authorization: "Bearer sk-ant-oat01-x" })
  const azure = new URL("https://me.openai.azure.com/openai/deployments/m?api-version=1")
  assert.deepEqual(authOf(requestHeaders({ style: "openai", url: azure, apiKey: "k", headers: {} })), {
    "api-key": "k",
  })
})

it("auth says in which header a key is sent, whatever the style and the host", () => {
  const azure = new URL("https://me.openai.azure.com/openai/deployments/m?api-version=1")
  const of = (auth: AuthScheme, at = url) =>
    authOf(requestHeaders({ style: "anthropic", url: at, apiKey: "k1234", auth, headers: {} }))
  assert.deepEqual(of("bearer"), { authorization: "Bearer k1234" })
  assert.deepEqual(of("bearer", azure), { authorization: "Bearer k1234" })
  assert.deepEqual(of("x-api-key"), { "x-api-key": "k1234" })
  assert.deepEqual(of("api-key"), { "api-key": "k1234" })
  assert.deepEqual(of("none"), {})
  assert.throws(() => of("basic" as AuthScheme), { code: "configuration", message: /auth must be one of bearer, / })
})

it("the caller's headers win, whatever their case, and an auth header of theirs is the only one", () => {
  const headers = requestHeaders({
    style: "anthropic",
    url,
    apiKey: "k1234",
    headers: { Authorization: "Bearer mine", "Anthropic-Version": "2024-01-01" },
  })
  assert.deepEqual(authOf(headers), { authorization: "Bearer mine" })
  assert.equal(headers["anthropic-version"], "2024-01-01")
})

it("an account in the address is sent as basic auth where no key is given", () => {
  const withAccount = new URL("https://me:p%40ss@a.test/v1")
  const headers = requestHeaders({ style: "openai", url: withAccount, apiKey: undefined, headers: {} })
  assert.deepEqual(authOf(headers), { authorization: `Basic ${Buffer.from("me:p@ss").toString("base64")}` })
  const withPercent = new URL("https://me:100%@a.test/v1")
  const { authorization } = requestHeaders({ style: "openai", url: withPercent, apiKey: undefined, headers: {} })
  assert.equal(authorization, `Basic ${Buffer.from("me:100%").toString("base64")}`)
})

it("a key with a line break in it is refused without being shown", () => {
  assert.throws(
    () => requestHeaders({ style: "openai", url, apiKey: "abc\ndef", headers: {} }),
    (error: Error) => /The API key holds characters/.test(error.message) && !error.message.includes("abc"),
  )
})

it("the secrets of a request are its auth headers' values, with and without the scheme, and what of its address is secret", () => {
  assert.deepEqual(secretsOf({ authorization: "Bearer k1234" }, url), ["Bearer k1234", "k1234"])
  assert.deepEqual(secretsOf({ "x-portkey-api-key": "k1234", "x-max-tokens": "4096" }, url), ["k1234", "k1234"])
  const address = new URL("https://me:p%40ss@a.test/v1?api-version=2024&key=k1234&X-Amz-Signature=s1234&tokens=9999")
  assert.deepEqual(secretsOf({}, address), ["k1234", "s1234", "p@ss"])
  assert.deepEqual(secretsOf({}, new URL("https://t1234@a.test/")), ["t1234"])
})
