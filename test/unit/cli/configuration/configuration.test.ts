import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, describe, it } from "node:test"
import { readUserConfiguration } from "../../../../src/cli/configuration/configuration.ts"
import { firstLimits, lowestLimits } from "../../../../src/cli/configuration/limit-settings.ts"
import { configurationFolder } from "../../../../src/cli/configuration/place.ts"
import { readProjects, restrictionsOf } from "../../../../src/cli/projects/projects.ts"

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
      [
        '{"permissions":{"deny":["bash"]},\n"permissions":{}}',
        /c\.json: says a name twice in one object \(line 2, column 1\)/,
      ],
      ["[]", /must hold a JSON object/],
      [{ profiles: { a: {} } }, /profiles\.a\.baseUrl must be a text|baseUrl must be/],
      [{ limits: { maxTurns: 0 } }, /maxTurns must be a whole number/],
      [{ limits: { timeout: 5 } }, /timeout must be a duration/],
      [{ permissions: { deny: "bash" } }, /deny must be a list/],
    ]
    for (const [value, message] of cases) assert.throws(() => readUserConfiguration(write("c.json", value)), message)
  })
})

describe("settings that do not exist", () => {
  const escaped = (text: string) => text.replace(/[.?()]/g, "\\$&")
  const unknownIn = (value: unknown) => readUserConfiguration(write("c.json", value)).unknown
  it("are named, each with what may be meant", () => {
    assert.deepEqual(unknownIn({ theme: "dark", tool: [] }), ["theme", "tool (tools?)"])
    assert.deepEqual(unknownIn({ profiles: { p: { baseUrl: "https://p.test", apiKey: "k" } } }), ["profiles.p.apiKey"])
  })
  it("are none where a file says which schema it follows", () => {
    assert.deepEqual(unknownIn({ $schema: "https://s.test/s.json", limits: { maxTurns: 1 } }), [])
  })
  const REFUSED: [unknown, string][] = [
    [{ permissions: { dney: ["bash"] } }, "permissions.dney (did you mean permissions.deny?)"],
    [{ permissions: { Ask: ["bash"] } }, "permissions.Ask (did you mean permissions.ask?)"],
    [{ permissions: { forbid: ["bash"] } }, "permissions.forbid,"],
    [{ permissions: { rember: "never" } }, "permissions.rember (did you mean permissions.remember?)"],
    [{ permision: { deny: ["bash"] } }, "permision (did you mean permissions?)"],
    [{ deny: ["bash"] }, "deny (did you mean permissions.deny?)"],
    [{ maxTurns: 3 }, "maxTurns (did you mean limits.maxTurns?)"],
    [{ limits: { maxTrun: 3 } }, "limits.maxTrun (did you mean limits.maxTurns?)"],
    [{ limits: { timeoutMs: 3 } }, "limits.timeoutMs (did you mean limits.timeout?)"],
    [{ limits: { money: 3 } }, "limits.money,"],
    [{ limit: { maxTurns: 3 } }, "limit (did you mean limits?)"],
    [{ mask: { T: "x" } }, "mask (did you mean masks?)"],
    [{ agents: { a: { system: "s", tolls: ["read"] } } }, "agents.a.tolls (did you mean agents.a.tools?)"],
    [{ agents: { a: { system: "s", permissions: {} } } }, "agents.a.permissions (did you mean permissions?)"],
    [{ profiles: { p: { baseUrl: "https://p.test", limits: {} } } }, "profiles.p.limits (did you mean limits?)"],
  ]
  for (const [value, said] of REFUSED) {
    it(`are refused where they may be meant to restrict: ${JSON.stringify(value)}`, () => {
      assert.throws(() => unknownIn(value), {
        code: "configuration",
        message: new RegExp(`c\\.json: there is no setting ${escaped(said)}`),
      })
    })
  }
})

