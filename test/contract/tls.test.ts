import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { test } from "node:test"
import { toolnexus } from "../support/built-package.ts"
import { replyText, scriptedEndpoint } from "../support/scripted-endpoint.ts"
import { CERTIFICATE, tlsFront } from "../support/tls-front.ts"

const { createClient } = toolnexus

async function httpsEndpoint() {
  const endpoint = await scriptedEndpoint([replyText("over TLS")]).listen()
  const front = await tlsFront(Number(new URL(endpoint.baseUrl).port))
  return {
    port: front.port,
    requests: endpoint.requests,
    async [Symbol.asyncDispose]() {
      await endpoint.close()
      await front[Symbol.asyncDispose]()
    },
  }
}

test("a certificate that is trusted by NODE_EXTRA_CA_CERTS is enough for an https endpoint", async () => {
  await using endpoint = await httpsEndpoint()
  const home = mkdtempSync(join(tmpdir(), "toolnexus-tls-"))
  const bin = resolve(import.meta.dirname, "../../bin/toolnexus.js")
  const env = { PATH: process.env.PATH, HOME: home, TOOLNEXUS_STATE_DIR: home, NODE_EXTRA_CA_CERTS: CERTIFICATE }
  const args = [bin, "run", "--base-url", `https://127.0.0.1:${endpoint.port}/v1`, "--model", "m", "go"]
  const out = await new Promise((done) => execFile(process.execPath, args, { cwd: home, env }, (_, text) => done(text)))
  assert.equal(out, "over TLS\n")
})

test("one that is not trusted is a clear error, at once, and nothing is sent", async () => {
  await using endpoint = await httpsEndpoint()
  const client = createClient({ baseUrl: `https://127.0.0.1:${endpoint.port}`, style: "openai", model: "m" })
  await assert.rejects(client.run("go"), {
    code: "provider",
    message: /its TLS certificate is self-signed; name it in/,
  })
  assert.equal(endpoint.requests.length, 0)
})

test("https asked of a server that speaks plain HTTP says so", async () => {
  await using endpoint = await scriptedEndpoint([replyText("no")]).listen()
  const client = createClient({ baseUrl: endpoint.baseUrl.replace("http:", "https:"), style: "openai", model: "m" })
  await assert.rejects(client.run("go"), { code: "provider", message: /it does not speak TLS/ })
})
