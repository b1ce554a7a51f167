import assert from "node:assert/strict"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"
import { replyText } from "../support/scripted-endpoint.ts"
import { asked, type ProjectPlace, projectPlace } from "./project-place.ts"

const FILE = join(".toolnexus", "config.json")
const GIT = ["bash(git status*)", "bash(git diff*)", "bash(git log*)"]

const json = (file: string) => JSON.parse(readFileSync(file, "utf8"))

describe("init --yes", { timeout: 20_000 }, () => {
  it("writes what is suggested at the repository's root, shows it, and trusts nothing", async (t) => {
    const it = await projectPlace(t, [])
    it.put("src/x", "")
    const { code, out, err } = await it.run(["init", "--yes"], { cwd: join(it.repo, "src") })
    assert.equal(code, 0, err)
    assert.equal(out, `${join(it.repo, FILE)}\n`)
    assert.deepEqual(json(join(it.repo, FILE)), { permissions: { allow: GIT, ask: [], deny: [] } })
    assert.match(err, /"allow": \["bash\(git status\*\)"/)
    assert.match(err, /it is not trusted yet/)
    assert.match(err, /next: toolnexus trust \/\S+\/repo\n$/)
    assert.equal((await it.run(["config", "get", "permissions.allow"])).code, 2)
    assert.equal((await it.trust()).code, 0)
    assert.equal((await it.run(["config", "get", "permissions.allow"])).out, `${JSON.stringify(GIT)}\n`)
  })
  it("takes rules, limits and an example from its options, and the example runs", async (t) => {
    const it = await projectPlace(t, [replyText("ok")])
    const options = [
      "--allow",
      "bash(ls*)",
      "--ask",
      "read",
      "--deny",
      "bash(rm*)",
      "--max-turns",
      "9",
      "--timeout",
      "90s",
    ]
    const { code, json: said } = await it.run(["init", "--yes", ...options, "--example-tools", "--output", "json"])
    assert.equal(code, 0)
    const configuration = {
      permissions: { allow: ["bash(ls*)"], ask: ["read"], deny: ["bash(rm*)"] },
      limits: { maxTurns: 9, timeout: "1m30s" },
      tools: ["tools.mjs"],
    }
    const files = [FILE, join(".toolnexus", "tools.mjs")].map((file) => join(it.repo, file))
    assert.deepEqual(said, { status: "written", files, configuration, trusted: false, next: "toolnexus trust" })
    assert.deepEqual(json(join(it.repo, FILE)), configuration)
    const args = ["tools", "call", "project_facts", "--trust-project", "--allow", "project_facts"]
    assert.match((await it.run(args)).out, /"node":"v\d/)
  })
  it("suggests nothing to allow outside of a repository, and --cwd names the folder itself", async (t) => {
    const it = await projectPlace(t, [])
    mkdirSync(join(it.repo, "part"))
    mkdirSync(join(it.here.dir, "bare"))
    assert.equal((await it.run(["init", "--yes", "--cwd", "part"])).code, 0)
    assert.equal((await it.run(["init", "--yes"], { cwd: join(it.here.dir, "bare") })).code, 0)
    const nothing = { permissions: { allow: [], ask: [], deny: [] } }
    assert.deepEqual(json(join(it.repo, "part", FILE)), nothing)
    assert.deepEqual(json(join(it.here.dir, "bare", FILE)), nothing)
    assert.equal(existsSync(join(it.repo, FILE)), false)
  })
  it("writes nothing over: exit 2, with what changes it", async (t) => {
    const it = await projectPlace(t, [])
    it.put(FILE, "{}")
    const { code, err } = await it.run(["init", "--yes"])
    assert.equal(code, 2)
    assert.match(err, /config\.json is there already, and is not overwritten: .*config set NAME VALUE --project/)
    assert.equal(readFileSync(join(it.repo, FILE), "utf8"), "{}")
    const other = await projectPlace(t, [])
    other.put(".toolnexus/tools.mjs", "mine")
    const example = await other.run(["init", "--yes", "--example-tools"])
    assert.equal(example.code, 2)
    assert.match(example.err, /tools\.mjs is there already, and is not overwritten/)
    assert.deepEqual(readdirSync(join(other.repo, ".toolnexus")), ["tools.mjs"])
  })
  it("goes through no link, and into no file", async (t) => {
    const it = await projectPlace(t, [])
    mkdirSync(it.here.path("elsewhere"))
    symlinkSync(it.here.path("elsewhere"), join(it.repo, ".toolnexus"))
    const linked = await it.run(["init", "--yes"])
    assert.deepEqual([linked.code, readdirSync(it.here.path("elsewhere"))], [2, []])
    assert.match(linked.err, /\.toolnexus is a link/)
    const other = await projectPlace(t, [])
    writeFileSync(join(other.repo, ".toolnexus"), "")
    const blocked = await other.run(["init", "--yes"])
    const set = await other.run(["config", "set", "limits.maxTurns", "5", "--project"])
    assert.deepEqual([blocked.code, set.code, set.err], [2, 2, blocked.err])
    assert.match(blocked.err, /\.toolnexus is no folder: move it away/)
  })
  it("refuses a rule that a run would refuse, before anything is written", async (t) => {
    const it = await projectPlace(t, [])
    const { code, err } = await it.run(["init", "--yes", "--deny", "bash("])
    assert.equal(code, 2)
    assert.match(err, /the rule "bash\(" cannot be read/)
    assert.equal(existsSync(join(it.repo, ".toolnexus")), false)
  })
  it("leaves the file to whoever has the project, as the umask says", async (t) => {
    const it = await projectPlace(t, [])
    assert.equal((await it.run(["init", "--yes"])).code, 0)
    assert.equal(statSync(join(it.repo, FILE)).mode & 0o777, 0o666 & ~process.umask())
  })
})

describe("init without a person", () => {
  it("and without --yes writes nothing: exit 3, and the last line is the command that would", async (t) => {
    const it = await projectPlace(t, [])
    const options = ["--deny", "bash(git push*)", "--timeout", "20m"]
    for (const [more, why] of [
      [[], /there is no terminal/],
      [["--no-input"], /nobody is asked with --no-input/],
    ] as const) {
      const { code, err, lastLine } = await it.run(["init", ...options, ...more])
      assert.equal(code, 3)
      assert.match(err, why)
      assert.equal(lastLine, "toolnexus init --deny 'bash(git push*)' --timeout 20m --yes")
    }
    assert.equal(existsSync(join(it.repo, ".toolnexus")), false)
    assert.deepEqual((await it.run(["init", "--output", "json"])).json, { status: "pending", files: [] })
  })
})

describe("init with a person", { timeout: 20_000 }, () => {
  const OPTIONS = ["--allow", "bash(ls*)", "--deny", "bash(rm*)", "--max-turns", "5", "--example-tools"]
  /** Everything is said by options, but for the last question. */
  const lastQuestion = async (it: ProjectPlace) => {
    const started = it.start(["init", ...OPTIONS])
    await started.shows("MCP server files: runs the command sh serve.sh")
    await asked(started)
    return started
  }
  it("keeps trust in what was shown, also in servers that were there before, and in nothing that changed meanwhile", async (t) => {
    for (const meanwhile of ["nothing", "another server"] as const) {
      const it = await projectPlace(t, [])
      it.put(".mcp.json", { mcpServers: { files: { command: "sh", args: ["serve.sh"] } } })
      const started = await lastQuestion(it)
      if (meanwhile === "another server") it.put(".mcp.json", { mcpServers: { other: { command: "evil" } } })
      started.type("1")
      started.type("\r")
      assert.equal((await started.ran).code, 0)
      const allowed = await it.run(["config", "get", "permissions.allow"])
      assert.equal(allowed.out, meanwhile === "nothing" ? '["bash(ls*)"]\n' : "")
    }
  })
  it("writes nothing where that is chosen, or the question is declined: exit 5", async (t) => {
    for (const keys of [["3", "\r"], ["\x03"]]) {
      const it = await projectPlace(t, [])
      it.put(".mcp.json", { mcpServers: { files: { command: "sh", args: ["serve.sh"] } } })
      const started = await lastQuestion(it)
      for (const key of keys) started.type(key)
      const { code, err } = await started.ran
      assert.deepEqual([code, readdirSync(it.repo).sort()], [5, [".git", ".mcp.json"]])
      assert.match(err, /nothing is written/)
    }
  })
  it("does not offer trust in what is broken, and writes what was chosen all the same", async (t) => {
    const it = await projectPlace(t, [])
    it.put(".mcp.json", "{")
    const started = it.start(["init", ...OPTIONS])
    await started.shows("It cannot be trusted now:")
    await asked(started)
    started.type("1")
    started.type("\r")
    const { code, err } = await started.ran
    assert.equal(code, 0)
    assert.match(err, /it is not trusted yet/)
    assert.equal(existsSync(join(it.repo, FILE)), true)
  })
})