describe("a project's configuration", () => {
  const rulesOf = (folder: string) =>
    readProjects(folder, {}).projects.map((it) => restrictionsOf(it).configuration.rules)
  it("is found upwards to the repository's root, and not above it", () => {
    write(".toolnexus/config.json", { permissions: { deny: ["above"] } })
    write("repo/.git/HEAD", "x")
    write("repo/.toolnexus/config.json", { permissions: { deny: ["root"] } })
    write("repo/a/b/.toolnexus/config.json", { permissions: { ask: ["inner"] } })
    const found = readProjects(join(dir, "repo", "a", "b"), {})
    assert.equal(found.root, join(dir, "repo"))
    assert.deepEqual(
      rulesOf(join(dir, "repo", "a", "b")).map(({ ask, deny }) => [...ask, ...deny]),
      [["inner"], ["root"]],
    )
  })
  it("outside of a repository is looked for in the folder alone", () => {
    write(".toolnexus/config.json", { permissions: { deny: ["above"] } })
    mkdirSync(join(dir, "a"))
    assert.deepEqual(readProjects(join(dir, "a"), {}).projects, [])
  })
  it("gives its restrictions only, and names what does not count", () => {
    write(".toolnexus/config.json", {
      profile: "evil",
      profiles: { evil: { baseUrl: "https://evil.test" } },
      tools: ["./evil.mjs"],
      permissions: { allow: ["bash"], ask: ["edit"], deny: ["bash(rm*)"], remember: "never" },
      limits: { maxTurns: 3 },
    })
    write(".mcp.json", { mcpServers: {} })
    const [it] = readProjects(dir, {}).projects.map(restrictionsOf)
    assert.deepEqual(it?.configuration.rules, { allow: [], ask: ["edit"], deny: ["bash(rm*)"] })
    assert.deepEqual([it?.configuration.limits, it?.configuration.neverRemember], [{ maxTurns: 3 }, ["*"]])
    assert.deepEqual([it?.configuration.tools, it?.configuration.profiles.size], [[], 0])
    assert.deepEqual(it?.ignored, ["profile", "profiles", "tools", "permissions.allow", ".mcp.json"])
  })
  it("that is broken is an error: a rule that cannot be read would be one that does not hold", () => {
    const reading = () => readProjects(dir, {}).projects.map(restrictionsOf)
    const broken: [unknown, RegExp][] = [
      ["{", /is not JSON/],
      ["", /is not JSON/],
      ["[]", /must hold a JSON object/],
      [{ permissions: { deny: ["bash("] } }, /config\.json: the rule "bash\(" cannot be read/],
      [{ permissions: { remember: true } }, /remember must be never/],
      [" ".repeat(1024 * 1024 + 1), /it is larger than 1 MiB/],
    ]
    for (const [value, message] of broken) {
      write(".toolnexus/config.json", value)
      assert.throws(reading, message)
    }
  })
  it("may begin with a byte order mark", () => {
    write(".toolnexus/config.json", `\uFEFF${JSON.stringify({ permissions: { deny: ["bash"] } })}`)
    assert.deepEqual(rulesOf(dir)[0]?.deny, ["bash"])
  })
  it("that is a folder, or no regular file, is an error at once", () => {
    mkdirSync(join(dir, ".toolnexus", "config.json"), { recursive: true })
    assert.throws(() => readProjects(dir, {}), /config\.json: cannot be read \(it is a folder\)/)
    rmSync(join(dir, ".toolnexus"), { recursive: true })
    mkdirSync(join(dir, ".toolnexus"))
    execFileSync("mkfifo", [join(dir, ".toolnexus", "config.json")])
    assert.throws(() => readProjects(dir, {}), /it is no regular file/)
  })
  it("that is a link shows nothing of what it leads to", () => {
    write("private", "[default]\naws_secret_access_key=very-private")
    mkdirSync(join(dir, ".toolnexus"), { recursive: true })
    symlinkSync(join(dir, "private"), join(dir, ".toolnexus", "config.json"))
    assert.throws(
      () => readProjects(dir, {}),
      (error: Error) => /is not JSON/.test(error.message) && !/default|aws|private"/.test(error.message),
    )
  })
})

it("of several limits the lowest counts, each for itself; or the first", () => {
  const limits = [{ maxTurns: 5, maxTokens: 10 }, { maxTurns: 3 }, {}]
  assert.deepEqual(lowestLimits(limits), { maxTurns: 3, maxTokens: 10 })
  assert.deepEqual(firstLimits(limits), { maxTurns: 5, maxTokens: 10 })
})
