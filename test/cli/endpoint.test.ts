import assert from "node:assert/strict"
import { mkdirSync } from "node:fs"
import { describe, it, type TestContext } from "node:test"
import { replyCalls, replyText, type Step, scriptedEndpoint } from "../support/scripted-endpoint.ts"
import { place, type Started, TOOLS } from "./command-line.ts"

const SLOW_DOWN: Step = {
  status: 429,
  headers: { "retry-after": "4" },
  body: { error: { message: "slow down, org-abc123def456" } },
}

async function endpointPlace(t: TestContext, steps: Step[]) {
  const endpoint = await scriptedEndpoint(steps).listen()
  t.after(() => endpoint.close())
  return { ...place(t), endpoint, options: ["--base-url", endpoint.baseUrl, "--model", "m"] }
}

async function until(happened: () => boolean): Promise<void> {
  while (!happened()) await new Promise((resolve) => setImmediate(resolve))
}

/** Lets time pass once the endpoint was asked, until it is asked again. */
async function passRetry(started: Started, endpoint: { requests: unknown[] }): Promise<void> {
  await until(() => endpoint.requests.length === 1)
  await until(() => {
    if (endpoint.requests.length === 1) started.pass(1000)
    return endpoint.requests.length === 2
  })
}

describe("an endpoint that is tried again", { timeout: 20_000 }, () => {
  it("is said on stderr, with the wait and the cause, and without the account", async (t) => {
    const { start, endpoint, options } = await endpointPlace(t, [SLOW_DOWN, replyText("fine")])
    const started = start(["run", "x", ...options])
    await until(() => started.err().includes("retrying"))
    assert.match(started.err(), /^retrying in 4 s: 429: slow down, org-\*\*\*$/m)
    started.pass(3999)
    assert.equal(endpoint.requests.length, 1)
    started.pass(1)
    const { code, out } = await started.ran
    assert.deepEqual([code, out], [0, "fine\n"])
  })

  it("is not with --quiet", async (t) => {
    const { start, endpoint, options } = await endpointPlace(t, [SLOW_DOWN, replyText("fine")])
    const started = start(["run", "x", ...options, "--quiet"])
    await passRetry(started, endpoint)
    const { out, err } = await started.ran
    assert.deepEqual([out, err], ["fine\n", ""])
  })
})

describe("a profile", () => {
  const withProfile = async (t: TestContext, profile: object, steps: Step[] = [replyText("ok")]) => {
    const here = await endpointPlace(t, steps)
    mkdirSync(here.path("config/toolnexus"), { recursive: true })
    const baseUrl = `${here.endpoint.baseUrl}/openai/deployments/d?api-version=2024-10-21`
    const profiles = { gateway: { baseUrl, model: "m", apiKeyEnv: "GATEWAY_KEY", ...profile } }
    here.write("config/toolnexus/config.json", { profile: "gateway", profiles })
    return here
  }
  const env = { GATEWAY_KEY: "key-1" }

  it("says which header the key is sent in, which other headers there are, and the query of its address", async (t) => {
    const { run, endpoint } = await withProfile(t, { auth: "api-key", headers: { "X-Route": "a" } })
    const { code, err } = await run(["run", "x"], { env })
    assert.equal(code, 0, err)
    const [sent] = endpoint.requests
    assert.equal(sent?.url, "/openai/deployments/d/chat/completions?api-version=2024-10-21")
    assert.equal(sent?.headers["api-key"], "key-1")
    assert.equal(sent?.headers.authorization, undefined)
    assert.equal(sent?.headers["x-route"], "a")
  })

  it("with auth none sends no key, and needs none", async (t) => {
    const { run, endpoint } = await withProfile(t, { auth: "none" })
    assert.equal((await run(["run", "x"], { env: { TOOLNEXUS_API_KEY: "key-2" } })).code, 0)
    const sent = endpoint.requests.flatMap(({ headers }) => Object.keys(headers))
    assert.deepEqual(
      sent.filter((name) => ["authorization", "api-key", "x-api-key"].includes(name)),
      [],
    )
    assert.equal(endpoint.requests.length, 1)
  })

  it("is what a resume goes on with", async (t) => {
    const call = replyCalls([{ id: "c1", name: "deploy", arguments: { service: "api" } }])
    const steps = [call, replyText("ok")]
    const { run, write, endpoint } = await withProfile(t, { auth: "api-key", headers: { "x-route": "a" } }, steps)
    write("tools.mjs", TOOLS)
    assert.equal((await run(["run", "x", "--tools", "tools.mjs", "--file", "a.run.jsonl"], { env })).code, 3)
    write("config/toolnexus/config.json", {})
    const { code, err } = await run(["resume", "a.run.jsonl", "--answer", "staging"], { env })
    assert.equal(code, 0, err)
    assert.deepEqual(
      endpoint.requests.map(({ headers }) => [headers["api-key"], headers["x-route"]]),
      Array(2).fill(["key-1", "a"]),
    )
  })

  it("with a key in a header is refused: keys are in no file", async (t) => {
    for (const name of ["Authorization", "x-gateway-api-key"]) {
      const { run, endpoint } = await withProfile(t, { headers: { [name]: "secret-value" } })
      const { code, err } = await run(["run", "x"], { env })
      assert.equal(code, 2)
      assert.match(err, /headers must be an object of texts, with no header for a key in it \(apiKeyEnv names/)
      assert.doesNotMatch(err, /secret-value/)
      assert.equal(endpoint.requests.length, 0)
    }
  })
})
