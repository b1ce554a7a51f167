import assert from "node:assert/strict"
import { mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, it } from "node:test"
import { place } from "./command-line.ts"
import { configuredPerson as person, USER, WORK } from "./configured-person.ts"
import { projectPlace } from "./project-place.ts"

describe("config list", { timeout: 20_000 }, () => {
  it("is what config alone does: what is in force, from where, and what is not", async (t) => {
    const it = await projectPlace(t, [])
    it.put(".toolnexus/config.json", {
      limits: { maxTurns: 900, maxRepeats: 2 },
      permissions: { allow: ["bash"], deny: ["bash(rm*)"] },
      tools: ["x.mjs"],
    })
    mkdirSync(dirname(it.here.path(USER)), { recursive: true })
    it.here.write(USER, { limits: { maxTurns: 50 }, profiles: { work: WORK } })
    const env = { TOOLNEXUS_BASE_URL: it.own.baseUrl, TOOLNEXUS_MODEL: "m", TOOLNEXUS_API_KEY: "very-private-key" }
    const { code, out, err } = await it.run(["config"], { env })
    assert.equal(code, 0, err)
    const [inForce = "", not = ""] = out.split("not in force:")
    assert.match(inForce, /^endpoint\.baseUrl +TOOLNEXUS_BASE_URL +http:/m)
    assert.match(inForce, /^endpoint\.model +TOOLNEXUS_MODEL +m$/m)
    assert.match(inForce, /^endpoint\.apiKeyEnv +TOOLNEXUS_API_KEY +TOOLNEXUS_API_KEY$/m)
    assert.match(inForce, /^profiles\.work +user +\{"baseUrl"/m)
    assert.match(inForce, /^permissions\.deny +project \(not trusted\) +\["bash\(rm\*\)"\]$/m)
    assert.match(inForce, /^limits\.maxTurns +user +50$/m)
    assert.match(inForce, /^limits\.maxRepeats +project \(not trusted\) +2$/m)
    assert.match(inForce, /^limits\.maxToolCalls +default +500$/m)
    assert.match(not, /^permissions\.allow +project \(not trusted\): its project is not trusted +\["bash"\]$/m)
    assert.match(not, /^limits\.maxTurns +project \(not trusted\): it is not trusted, and no lower +900$/m)
    assert.match(not, /^limits\.maxTurns +default: another one counts +100$/m)
    assert.match(not, /^tools +project/m)
    assert.doesNotMatch(out + err, /very-private/)
    const { settings } = (await it.run(["config", "list", "--output", "json"], { env })).json
    const file = join(it.repo, ".toolnexus", "config.json")
    assert.deepEqual(
      settings.find((it: { name: string }) => it.name === "permissions.deny"),
      {
        name: "permissions.deny",
        value: ["bash(rm*)"],
        from: { is: "project", file, trust: "not trusted" },
        inForce: true,
      },
    )
  })
  it("says which file's profile names the endpoint, its model and its key", async (t) => {
    const profiles = { work: { baseUrl: "https://api.openai.com/v1", model: "gpt-5" }, other: WORK }
    const it = person(t, { profile: "work", profiles })
    const rows = async (env: Record<string, string>) => {
      const { settings } = (await it.run(["config", "--output", "json"], { env })).json
      const ofEndpoint = settings.filter(({ name }: { name: string }) => name.startsWith("endpoint."))
      return ofEndpoint.map((row: { name: string; value: string; from: { is: string } }) => [
        row.name.slice(9),
        row.value,
        row.from.is,
      ])
    }
    const [url, style] = [
      ["baseUrl", "https://api.openai.com/v1", "user"],
      ["style", "openai", "default"],
    ]
    assert.deepEqual(await rows({ OPENAI_API_KEY: "k" }), [
      url,
      ["model", "gpt-5", "user"],
      style,
      ["apiKeyEnv", "OPENAI_API_KEY", "default"],
    ])
    const env = { TOOLNEXUS_PROFILE: "other", TOOLNEXUS_MODEL: "m" }
    assert.deepEqual(await rows(env), [url, ["model", "m", "environment"], style, ["apiKeyEnv", "WORK_KEY", "user"]])
    assert.match((await it.run(["config"], { env: { TOOLNEXUS_PROFILE: "none" } })).err, /no profile "none"/)
  })
  it("shows no secret that a file holds, nor does get", async (t) => {
    const secret = "very-private-value"
    const it = person(t, {
      mcpServers: {
        a: { command: "x", args: ["--token", secret, `--api-key=${secret}`], env: { TOKEN: secret, OTHER: "${NAME}" } },
        b: { url: `https://x.example/mcp?api_key=${secret}`, headers: { Authorization: "Bearer ${TOKEN}" } },
        c: { command: "x", env: { PLAIN: secret } },
      },
    })
    const env = { MY_TOKEN: secret }
    const listed = await it.run(["config"], { env })
    const got = await it.run(["config", "get", "mcpServers.a.env.TOKEN"], { env })
    assert.deepEqual([listed.code, got.code, got.out], [0, 0, "[masked TOKEN]\n"])
    assert.doesNotMatch(listed.out + listed.err + got.err, /very-private/)
    assert.match(listed.out, /Bearer \$\{TOKEN\}/)
    assert.match(got.err, /is not shown/)
  })
  it("obeys nothing that a project says", async (t) => {
    const it = await projectPlace(t, [])
    it.put(".toolnexus/config.json", { permissions: { deny: ["bash(\u001b[2K\u202E)"] } })
    const { out } = await it.run(["config"], { streamsAreTerminals: true })
    assert.doesNotMatch(out, /[\u001b\u202E]/)
    assert.match(out, /<U\+202E>|\\u202e/i)
  })
  it("says what is wrong with a broken file: exit 2", async (t) => {
    const it = person(t, { limits: { maxTurns: 0 } })
    const { code, err } = await it.config()
    assert.equal(code, 2)
    assert.match(err, /maxTurns must be a whole number above 0/)
  })
})

describe("config get", () => {
  it("prints a text as it is and anything else as JSON, of what is in force", async (t) => {
    const it = person(t, { limits: { maxTurns: 5 }, profiles: { work: WORK }, permissions: { allow: ["bash(ls*)"] } })
    const cases: [string, string][] = [
      ["limits.maxTurns", "5"],
      ["limits.maxToolCalls", "500"],
      ["limits", '{"maxTurns":5,"maxToolCalls":500,"maxRepeats":5}'],
      ["profiles.work.model", "gpt-5"],
      ["profiles.work", JSON.stringify(WORK)],
      ["permissions.allow", '["bash(ls*)"]'],
      ["permissions", '{"allow":["bash(ls*)"]}'],
    ]
    for (const [name, value] of cases) assert.equal((await it.config("get", name)).out, `${value}\n`, name)
    assert.deepEqual((await it.config("get", "limits.maxTurns", "--output", "json")).json, {
      name: "limits.maxTurns",
      value: 5,
    })
  })
  it("says what is not set, and what there is no such thing as: exit 2, nothing on stdout", async (t) => {
    const it = person(t)
    const unset = await it.config("get", "limits.timeout")
    assert.deepEqual([unset.code, unset.out], [2, ""])
    assert.match(unset.err, /limits\.timeout is not set/)
    assert.match((await it.config("get", "limits.tiemout")).err, /did you mean limits\.timeout\?/)
  })
})

describe("config path", () => {
  it("prints where the files are, or one path alone", async (t) => {
    const it = await projectPlace(t, [])
    const all = await it.run(["config", "path"])
    assert.match(
      all.out,
      /^user +\S+config\.json {2}\(it is not there yet\)\nproject +\S+config\.json .*\nstate +\S+state/,
    )
    const user = await it.run(["config", "path", "--user"])
    assert.match(user.out, /\/config\/toolnexus\/config\.json\n$/)
    const project = await it.run(["config", "path", "--project"])
    assert.equal(project.out, `${join(it.repo, ".toolnexus", "config.json")}\n`)
  })
})

describe("config edit", () => {
  it("without a terminal edits nothing, and says what does: exit 2", async (t) => {
    const it = place(t)
    const { code, err } = await it.run(["config", "edit"])
    assert.equal(code, 2)
    assert.match(err, /an editor needs a terminal \(there is no terminal\): .* config set NAME VALUE/)
  })
})
