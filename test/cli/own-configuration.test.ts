import assert from "node:assert/strict"
import { existsSync, mkdirSync, rmSync } from "node:fs"
import { describe, it, type TestContext } from "node:test"
import { replyCalls, replyText, scriptedEndpoint } from "../support/scripted-endpoint.ts"
import { place, TOOLS } from "./command-line.ts"
import { MARKING_SERVER } from "./project-place.ts"

const bashCall = replyCalls([{ id: "c1", name: "bash", arguments: { command: "true" } }])

/** The person's own configuration beside a folder to work in. */
async function ownPlace(t: TestContext, settings: object) {
  const endpoint = await scriptedEndpoint([bashCall, replyText("done")]).listen()
  t.after(() => endpoint.close())
  const here = place(t)
  mkdirSync(here.path("config/toolnexus/skills/greeting"), { recursive: true })
  const profiles = { mine: { baseUrl: endpoint.baseUrl, model: "m" } }
  here.write("config/toolnexus/config.json", { profile: "mine", profiles, ...settings })
  here.write("config/toolnexus/tools.mjs", TOOLS)
  here.write("config/toolnexus/skills/greeting/SKILL.md", "---\nname: greeting\ndescription: d\n---\nSay hello.\n")
  const file = here.path("r.run.jsonl")
  const toolsIn = (at: number): string[] =>
    endpoint.requests[at]?.body.tools.map((tool: { function: { name: string } }) => tool.function.name)
  return { ...here, endpoint, file, toolsIn }
}

describe("the person's own configuration", { timeout: 20_000 }, () => {
  it("brings tools, skills and servers, by paths from its folder, and needs no trust", async (t) => {
    const mcpServers = { marking: { command: process.execPath, args: ["server.mjs"] } }
    const it = await ownPlace(t, { tools: ["tools.mjs"], skills: ["./skills"], mcpServers })
    it.write("server.mjs", MARKING_SERVER)
    const ran = await it.run(["run", "x", "--file", it.file])
    assert.equal(ran.code, 3)
    assert.deepEqual(
      ["deploy", "note", "skill"].filter((name) => !it.toolsIn(0).includes(name)),
      [],
    )
    assert.match(it.endpoint.requests[0]?.body.messages[0].content, /greeting/)
    assert.equal(existsSync(it.path("server-ran")), true, "a server runs where the tools work")
    assert.doesNotMatch(ran.err, /trust/)
  })
  it("has agents: one brings its system prompt, its model and its tools, also in a resume", async (t) => {
    const agents = { reviewer: { system: "You review.", model: "big", tools: ["read", "gr*", "bash", "nothing"] } }
    const it = await ownPlace(t, { agents })
    const ran = await it.run(["run", "x", "--agent", "reviewer", "--file", it.file])
    assert.equal(ran.code, 3)
    assert.match(ran.err, /the agent is to be offered the tool nothing, and there is no such tool/)
    const [first] = it.endpoint.requests
    assert.deepEqual([first?.body.messages[0].content, first?.body.model], ["You review.", "big"])
    assert.deepEqual(it.toolsIn(0), ["read", "grep", "bash"])
    assert.equal((await it.run(["resume", it.file, "--decline"])).code, 0)
    assert.deepEqual([it.endpoint.requests[1]?.body.model, it.toolsIn(1)], ["big", ["read", "grep", "bash"]])
  })
  it("says which agents there are where one is not", async (t) => {
    const it = await ownPlace(t, { agents: { reviewer: { system: "s" } } })
    const ran = await it.run(["run", "x", "--agent", "reviwer"])
    assert.deepEqual([ran.code, it.endpoint.requests.length], [2, 0])
    assert.match(ran.err, /there is no agent "reviwer": name one of reviewer/)
  })
  it("does not offer an agent's calls of other tools: they are unknown", async (t) => {
    const it = await ownPlace(t, { agents: { reader: { system: "s", tools: ["read"] } } })
    const ran = await it.run(["run", "x", "--agent", "reader", "--allow", "bash"])
    assert.equal(ran.code, 0)
    assert.match(it.endpoint.requests[1]?.body.messages.at(-1).content, /^Unknown tool: bash/)
  })
  it("may name hosts for webfetch that are not public", async (t) => {
    const it = await ownPlace(t, { privateHosts: ["127.0.0.1"] })
    const page = await scriptedEndpoint([{ headers: { "content-type": "text/plain" }, body: "a page" }]).listen()
    t.after(() => page.close())
    const args = ["tools", "call", "webfetch", "--args", JSON.stringify({ url: page.baseUrl }), "--allow", "webfetch"]
    assert.match((await it.run(args)).out, /a page/)
    it.write("config/toolnexus/config.json", {})
    const refused = await it.run(args)
    assert.deepEqual([refused.code, page.requests.length], [1, 1])
  })
})

describe("a misspelt rule of the person's own configuration", { timeout: 20_000 }, () => {
  it("starts no run and resumes none: exit 2, and the line says what is meant", async (t) => {
    const it = await ownPlace(t, {})
    assert.equal((await it.run(["run", "x", "--file", it.file])).code, 3)
    it.write("config/toolnexus/config.json", { permissions: { dney: ["bash"] } })
    for (const argv of [
      ["run", "x"],
      ["resume", it.file, "--approve"],
    ]) {
      const ran = await it.run(argv)
      assert.deepEqual([ran.code, it.endpoint.requests.length], [2, 1])
      assert.match(ran.err, /there is no setting permissions\.dney \(did you mean permissions\.deny\?\)/)
    }
  })
})

describe("a resume", { timeout: 20_000 }, () => {
  it("has the servers and skills that the run was made with", async (t) => {
    const it = await ownPlace(t, {})
    it.write("server.mjs", MARKING_SERVER)
    it.write("servers.json", { mcpServers: { marking: { command: process.execPath, args: ["server.mjs"] } } })
    const options = ["--mcp", "servers.json", "--skills", "config/toolnexus/skills"]
    assert.equal((await it.run(["run", "x", "--file", it.file, ...options])).code, 3)
    assert.ok(it.toolsIn(0).includes("skill"))
    rmSync(it.path("server-ran"))
    assert.equal((await it.run(["resume", it.file, "--decline"])).code, 0)
    assert.ok(it.toolsIn(1).includes("skill"))
    assert.equal(existsSync(it.path("server-ran")), true)
  })
  it("of a run from elsewhere says which servers and skills to name", async (t) => {
    const it = await ownPlace(t, {})
    const options = ["--skills", "config/toolnexus/skills", "--file", it.file]
    assert.equal((await it.run(["run", "x", ...options])).code, 3)
    rmSync(it.path("state"), { recursive: true })
    const resumed = await it.run(["resume", it.file, "--decline"])
    assert.equal(resumed.code, 2)
    assert.match(resumed.err, /this run is from elsewhere, .*: name its skills with --skills DIR/)
    assert.equal((await it.run(["resume", it.file, "--decline", "--skills", "config/toolnexus/skills"])).code, 0)
  })
})
