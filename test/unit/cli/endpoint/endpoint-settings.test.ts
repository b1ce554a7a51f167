import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { Profile } from "../../../../src/cli/configuration/configuration.ts"
import {
  chooseEndpoint,
  type Endpoint,
  type EndpointSources,
  readKey,
} from "../../../../src/cli/endpoint/endpoint-settings.ts"

function configuration(profiles: Record<string, Profile> = {}, profile?: string): EndpointSources["user"] {
  return {
    file: "/home/u/config.json",
    profiles: new Map(Object.entries(profiles)),
    ...(profile === undefined ? {} : { profile }),
  }
}

function choice(sources: Partial<EndpointSources>) {
  return chooseEndpoint({ flags: {}, env: {}, user: configuration(), ...sources })
}

function chosen(sources: Partial<EndpointSources>): Endpoint & { kind: "http" } {
  const it = choice(sources)
  assert.equal(it.kind, "chosen")
  assert.ok(it.kind === "chosen" && it.endpoint.kind === "http")
  return it.endpoint
}

const OPENAI = "https://api.openai.com/v1"
const work: Profile = { baseUrl: "https://work.test/v1", model: "w", apiKeyEnv: "WORK_KEY" }

describe("the endpoint", () => {
  it("comes from flags before the environment, and from the environment before the configuration", () => {
    const env = { TOOLNEXUS_BASE_URL: "https://env.test", TOOLNEXUS_MODEL: "e" }
    const config = configuration({ work }, "work")
    assert.equal(chosen({ flags: { baseUrl: "https://flag.test" }, env, user: config }).baseUrl, "https://flag.test")
    assert.equal(chosen({ env, user: config }).baseUrl, "https://env.test")
    assert.equal(chosen({ user: config }).baseUrl, "https://work.test/v1")
  })
  it("says what is missing", () => {
    assert.deepEqual(choice({}), { kind: "missing", missing: ["base URL", "model"] })
    assert.deepEqual(choice({ flags: { model: "m" } }), { kind: "missing", missing: ["base URL"] })
  })
  it("does not put the model of a profile to another address", () => {
    const it = choice({ flags: { baseUrl: "https://flag.test" }, user: configuration({ work }, "work") })
    assert.deepEqual(it, { kind: "missing", missing: ["model"] })
  })
  it("lets a flag choose another model of a profile's endpoint", () => {
    const it = chosen({ flags: { profile: "work", model: "bigger" }, user: configuration({ work }) })
    assert.deepEqual([it.baseUrl, it.model], ["https://work.test/v1", "bigger"])
  })
  it("is the demo model when it is named, and that has no address", () => {
    assert.deepEqual(choice({ flags: { model: "demo" } }), { kind: "chosen", endpoint: { kind: "demo" } })
    assert.throws(() => choice({ flags: { model: "demo", baseUrl: OPENAI } }), /leave --base-url out/)
  })
  it("refuses an address that is none, and one with a password in it", () => {
    for (const baseUrl of ["localhost:1", "file:///etc/passwd", "x"]) {
      assert.throws(() => choice({ flags: { baseUrl, model: "m" } }), /no http or https address/)
    }
    assert.throws(
      () => choice({ flags: { baseUrl: "https://u:secret@h.test", model: "m" } }),
      (error: Error) => {
        return /--api-key-env/.test(error.message) && !error.message.includes("secret")
      },
    )
  })
  it("refuses an address with a key in its query, wherever it comes from, and does not repeat it", () => {
    const names = ["key", "api_key", "api-key", "token", "access_token", "sig", "code", "X-Amz-Signature"]
    for (const name of names) {
      const baseUrl = `https://h.test/v1?api-version=1&${name}=s3cret`
      const places: Partial<EndpointSources>[] = [
        { flags: { baseUrl, model: "m" } },
        { env: { TOOLNEXUS_BASE_URL: baseUrl, TOOLNEXUS_MODEL: "m" } },
        { user: configuration({ work: { ...work, baseUrl } }, "work") },
      ]
      const message = `the base URL holds a key (${JSON.stringify(name)} in its query): give the key with --api-key-env NAME instead`
      for (const place of places) assert.throws(() => choice(place), { code: "usage", message })
    }
    assert.throws(
      () => choice({ flags: { baseUrl: "htp://u:s3cret@h.test?key=s3cret", model: "m" } }),
      (error: Error) => !error.message.includes("s3cret"),
    )
  })
  it("takes an address with another query", () => {
    const baseUrl = "https://h.test/v1?api-version=2024-10-21&tokens=3&keyboard=de&encode=1"
    assert.equal(chosen({ flags: { baseUrl, model: "m" } }).baseUrl, baseUrl)
  })
  it("names the profiles there are where one is not found, and takes none from the prototype", () => {
    assert.throws(
      () => choice({ flags: { profile: "constructor" }, user: configuration({ work }) }),
      /name one of work/,
    )
  })
  it("of a resume is what is remembered, before environment and configuration", () => {
    const remembered: Endpoint = { kind: "http", baseUrl: "https://mine.test", style: "anthropic", model: "m" }
    const env = { TOOLNEXUS_BASE_URL: "https://env.test", TOOLNEXUS_MODEL: "e" }
    assert.deepEqual(chosen({ remembered, env }), remembered)
    assert.deepEqual(choice({ remembered: { kind: "demo" }, env }), { kind: "chosen", endpoint: { kind: "demo" } })
  })
})

