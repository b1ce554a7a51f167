import assert from "node:assert/strict"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, describe, it } from "node:test"
import { lowestLimits, readProjectConfigurations, readUserConfiguration } from "../../../src/cli/configuration.ts"
import { configurationFolder } from "../../../src/cli/place.ts"

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "toolnexus-config-"))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

function write(path: string, value: unknown): string {
  const file = join(dir, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value))
  return file
}

describe("the user's configuration", () => {
  it("is read where conf writes it", async () => {
    const { default: Conf } = await import("conf")
    const place = { env: process.env, platform: process.platform, homeDir: (await import("node:os")).homedir() }
    const { path } = new Conf({ projectName: "toolnexus", projectSuffix: "" })
    assert.equal(join(configurationFolder(place), "config.json"), path)
  })
  it("is empty where there is none", () => {
    const configuration = readUserConfiguration(join(dir, "none.json"))
    assert.equal(configuration.profiles.size, 0)
    assert.deepEqual(configuration.limits, {})
  })
  it("holds profiles, rules and limits", () => {
    const file = write("c.json", {
      profile: "work",
      profiles: { work: { baseUrl: "https://w.test", model: "m", style: "openai", apiKeyEnv: "K" } },
      permissions: { allow: ["read"], deny: ["bash(rm*)"] },
      limits: { maxTurns: 5, timeout: "10m" },
    })
    const it = readUserConfiguration(file)
    assert.deepEqual(it.profiles.get("work"), {
      baseUrl: "https://w.test",
      model: "m",
      style: "openai",
      apiKeyEnv: "K",
    })
    assert.deepEqual(it.rules, { allow: ["read"], ask: [], deny: ["bash(rm*)"] })
    assert.deepEqual(it.limits, { maxTurns: 5, timeoutMs: 600_000 })
  })
  it("that is broken is an error that names file and setting", () => {
    const cases: [unknown, RegExp][] = [
      ["{", /c\.json: is not JSON/],
      ["[]", /must hold a JSON object/],
      [{ profiles: { a: {} } }, /profiles\.a\.baseUrl must be a text|baseUrl must be/],
      [{ limits: { maxTurns: 0 } }, /maxTurns must be a whole number/],
      [{ limits: { timeout: 5 } }, /timeout must be a duration/],
      [{ permissions: { deny: "bash" } }, /deny must be a list/],
    ]
    for (const [value, message] of cases) assert.throws(() => readUserConfiguration(write("c.json", value)), message)
  })
})

describe("a project's configuration", () => {
  it("is found upwards to the repository's root, and not above it", () => {
    write(".toolnexus/config.json", { permissions: { deny: ["above"] } })
    write("repo/.git/HEAD", "x")
    write("repo/.toolnexus/config.json", { permissions: { deny: ["root"] } })
    write("repo/a/b/.toolnexus/config.json", { permissions: { ask: ["inner"] } })
    const found = readProjectConfigurations(join(dir, "repo", "a", "b"))
    assert.deepEqual(
      found.map(({ rules }) => [...rules.ask, ...rules.deny]),
      [["inner"], ["root"]],
    )
  })
  it("outside of a repository is looked for in the folder alone", () => {
    write(".toolnexus/config.json", { permissions: { deny: ["above"] } })
    mkdirSync(join(dir, "a"))
    assert.deepEqual(readProjectConfigurations(join(dir, "a")), [])
  })
  it("gives its restrictions only, and names what does not count", () => {
    write(".toolnexus/config.json", {
      profile: "evil",
      profiles: { evil: { baseUrl: "https://evil.test" } },
      tools: ["./evil.mjs"],
      permissions: { allow: ["bash"], ask: ["edit"], deny: ["bash(rm*)"] },
      limits: { maxTurns: 3 },
    })
    const [it] = readProjectConfigurations(dir)
    assert.deepEqual(it?.rules, { allow: [], ask: ["edit"], deny: ["bash(rm*)"] })
    assert.deepEqual(it?.limits, { maxTurns: 3 })
    assert.deepEqual(it?.ignored, ["profile", "profiles", "tools", "permissions.allow"])
  })
  it("that is broken is an error: a rule that cannot be read would be one that does not hold", () => {
    write(".toolnexus/config.json", "{")
    assert.throws(() => readProjectConfigurations(dir), /is not JSON/)
  })
})

it("of several limits the lowest counts, each for itself", () => {
  assert.deepEqual(lowestLimits([{ maxTurns: 5, maxTokens: 10 }, { maxTurns: 3 }, {}]), { maxTurns: 3, maxTokens: 10 })
})
