import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { describe, it } from "node:test"
import { deflateRawSync } from "node:zlib"
import { IdleTimeoutError } from "../../../../src/endpoint/errors/unreachable.ts"
import { createFetchTransport } from "../../../../src/endpoint/transport/fetch-transport.ts"
import { createNodeTransport } from "../../../../src/endpoint/transport/node-transport.ts"
import type { Transport, TransportRequest } from "../../../../src/endpoint/transport/transport.ts"
import type { Clock } from "../../../../src/event/clock.ts"
import { manualClock } from "../../../../src/testing/manual-clock.ts"
import { program } from "../../../support/program.ts"
import { type ScriptedEndpoint, type Step, scriptedEndpoint } from "../../../support/scripted-endpoint.ts"

const KINDS: Record<string, (clock: Clock) => Transport> = {
  "node:http": createNodeTransport,
  "a fetch of the caller's": (clock) => createFetchTransport(fetch, clock),
}

function post(endpoint: ScriptedEndpoint, more: Partial<TransportRequest> = {}): TransportRequest {
  return {
    url: new URL(`${endpoint.baseUrl}/x?y=1`),
    headers: { "content-type": "application/json" },
    body: '{"a":"ä"}',
    signal: new AbortController().signal,
    idleTimeoutMs: 1000,
    ...more,
  }
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString("utf8")
}

for (const [kind, create] of Object.entries(KINDS)) {
  describe(`a request over ${kind}`, () => {
    it("sends path, query, headers and body, and gives status, headers and body", async () => {
      await using endpoint = await scriptedEndpoint([{ status: 418, headers: { "X-A": "b" }, body: "tea" }]).listen()
      const response = await create(manualClock())(post(endpoint))
      assert.equal(await textOf(response.body), "tea")
      assert.equal(response.status, 418)
      assert.equal(response.headers["x-a"], "b")
      const [sent] = endpoint.requests
      assert.deepEqual([sent?.method, sent?.url, sent?.text], ["POST", "/x?y=1", '{"a":"ä"}'])
      assert.equal(sent?.headers["content-length"], "10")
    })

    for (const encode of ["gzip", "deflate", "br"] as const) {
      it(`takes ${encode} off`, async () => {
        await using endpoint = await scriptedEndpoint([{ body: "ü".repeat(1000), encode }]).listen()
        const response = await create(manualClock())(post(endpoint))
        assert.equal(await textOf(response.body), "ü".repeat(1000))
      })
    }

    it("follows no redirect: a key goes to no other host", async () => {
      await using other = await scriptedEndpoint([{ body: "no" }]).listen()
      await using endpoint = await scriptedEndpoint([{ status: 307, headers: { location: other.baseUrl } }]).listen()
      const response = await create(manualClock())(post(endpoint))
      await textOf(response.body)
      assert.equal(response.status, 307)
      assert.equal(other.requests.length, 0)
    })

    it("an abort before the request sends nothing", async () => {
      await using endpoint = await scriptedEndpoint([{ body: "x" }]).listen()
      const reason = new Error("stop")
      await assert.rejects(create(manualClock())(post(endpoint, { signal: AbortSignal.abort(reason) })), reason)
      assert.equal(endpoint.requests.length, 0)
    })

    it("an abort before the answer ends the wait with its reason", async () => {
      const controller = new AbortController()
      const reason = new Error("stop")
      const never: Step = () => {
        controller.abort(reason)
        return new Promise(() => {})
      }
      await using endpoint = await scriptedEndpoint([never]).listen()
      await assert.rejects(create(manualClock())(post(endpoint, { signal: controller.signal })), reason)
    })

    it("an abort in the middle of the body ends it with its reason", async () => {
      const controller = new AbortController()
      const reason = new Error("stop")
      await using endpoint = await scriptedEndpoint([{ chunks: ["one"], end: "hang" }]).listen()
      const response = await create(manualClock())(post(endpoint, { signal: controller.signal }))
      const read = async () => {
        for await (const _ of response.body) controller.abort(reason)
      }
      await assert.rejects(read(), reason)
    })

    it("silence before the answer is an idle timeout", async () => {
      const clock = manualClock()
      const silent: Step = () => {
        clock.advance(1000)
        return new Promise(() => {})
      }
      await using endpoint = await scriptedEndpoint([silent]).listen()
      await assert.rejects(create(clock)(post(endpoint)), IdleTimeoutError)
      assert.equal(clock.waiting, 0)
    })

    it("silence in the middle of the body is one too, and time before the last byte does not count", async () => {
      const clock = manualClock()
      const answer: Step = () => {
        clock.advance(900)
        return { chunks: ["one"], end: "hang" }
      }
      await using endpoint = await scriptedEndpoint([answer]).listen()
      const response = await create(clock)(post(endpoint))
      const body = response.body[Symbol.asyncIterator]()
      assert.equal(Buffer.from((await body.next()).value).toString(), "one")
      clock.advance(900) // nobody waits for the endpoint now
      const second = assert.rejects(body.next(), IdleTimeoutError)
      setImmediate(() => clock.advance(1000))
      await second
    })

    it("a connection that is dropped is an error, before and in the middle of the body", async () => {
      await using endpoint = await scriptedEndpoint([{ status: 0 }, { chunks: ["one"], end: "destroy" }]).listen()
      const transport = create(manualClock())
      await assert.rejects(transport(post(endpoint)))
      const response = await transport(post(endpoint))
      await assert.rejects(textOf(response.body))
    })

    it("no timer is left when the reply was read, or left early", async () => {
      const clock = manualClock()
      await using endpoint = await scriptedEndpoint([{ body: "x" }, { chunks: ["one"], end: "hang" }]).listen()
      const transport = create(clock)
      await textOf((await transport(post(endpoint))).body)
      assert.equal(clock.waiting, 0)
      for await (const _ of (await transport(post(endpoint))).body) break
      assert.equal(clock.waiting, 0)
    })
  })
}

