import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { describe, it } from "node:test"
import type { ProviderError, ProxyOptions } from "../../src/index.ts"
import { manualClock } from "../../src/testing/manual-clock.ts"
import { toolnexus } from "../support/built-package.ts"
import { watchLoads } from "../support/loaded-modules.ts"
import { replyCalls, replyText, type ScriptedEndpoint, scriptedEndpoint } from "../support/scripted-endpoint.ts"
import { scriptedProxy } from "../support/scripted-proxy.ts"
import { CERTIFICATE, tlsFront } from "../support/tls-front.ts"

const bin = resolve(import.meta.dirname, "../../bin/toolnexus.js")
const { createClient, createToolkit, defineTool } = toolnexus

function portOf(endpoint: ScriptedEndpoint): number {
  return Number(new URL(endpoint.baseUrl).port)
}

const ping = defineTool({ name: "ping", description: "", run: () => "pong" })
const pinged = [replyCalls([{ id: "c1", name: "ping", arguments: {} }]), replyText("done")]

function clientFor(baseUrl: string, proxy: string | ProxyOptions, more: object = {}) {
  return createClient({ baseUrl, style: "openai", model: "m", apiKey: "key-1", retries: 0, proxy, ...more })
}

async function errorOf(baseUrl: string, proxy: string, more: object = {}): Promise<ProviderError> {
  return clientFor(baseUrl, proxy, more)
    .run("go")
    .then(
      () => assert.fail("it did not fail"),
      (error) => error,
    )
}

describe("plain requests through a proxy", () => {
  it("are sent with their whole address, streamed or not, and the key goes to the endpoint only", async () => {
    await using endpoint = await scriptedEndpoint([...pinged, ...pinged]).listen()
    await using proxy = await scriptedProxy({ to: portOf(endpoint) })
    const client = clientFor("http://api.test:8080/v1?v=1", proxy.url.replace("//", "//me:p%40ss@"))
    const toolkit = await createToolkit({ extraTools: [ping] })
    let shown = ""
    const show = (text: string) => {
      shown += text
    }
    assert.equal((await client.run("go", { toolkit })).text, "done")
    assert.equal((await client.run("go", { toolkit, onText: show })).text, "done")
    assert.equal(shown, "done")
    const asked = {
      method: "POST",
      target: "http://api.test:8080/v1/chat/completions?v=1",
      authorization: `Basic ${Buffer.from("me:p@ss").toString("base64")}`,
      host: "api.test:8080",
    }
    assert.deepEqual(proxy.requests, [asked, asked, asked, asked])
    for (const { url, headers } of endpoint.requests) {
      assert.equal(url, "/v1/chat/completions?v=1")
      assert.equal(headers.authorization, "Bearer key-1")
      assert.equal(headers["proxy-authorization"], undefined)
    }
  })

  it("go past it where noProxy names the host", async () => {
    await using endpoint = await scriptedEndpoint([replyText("direct")]).listen()
    await using proxy = await scriptedProxy({ refuse: 403 })
    const { text } = await clientFor(endpoint.baseUrl, { http: proxy.url, noProxy: "127.0.0.1" }).run("go")
    assert.equal(text, "direct")
    assert.deepEqual(proxy.requests, [])
  })

  it("are not sent through it where a fetch is given, which has its own", async () => {
    await using endpoint = await scriptedEndpoint([replyText("fetched")]).listen()
    await using proxy = await scriptedProxy({ refuse: 403 })
    assert.equal((await clientFor(endpoint.baseUrl, proxy.url, { fetch }).run("go")).text, "fetched")
    assert.deepEqual(proxy.requests, [])
  })
})