describe("the key", () => {
  const keys = { OPENAI_API_KEY: "o", ANTHROPIC_API_KEY: "a", OPENROUTER_API_KEY: "r" }
  const variable = (baseUrl: string, more: Partial<EndpointSources> = {}) =>
    chosen({ env: keys, ...more, flags: { baseUrl, model: "m", ...more.flags } }).apiKeyEnv

  it("of a provider goes to its own host", () => {
    assert.equal(variable(OPENAI), "OPENAI_API_KEY")
    assert.equal(variable("https://api.anthropic.com"), "ANTHROPIC_API_KEY")
    assert.equal(variable("https://openrouter.ai/api/v1"), "OPENROUTER_API_KEY")
  })
  it("of a provider goes to no other host, and not in clear", () => {
    for (const url of [
      "https://api.openai.com.evil.test",
      "https://evil.test/api.openai.com",
      "https://evilapi.openai.com.test",
      "https://openrouter.ai.evil.test",
      "http://api.openai.com/v1",
      "http://localhost:8080",
    ]) {
      assert.equal(variable(url), undefined, url)
    }
  })
  it("is the one that --api-key-env names, else TOOLNEXUS_API_KEY", () => {
    const env = { ...keys, TOOLNEXUS_API_KEY: "t", MINE: "m" }
    assert.equal(variable("https://other.test", { env }), "TOOLNEXUS_API_KEY")
    assert.equal(variable("https://other.test", { env, flags: { apiKeyEnv: "MINE" } }), "MINE")
  })
  it("of a profile goes to the profile's address only", () => {
    const config = configuration({ work }, "work")
    assert.equal(chosen({ user: config }).apiKeyEnv, "WORK_KEY")
    assert.equal(variable("https://other.test", { user: config }), undefined)
  })
  it("of a remembered endpoint does not go to an address that a flag names", () => {
    const remembered: Endpoint = {
      kind: "http",
      baseUrl: "https://a.test",
      style: "openai",
      model: "m",
      apiKeyEnv: "A_KEY",
    }
    assert.equal(chosen({ remembered }).apiKeyEnv, "A_KEY")
    assert.equal(variable("https://b.test", { remembered }), undefined)
  })
  it("is read from its variable, and one that is not set is named", () => {
    const endpoint: Endpoint = { kind: "http", baseUrl: OPENAI, style: "openai", model: "m", apiKeyEnv: "MINE" }
    assert.equal(readKey(endpoint, { MINE: "k" }), "k")
    assert.throws(() => readKey(endpoint, { MINE: "" }), /MINE, which is not set/)
  })
})