describe("node:http", () => {
  it("takes bare deflate off too, as some servers send it", async () => {
    const bare = deflateRawSync(Buffer.from("bare")).toString("base64")
    const headers = { "content-encoding": "deflate" }
    await using endpoint = await scriptedEndpoint([{ chunksBase64: [bare], headers }]).listen()
    assert.equal(await textOf((await createNodeTransport(manualClock())(post(endpoint))).body), "bare")
  })

  it("uses one connection for requests one after the other", async () => {
    await using endpoint = await scriptedEndpoint([{ body: "x" }]).listen()
    const transport = createNodeTransport(manualClock())
    for (let n = 0; n < 3; n++) await textOf((await transport(post(endpoint))).body)
    assert.equal(endpoint.connections, 1)
  })

  it("a kept connection that the server has closed is replaced unseen", async () => {
    // Closed while our second request is on its way: answered by dropping the socket, once.
    const drops = { left: 1 }
    const second: Step = () => (drops.left-- > 0 ? { status: 0 } : { body: "fresh" })
    await using endpoint = await scriptedEndpoint([{ body: "first" }, second]).listen()
    const transport = createNodeTransport(manualClock())
    await textOf((await transport(post(endpoint))).body)
    assert.equal(await textOf((await transport(post(endpoint))).body), "fresh")
    assert.equal(endpoint.connections, 2)
  })

  it("a process ends although its connections are kept, also one whose reply was left early", async () => {
    await using endpoint = await scriptedEndpoint([{ body: "x" }, { chunks: ["one"], end: "hang" }]).listen()
    const code = `
      import { createNodeTransport } from "./src/endpoint/transport/node-transport.ts"
      import { systemClock } from "./src/event/system-clock.ts"
      const send = createNodeTransport(systemClock)
      const request = () => ({ url: new URL("${endpoint.baseUrl}"), headers: {}, body: "", signal: new AbortController().signal, idleTimeoutMs: 60000 })
      for await (const _ of (await send(request())).body) {}
      for await (const _ of (await send(request())).body) break
      console.log("done")
    `
    const child = spawn(process.execPath, [program({ code })], { stdio: ["ignore", "pipe", "inherit"] })
    const output = child.stdout.toArray()
    const [exitCode] = await once(child, "exit")
    assert.equal(exitCode, 0)
    assert.equal(Buffer.concat(await output).toString(), "done\n")
  })
})
