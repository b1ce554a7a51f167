import assert from "node:assert/strict"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, it } from "node:test"
import { configuredPerson as person, USER, WORK } from "./configured-person.ts"
import { projectPlace } from "./project-place.ts"

describe("config set", () => {
  it("makes the file for nobody else to read, with one setting after the other", async (t) => {
    const it = person(t)
    for (const [name, value] of [
      ["limits.maxTurns", "50"],
      ["limits.timeout", "20m"],
      ["permissions.deny", '["bash(rm*)"]'],
      ["profiles.work", JSON.stringify(WORK)],
      ["profiles.work.model", "gpt-5-mini"],
      ['profiles."gpt-4.1"', '{"baseUrl":"http://127.0.0.1:1/v1"}'],
      ["profile", "gpt-4.1"],
      ["permissions.remember", "never"],
      ["mcpServers.files", '{"command":"npx"}'],
      ["mcpServers.files.args", '["-y","x"]'],
      ["masks.TICKET", "TICKET-[0-9]+"],
    ] as const) {
      const { code, err } = await it.config("set", name, value)
      assert.deepEqual([code, err.includes(`${name} is set in `)], [0, true], err)
    }
    assert.deepEqual(it.json(), {
      limits: { maxTurns: 50, timeout: "20m" },
      permissions: { deny: ["bash(rm*)"], remember: "never" },
      profiles: { work: { ...WORK, model: "gpt-5-mini" }, "gpt-4.1": { baseUrl: "http://127.0.0.1:1/v1" } },
      profile: "gpt-4.1",
      mcpServers: { files: { command: "npx", args: ["-y", "x"] } },
      masks: { TICKET: "TICKET-[0-9]+" },
    })
    assert.equal(statSync(it.path(USER)).mode & 0o777, 0o600)
    assert.deepEqual(readdirSync(dirname(it.path(USER))), ["config.json"])
  })
  it("leaves everything else in the file as it is, to the last space", async (t) => {
    const it = person(t, '{\n    "limits": {"maxTurns": 5},   \n\n    "tools": [],\n    "mine": 1.0\n}\n')
    assert.equal((await it.config("set", "limits.maxTurns", "7")).code, 0)
    assert.equal(it.text(), '{\n    "limits": {"maxTurns": 7},   \n\n    "tools": [],\n    "mine": 1.0\n}\n')
    assert.equal((await it.config("set", "permissions.ask", '["edit"]')).code, 0)
    assert.match(it.text(), /"mine": 1\.0,\n {4}"permissions": \{\n {8}"ask": \["edit"\]\n {4}\}\n\}\n$/)
    assert.equal((await it.config("unset", "permissions.ask")).code, 0)
    assert.equal(it.text(), '{\n    "limits": {"maxTurns": 7},   \n\n    "tools": [],\n    "mine": 1.0\n}\n')
  })
  const refused: [string, string, RegExp][] = [
    ["limits.maxTurns", "0", /limits\.maxTurns must be a whole number above 0: nothing is changed$/],
    ["limits.maxTurns", "many", /limits\.maxTurns must be a number$/],
    ["limits.timeout", "10", /limits\.timeout must be a duration/],
    ["limits.maxTurn", "5", /there is no setting limits\.maxTurn: did you mean limits\.maxTurns\?/],
    ["maxTurns", "5", /did you mean limits\.maxTurns\?/],
    ["permisions.deny", "[]", /did you mean permissions\?/],
    ["permissions.dney", "[]", /did you mean permissions\.deny\?/],
    ["permissions.allow", "bash", /must be a list of texts, as JSON/],
    ["permissions.allow", '["bash("]', /the rule "bash\(" cannot be read/],
    ["permissions", '{"allow":[],"dney":[]}', /did you mean permissions\.deny\?/],
    ["profile", "work", /names "work", and there is no such profile/],
    ["profiles.work.model", "m", /profiles\.work\.baseUrl must be a text/],
    ["profiles.work", '{"baseUrl":"ftp://x"}', /profiles\.work\.baseUrl: .* is no http or https address/],
    ["profiles.work", '{"baseUrl":"https://x/v1","modle":"m"}', /did you mean profiles\.work\.model\?/],
    ["profiles.work", '{"baseUrl":"https://x/v1","style":"other"}', /style must be openai or anthropic/],
    ["masks.X", "(", /masks\.X/],
    ["tools", '["./none.mjs"]', /tools names .*none\.mjs, and there is no such file/],
    ["mcpServers.x", '{"args":[]}', /mcpServers\.x must have a command or a url/],
    ["mcpServers.x", '{"command":"x","arg":[]}', /did you mean mcpServers\.x\.args\?/],
    ["limits..x", "1", /is no setting's name/],
    ["profile.x", "1", /there is no setting profile\.x: did you mean profile\?/],
    ["__proto__.x", "1", /there is no setting __proto__/],
    ["masks.A", "[masked WORK_KEY]", /holds a mark/],
  ]
  for (const [name, value, message] of refused) {
    it(`refuses ${name} ${value}: one line, exit 2, nothing is written`, async (t) => {
      const it = person(t)
      const { code, err, out } = await it.config("set", name, value)
      assert.deepEqual([code, out], [2, ""])
      assert.match(err.trimEnd(), message)
      assert.equal(err.trimEnd().split("\n").length, 1)
      assert.equal(existsSync(it.path(USER)), false)
    })
  }
  it("takes no key wherever it is put, and does not repeat it", async (t) => {
    const it = person(t, { profiles: { work: WORK } })
    const before = it.text()
    const key = "sk-very-private-0123456789"
    const tries: [string, string][] = [
      ["profiles.work.apiKey", key],
      ["apiKey", key],
      ["OPENAI_API_KEY", key],
      ["profiles.work.apiKeyEnv", key],
      ["profiles.work.apiKeyEnv", "AKIAIOSFODNN7EXAMPLE"],
      ["profiles.work.headers.Authorization", `Bearer ${key}`],
      ["profiles.work.baseUrl", `https://x.example/v1?api_key=${key}`],
      ["profiles.work", JSON.stringify({ ...WORK, key })],
    ]
    for (const [name, value] of tries) {
      const { code, err } = await it.config("set", name, value)
      assert.equal(code, 2, name)
      assert.match(err, /key|apiKeyEnv/)
      assert.doesNotMatch(err, /very-private|AKIA/)
    }
    assert.equal(it.text(), before)
    assert.equal((await it.config("set", "profiles.work.apiKeyEnv", "OTHER_KEY")).code, 0)
  })
  it("says of a server's secret in clear that anybody can read it there", async (t) => {
    const it = person(t)
    const plain = await it.config("set", "mcpServers.x", '{"command":"x","env":{"TOKEN":"abc"}}')
    assert.equal(plain.code, 0)
    assert.match(plain.err, /mcpServers\.x holds a secret that whoever reads the file can read: write \$\{NAME\}/)
    const named = await it.config("set", "mcpServers.x.env.TOKEN", "${MY_TOKEN}")
    assert.doesNotMatch(named.err, /secret/)
  })
  it("changes nothing of a file that is broken elsewhere or no JSON, and says what is wrong there", async (t) => {
    const it = person(t, { permissions: { dney: ["bash"] } })
    const broken = await it.config("set", "limits.maxTurns", "5")
    assert.equal(broken.code, 2)
    assert.match(broken.err, /there is no setting permissions\.dney \(did you mean permissions\.deny\?\)/)
    it.write(USER, '{ "limits": ')
    const noJson = await it.config("set", "limits.maxTurns", "5")
    assert.equal(noJson.code, 2)
    assert.match(noJson.err, /is not JSON \(line 1, column/)
    assert.equal(it.text(), '{ "limits": ')
  })
  it("loses nothing of several at once", async (t) => {
    const it = person(t, { limits: { maxTurns: 1 } })
    const names = Array.from({ length: 12 }, (_, at) => `masks.M${at}`)
    const all = await Promise.all(names.map((name) => it.config("set", name, name)))
    assert.deepEqual([...new Set(all.map(({ code }) => code))], [0])
    assert.deepEqual(Object.keys(it.json().masks).sort(), names.map((name) => name.slice("masks.".length)).sort())
  })
  it("says in JSON what it did", async (t) => {
    const it = person(t)
    const { json } = await it.config("set", "limits.maxTurns", "5", "--output", "json")
    assert.deepEqual(json, { name: "limits.maxTurns", file: it.path(USER), changed: true })
    assert.equal((await it.config("set", "limits.maxTurns", "5", "--output", "json")).json.changed, false)
  })
})

describe("config unset", () => {
  it("removes a setting, with what it leaves empty", async (t) => {
    const it = person(t, { limits: { maxTurns: 5 }, masks: { A: "a", B: "b" } })
    assert.equal((await it.config("unset", "limits.maxTurns")).code, 0)
    assert.equal((await it.config("unset", "masks.A")).code, 0)
    assert.deepEqual(it.json(), { masks: { B: "b" } })
    const again = await it.config("unset", "limits.maxTurns")
    assert.equal(again.code, 0)
    assert.match(again.err, /limits\.maxTurns is not set in .*: nothing is changed/)
    assert.match((await it.config("unset", "limits.maxTurn")).err, /did you mean limits\.maxTurns\?/)
  })
  it("mends a broken file bit by bit, and says what is left", async (t) => {
    const it = person(t, { permissions: { dney: ["bash"], alow: [] }, limits: { maxTurns: "x" } })
    const first = await it.config("unset", "permissions.dney")
    assert.equal(first.code, 0)
    assert.match(first.err, /what is left is still broken: .*permissions\.alow/)
    assert.equal((await it.config("unset", "permissions.alow")).code, 0)
    assert.equal((await it.config("unset", "limits")).code, 0)
    assert.deepEqual(it.json(), {})
  })
  it("refuses what would break the file: a profile that is in use, the address of one", async (t) => {
    const it = person(t, { profile: "work", profiles: { work: WORK } })
    for (const name of ["profiles.work", "profiles.work.baseUrl"])
      assert.equal((await it.config("unset", name)).code, 2)
    assert.equal((await it.config("unset", "profile")).code, 0)
    assert.equal((await it.config("unset", "profiles.work")).code, 0)
  })
})

describe("config of a project", { timeout: 20_000 }, () => {
  it("is changed with --project, at the repository's root, and its trust is asked anew", async (t) => {
    const it = await projectPlace(t, [])
    it.put("src/deep/x", "")
    const inside = { cwd: join(it.repo, "src", "deep") }
    const made = await it.run(["config", "set", "permissions.allow", '["bash(git status*)"]', "--project"], inside)
    assert.equal(made.code, 0)
    const file = join(it.repo, ".toolnexus", "config.json")
    assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), { permissions: { allow: ["bash(git status*)"] } })
    assert.match(made.err, /is not trusted as it is now: .*: toolnexus trust/)
    assert.equal((await it.trust()).code, 0)
    const before = await it.run(["config", "get", "permissions.allow"])
    assert.equal(before.out, '["bash(git status*)"]\n')
    assert.equal((await it.run(["config", "set", "limits.maxTurns", "5", "--project"])).code, 0)
    const after = await it.run(["config", "get", "permissions.allow"])
    assert.equal(after.code, 2)
    assert.match(after.err, /permissions\.allow is not in force \(its project is changed since it was trusted\)/)
    assert.equal((await it.run(["config", "get", "limits.maxTurns"])).out, "5\n")
  })
  it("may use a profile of the user's, and is not written through a link", async (t) => {
    const it = await projectPlace(t, [])
    const set = (...more: string[]) => it.run(["config", "set", ...more])
    assert.equal((await set("profile", "work", "--project")).code, 2)
    assert.equal((await set("profiles.work", JSON.stringify(WORK))).code, 0)
    assert.equal((await set("profile", "work", "--project")).code, 0)
    const other = await projectPlace(t, [])
    writeFileSync(other.here.path("private.json"), "{}")
    mkdirSync(join(other.repo, ".toolnexus"))
    symlinkSync(other.here.path("private.json"), join(other.repo, ".toolnexus", "config.json"))
    const refused = await other.run(["config", "set", "limits.maxTurns", "5", "--project"])
    assert.deepEqual([refused.code, other.here.read("private.json")], [2, "{}"])
    assert.match(refused.err, /is a link, and is not written through/)
  })
})