for (const scheme of ["http", "https"] as const) {
  const address = `${scheme}://api.test/v1`
  const secret = "hidden-word"
  const withAccount = (url: string) => url.replace("//", `//me:${secret}@`)
  const saysNothing = (error: ProviderError) => {
    const said = `${error.message} ${error.body} ${JSON.stringify(error)}`
    for (const hidden of [secret, Buffer.from(`me:${secret}`).toString("base64")])
      assert.ok(!said.includes(hidden), said)
  }

  describe(`a proxy in front of ${scheme} addresses`, () => {
    it("that wants a name and a password is an error that says where to put them", async () => {
      await using proxy = await scriptedProxy({ refuse: 407 })
      const error = await errorOf(address, proxy.url)
      assert.match(error.message, /407|wants a name and password/)
      assert.match(error.message, /put them into its address: http:\/\/NAME:PASSWORD@HOST:PORT/)
    })

    it("that refuses is an error with its status, and without the proxy's password", async () => {
      const reason = `no entry for ${secret} (Basic ${Buffer.from(`me:${secret}`).toString("base64")})`
      await using proxy = await scriptedProxy({ refuse: 403, reason })
      const error = await errorOf(address, withAccount(proxy.url))
      assert.match(error.message, /403/)
      assert.equal(proxy.requests.length, 1)
      saysNothing(error)
    })

    it("that is overloaded is asked again", async () => {
      await using proxy = await scriptedProxy({ refuse: 503 })
      const error = await errorOf(address, withAccount(proxy.url), { retries: 2, retryBaseMs: 1 })
      assert.match(error.message, /503/)
      assert.equal(proxy.requests.length, 3)
      saysNothing(error)
    })

    it("that is not there is named in the error, without its password", async () => {
      const proxy = await scriptedProxy("hang")
      await proxy[Symbol.asyncDispose]()
      const error = await errorOf(address, withAccount(proxy.url))
      const { origin } = new URL(proxy.url)
      assert.equal(
        error.message,
        `could not reach ${scheme}://api.test through the proxy ${origin}: connection refused; check the proxy's address and that the server runs`,
      )
      saysNothing(error)
    })

    it("that never answers is an idle timeout", async () => {
      await using proxy = await scriptedProxy("hang")
      const clock = manualClock()
      const failed = errorOf(address, proxy.url, { clock, idleTimeoutMs: 5000 })
      while (proxy.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
      clock.advance(5000)
      assert.match((await failed).message, /through the proxy .* went silent: nothing came for 5000 ms/)
    })

    it("is left by an abort", async () => {
      await using proxy = await scriptedProxy("hang")
      const controller = new AbortController()
      const run = clientFor(address, proxy.url).run("go", { signal: controller.signal })
      while (proxy.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
      controller.abort()
      assert.equal((await run).status, "interrupted")
    })
  })
}

it("a proxy that is none of HTTP is refused before anything is sent", () => {
  assert.throws(() => clientFor("http://api.test", "socks5://127.0.0.1:1080"), { code: "configuration" })
})

describe("the command line", () => {
  const home = mkdtempSync(join(tmpdir(), "toolnexus-proxies-"))

  function run(env: Record<string, string>, baseUrl: string, execArgv: string[] = []) {
    const options = { cwd: home, env: { PATH: process.env.PATH, HOME: home, TOOLNEXUS_STATE_DIR: home, ...env } }
    const args = [...execArgv, bin, "run", "--base-url", baseUrl, "--model", "m", "--allow", "bash", "go"]
    return new Promise<{ code: number; out: string; err: string }>((done) => {
      execFile(process.execPath, args, options, (error, out, err) => done({ code: Number(error?.code ?? 0), out, err }))
    })
  }

  it("goes through HTTPS_PROXY in one tunnel for the whole run; the proxy sees neither key nor text, and looks up the name", async () => {
    const call = { id: "c1", name: "bash", arguments: { command: "true" } }
    await using endpoint = await scriptedEndpoint([replyCalls([call]), replyText("through")]).listen()
    await using front = await tlsFront(portOf(endpoint))
    await using proxy = await scriptedProxy({ to: front.port })
    const env = { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: CERTIFICATE, TOOLNEXUS_API_KEY: "key-1" }
    const { code, out, err } = await run(env, "https://api.test/v1")
    assert.deepEqual([code, out], [0, "through\n"], err)
    const asked = { method: "CONNECT", target: "api.test:443", authorization: undefined, host: "api.test:443" }
    assert.deepEqual(proxy.requests, [asked])
    assert.deepEqual(
      endpoint.requests.map(({ url, headers }) => [url, headers.authorization, headers.host]),
      Array(2).fill(["/v1/chat/completions", "Bearer key-1", "api.test"]),
    )
  })

  for (const [names, env] of [
    ["http_proxy, before HTTP_PROXY", (url: string) => ({ http_proxy: url, HTTP_PROXY: "http://127.0.0.1:1" })],
    ["ALL_PROXY", (url: string) => ({ ALL_PROXY: url })],
  ] as const) {
    it(`goes through ${names}`, async () => {
      await using endpoint = await scriptedEndpoint([replyText("through")]).listen()
      await using proxy = await scriptedProxy({ to: portOf(endpoint) })
      const { out, err } = await run(env(proxy.url), "http://api.test/v1")
      assert.equal(out, "through\n", err)
      assert.equal(proxy.requests.length, 1)
    })
  }

  it("loads no package for proxies where NO_PROXY leaves the host out", async () => {
    await using endpoint = await scriptedEndpoint([replyText("direct")]).listen()
    const watch = watchLoads()
    const env = { HTTPS_PROXY: "http://127.0.0.1:1", HTTP_PROXY: "http://127.0.0.1:1", NO_PROXY: "127.0.0.1" }
    const { out, err } = await run(env, endpoint.baseUrl, watch.execArgv)
    assert.equal(out, "direct\n", err)
    assert.ok(!watch.loaded().packages.includes("hpagent"))
  })

  it("a password in a proxy's address is in no error", async () => {
    const { code, err } = await run({ HTTPS_PROXY: "http://me:hidden-word@127.0.0.1:1" }, "https://api.test/v1")
    assert.equal(code, 1)
    assert.match(err, /through the proxy http:\/\/127\.0\.0\.1:1: connection refused/)
    assert.doesNotMatch(err, /hidden-word/)
  })
})
