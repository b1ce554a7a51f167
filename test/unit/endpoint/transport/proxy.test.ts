import assert from "node:assert/strict"
import { it } from "node:test"
import { proxyAuthorization, proxyFor, proxySecrets } from "../../../../src/endpoint/transport/proxy.ts"

const PROXY = "http://proxy.test:3128"

function isDirect(address: string, noProxy: string): boolean {
  return proxyFor(new URL(address), { http: PROXY, https: PROXY, noProxy }) === undefined
}

const NO_PROXY: [noProxy: string, address: string, is: "direct" | "proxied"][] = [
  ["", "https://a.test", "proxied"],
  ["*", "https://a.test", "direct"],
  ["a.test", "https://a.test/v1", "direct"],
  ["a.test", "https://b.a.test", "direct"],
  ["a.test", "https://ba.test", "proxied"],
  [".a.test", "https://a.test", "direct"],
  [".a.test", "https://b.a.test", "direct"],
  ["*.a.test", "https://b.a.test", "direct"],
  ["A.Test", "https://a.TEST", "direct"],
  ["a.test.", "https://a.test", "direct"],
  ["x.test, a.test", "https://a.test", "direct"],
  ["x.test a.test", "https://a.test", "direct"],
  [" , ,", "https://a.test", "proxied"],
  ["a.test:8443", "https://a.test:8443", "direct"],
  ["a.test:8443", "https://a.test", "proxied"],
  ["a.test:443", "https://a.test", "direct"],
  ["a.test:80", "http://a.test", "direct"],
  ["127.0.0.1", "http://127.0.0.1:11434", "direct"],
  ["0.0.1", "http://127.0.0.1:11434", "proxied"],
  ["localhost,127.0.0.1,::1", "http://[::1]:11434", "direct"],
  ["[::1]:11434", "http://[::1]:11434", "direct"],
  ["[::1]:11434", "http://[::1]:80", "proxied"],
]

for (const [noProxy, address, is] of NO_PROXY) {
  it(`with NO_PROXY ${JSON.stringify(noProxy)} ${address} is ${is}`, () => {
    assert.equal(isDirect(address, noProxy), is === "direct")
  })
}

it("the proxy is the one of the address's scheme; a single one is for both", () => {
  const options = { http: "http://plain.test:1", https: "http://secure.test:2" }
  assert.equal(proxyFor(new URL("http://a.test"), options)?.host, "plain.test:1")
  assert.equal(proxyFor(new URL("https://a.test"), options)?.host, "secure.test:2")
  assert.equal(proxyFor(new URL("https://a.test"), { http: PROXY }), undefined)
  for (const address of ["http://a.test", "https://a.test"]) {
    assert.equal(proxyFor(new URL(address), PROXY)?.host, "proxy.test:3128")
    for (const none of [undefined, "", " ", {}, { http: "", https: "" }]) {
      assert.equal(proxyFor(new URL(address), none), undefined)
    }
  }
})

it("a proxy without a scheme is an http one", () => {
  assert.equal(proxyFor(new URL("https://a.test"), "proxy.test:3128")?.href, "http://proxy.test:3128/")
  assert.equal(proxyFor(new URL("https://a.test"), "me:pw@proxy.test:3128")?.password, "pw")
})

it("what is no HTTP proxy is refused, and its password is not shown", () => {
  for (const proxy of ["socks5://me:hidden@proxy.test:1080", "http://me:hidden@:x"]) {
    assert.throws(
      () => proxyFor(new URL("https://a.test"), proxy),
      (error: Error) => /A proxy must be http:\/\/HOST:PORT/.test(error.message) && !error.message.includes("hidden"),
    )
  }
})

it("a name and a password in the address are sent decoded, and are secrets in every form", () => {
  const proxy = new URL("http://me:p%40ss%20word@proxy.test:3128")
  const sent = Buffer.from("me:p@ss word").toString("base64")
  assert.deepEqual(proxyAuthorization(proxy), { "proxy-authorization": `Basic ${sent}` })
  assert.deepEqual(proxySecrets(proxy), [sent, "p%40ss%20word", "p@ss word"])
  assert.deepEqual(proxyAuthorization(new URL(PROXY)), {})
  assert.deepEqual(proxySecrets(new URL(PROXY)), [])
})
