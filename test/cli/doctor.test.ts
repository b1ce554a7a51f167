import assert from "node:assert/strict"
import { chmodSync, mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { join, resolve } from "node:path"
import { describe, it, type TestContext } from "node:test"
import type { Check } from "../../src/cli/doctor/check.ts"
import { checkNode, RELEASES } from "../../src/cli/doctor/machine-checks.ts"
import { replyText, type Step, scriptedEndpoint } from "../support/scripted-endpoint.ts"
import { scriptedProxy } from "../support/scripted-proxy.ts"
import { tlsFront } from "../support/tls-front.ts"
import { type Place, place, type Ran, type RunWith, TOOLS } from "./command-line.ts"
import { MARKING_MODULE, MARKING_SERVER, projectPlace } from "./project-place.ts"

const SERVER = resolve(import.meta.dirname, "../support/mcp-server.mjs")
const HANGING = { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] }

function configured(t: TestContext, configuration: unknown): Place {
  const here = place(t)
  mkdirSync(here.path("config/toolnexus"), { recursive: true })
  here.write("config/toolnexus/config.json", configuration)
  return here
}

async function endpointAt(t: TestContext, steps: Step[] = []) {
  const endpoint = await scriptedEndpoint(steps).listen()
  t.after(() => endpoint.close())
  return endpoint
}

type Running = Pick<Place, "run">

/** What is found, as JSON. */
async function found({ run }: Running, argv: string[], options: RunWith = {}) {
  const ran = await run(["doctor", ...argv, "--output", "json"], options)
  const checks: Check[] = ran.json.checks
  const of = (name: string) => checks.filter(({ check }) => check === name)
  return {
    ...ran,
    out: ran.out,
    ready: ran.json.ready as boolean,
    checks,
    of,
    one: (name: string) => of(name)[0] as Check,
  }
}

describe("toolnexus doctor", { timeout: 60_000 }, () => {
  it("says in a line each what is so, and exits 0 where a run could start", async (t) => {
    const endpoint = await endpointAt(t)
    const { code, out, err } = await place(t).run(["doctor", "--base-url", endpoint.baseUrl, "--model", "m"])
    assert.equal(code, 0)
    assert.match(err, /^a run could start$/m)
    assert.match(out, /^ok +node +Node\.js \d+\.\d+\.\d+ on /m)
    assert.match(out, /^ok +state +\S+ is made with the first run$/m)
    assert.match(out, /^ok +connection +http:\/\/127\.0\.0\.1:\d+ can be reached$/m)
    assert.match(out, /^note +terminal +there is none.*\n +→ \S/m)
    assert.ok(
      out.split("\n").every((line) => /^((ok|note|problem) +\S.*| +→ \S.*|)$/.test(line)),
      out,
    )
    assert.deepEqual(endpoint.requests, [])
  })

  it("exits 2 where no run could start, and says what to do", async (t) => {
    const { code, out, err } = await place(t).run(["doctor"])
    assert.equal(code, 2)
    assert.match(
      out,
      /^problem +endpoint +no endpoint is configured \(missing: base URL and model\)\n +→ .*--model demo/m,
    )
    assert.match(err, /^no run could start: 1 problem$/m)
  })

  it("prints one JSON object, or one check a line", async (t) => {
    const { ready, checks, code } = await found(place(t), ["--model", "demo"])
    assert.deepEqual([ready, code], [true, 0])
    for (const { check, status, fact, next } of checks) {
      assert.ok(check !== "" && fact !== "" && ["ok", "note", "problem"].includes(status))
      assert.equal(next !== undefined, status !== "ok")
    }
    const { out } = await place(t).run(["doctor", "--model", "demo", "--output", "jsonl"])
    const lines = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).check)
    assert.deepEqual(
      lines,
      checks.map(({ check }) => check),
    )
  })

  it("has a help with examples", async (t) => {
    const { code, out } = await place(t).run(["doctor", "--help"])
    assert.equal(code, 0)
    assert.match(out, /Examples:\n[\s\S]*--call-model[\s\S]*Exit 0/)
  })

  it("says where each part of the endpoint comes from", async (t) => {
    const profiles = { work: { baseUrl: "http://127.0.0.1:1/v1", model: "big" } }
    const here = configured(t, { profile: "work", profiles })
    const factOf = async (argv: string[], env: Record<string, string> = {}) =>
      (await found(here, argv, { env })).one("endpoint").fact
    const file = join(here.dir, "config/toolnexus/config.json")
    assert.equal(
      await factOf([]),
      `http://127.0.0.1:1/v1 (the profile work of ${file}), model big (the profile work of ${file}), style openai (unless something else is said)`,
    )
    assert.match(await factOf(["--model", "x"]), /model x \(--model\)/)
    const env = { TOOLNEXUS_BASE_URL: "http://127.0.0.1:2", TOOLNEXUS_MODEL: "m", TOOLNEXUS_STYLE: "anthropic" }
    assert.equal(
      await factOf([], env),
      "http://127.0.0.1:2 (TOOLNEXUS_BASE_URL), model m (TOOLNEXUS_MODEL), style anthropic (TOOLNEXUS_STYLE)",
    )
    assert.match(
      await factOf(["--base-url", "https://api.anthropic.com"], env),
      /\(--base-url\), .*\(TOOLNEXUS_STYLE\)/,
    )
    assert.match((await found(here, ["--profile", "nope"])).one("endpoint").fact, /no profile "nope"/)
  })

  it("says whether the key's variable is set, and never its value", async (t) => {
    const here = place(t)
    const { baseUrl } = await endpointAt(t)
    const address = ["--base-url", baseUrl, "--model", "m"]
    const unset = await found(here, [...address, "--api-key-env", "MY_KEY"])
    assert.deepEqual([unset.one("key").status, unset.code], ["problem", 2])
    assert.match(unset.one("key").fact, /MY_KEY, which is not set/)
    const set = await found(here, [...address, "--api-key-env", "MY_KEY"], { env: { MY_KEY: "sk-very-secret" } })
    assert.deepEqual(set.one("key"), {
      check: "key",
      status: "ok",
      fact: "it is read from the variable MY_KEY, which is set",
    })
    assert.ok(!set.out.includes("sk-very-secret"))
    const padded = await found(here, address, { env: { TOOLNEXUS_API_KEY: "sk-very-secret\n" } })
    assert.deepEqual([padded.one("key").status, padded.out.includes("sk-very-secret")], ["note", false])
    assert.equal((await found(here, address)).one("key").status, "ok")
    const provider = ["--base-url", "https://api.openai.com/v1", "--model", "m"]
    assert.equal((await found(here, provider)).one("key").next, "set OPENAI_API_KEY")
    const withPassword = await here.run(["doctor", "--base-url", "http://me:hunter22@h/v1", "--model", "m"])
    assert.equal(withPassword.code, 2)
    assert.ok(!withPassword.out.includes("hunter22"))
  })

  it("makes no model call unless it is told to, and says so then", async (t) => {
    const endpoint = await endpointAt(t, [replyText("ready")])
    const { run } = place(t)
    const options = ["--base-url", endpoint.baseUrl, "--model", "m"]
    await run(["doctor", ...options])
    assert.equal(endpoint.requests.length, 0)
    const asked = await run(["doctor", ...options, "--call-model"])
    assert.match(asked.out, /^ok +model call +one was made: it replied in \d+\.\d s \(\d+ tokens?\)$/m)
    assert.equal(endpoint.requests.length, 1)
    const refusing = await endpointAt(t, [{ status: 401, body: { error: { message: "no such key" } } }])
    const failed = await run(["doctor", "--base-url", refusing.baseUrl, "--model", "m", "--call-model"])
    assert.equal(failed.code, 2)
    assert.match(failed.out, /^problem +model call +one was made, and failed: HTTP 401\n +→ .* wants a key/m)
    assert.equal(refusing.requests.length, 1)
  })
})

describe("the connection that doctor tries", { timeout: 60_000 }, () => {
  const closedPort = async () => {
    const server = createServer().listen(0, "127.0.0.1")
    await new Promise((done) => server.once("listening", done))
    const { port } = server.address() as AddressInfo
    await new Promise((done) => server.close(done))
    return port
  }
  const toward = (address: string) => ["--base-url", address, "--model", "m"]

  it("is refused where nothing listens", async (t) => {
    const { code, one } = await found(place(t), toward(`http://127.0.0.1:${await closedPort()}/v1`))
    assert.equal(code, 2)
    assert.match(one("connection").fact, /^http:\/\/127\.0\.0\.1:\d+ cannot be reached: nothing listens there$/)
    assert.match(one("connection").next ?? "", /start the server/)
  })

  it("is encrypted for https, and names a certificate that is not trusted", async (t) => {
    const { baseUrl } = await endpointAt(t)
    const port = Number(new URL(baseUrl).port)
    await using front = await tlsFront(port)
    const untrusted = await found(place(t), toward(`https://127.0.0.1:${front.port}/v1`))
    assert.match(untrusted.one("connection").fact, /certificate is (self-signed|not trusted)/)
    const plain = await found(place(t), toward(`https://127.0.0.1:${port}/v1`))
    assert.match(plain.one("connection").fact, /TLS|ended the connection/)
  })

  it("goes to the proxy that the variables name, without its password in what is said", async (t) => {
    await using proxy = await scriptedProxy({ refuse: 500 })
    const env = { https_proxy: proxy.url.replace("//", "//me:hunter22@") }
    const { one, out } = await found(place(t), toward("https://api.test/v1"), { env })
    assert.equal(
      one("connection").fact,
      `the proxy ${proxy.url} can be reached (what https://api.test says is not tried)`,
    )
    assert.ok(!out.includes("hunter22"))
    assert.deepEqual(proxy.requests, [])
  })

  it("has a time limit, as everything has", async (t) => {
    const silent = createServer().listen(0, "127.0.0.1")
    await new Promise((done) => silent.once("listening", done))
    t.after(() => silent.close())
    const { port } = silent.address() as AddressInfo
    const here = place(t)
    here.write("mcp.json", { mcpServers: { hanging: HANGING, another: HANGING } })
    const started = here.start(["doctor", ...toward(`https://127.0.0.1:${port}/v1`), "--mcp", "mcp.json"])
    const ran = await untilDone(started)
    assert.equal(ran.code, 2)
    assert.match(ran.out, /^problem +connection +\S+ cannot be reached: it did not answer in 4 s/m)
    assert.match(ran.out, /^note +mcp +hanging did not start in 15 s/m)
    assert.match(ran.out, /^note +mcp +another did not start in 15 s/m)
  })
})

/** Lets time pass until a command is done. */
async function untilDone(started: ReturnType<Place["start"]>): Promise<Ran> {
  let isDone = false
  started.ran.then(() => {
    isDone = true
  })
  while (!isDone) {
    started.pass(1000)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return started.ran
}

describe("the places that doctor looks at", { timeout: 60_000 }, () => {
  const DEMO = ["--model", "demo"]

  it("are a state folder that is a link, or that others can write", async (t) => {
    const here = place(t)
    mkdirSync(here.path("elsewhere"))
    mkdirSync(here.path("home/.local/state"), { recursive: true })
    symlinkSync(here.path("elsewhere"), here.path("home/.local/state/toolnexus"))
    const byDefault = { env: { TOOLNEXUS_STATE_DIR: "" } }
    const linked = await found(here, DEMO, byDefault)
    assert.deepEqual([linked.one("state").status, linked.code], ["problem", 2])
    assert.match(linked.one("state").fact, /is a symbolic link$/)
    assert.match(linked.one("state").next ?? "", /TOOLNEXUS_STATE_DIR/)
    mkdirSync(here.path("state/runs"), { recursive: true })
    assert.match((await found(here, DEMO)).one("state").fact, /\(TOOLNEXUS_STATE_DIR\), mode 0\d{3}$/)
    chmodSync(here.path("state/runs"), 0o777)
    assert.match((await found(here, DEMO)).one("state").fact, /can be written by other users/)
    here.write("a-file", "")
    assert.match(
      (await found(here, DEMO, { env: { TOOLNEXUS_STATE_DIR: here.path("a-file") } })).one("state").fact,
      /is no folder/,
    )
  })

  it("are a configuration that is broken: what depends on it is not looked at", async (t) => {
    const { code, one, of } = await found(configured(t, "{ broken"), DEMO)
    assert.equal(code, 2)
    assert.match(one("configuration").fact, /config\.json: is not JSON/)
    assert.deepEqual(
      [one("configuration").next, one("the rest").status, of("endpoint")],
      ["correct it or remove the file", "note", []],
    )
  })

  it("are settings that nobody knows, and a file that others can write", async (t) => {
    const here = configured(t, { profiels: {}, relay: [] })
    chmodSync(here.path("config/toolnexus"), 0o755)
    chmodSync(here.path("config/toolnexus/config.json"), 0o666)
    const { code, of } = await found(here, DEMO)
    assert.equal(code, 0)
    const [summary, writable, unknown] = of("configuration")
    assert.equal(summary?.status, "ok")
    assert.match(writable?.fact ?? "", /can be written by other users/)
    assert.match(unknown?.fact ?? "", /do nothing: profiels \(profiles\?\)/)
  })

  it("are a project: it is told whether it is trusted, and nothing of it runs before", async (t) => {
    const { put, run, trust, left } = await projectPlace(t, [])
    put("marking.mjs", MARKING_MODULE)
    put("word.mjs", 'export const word = "hi"')
    put("server.mjs", MARKING_SERVER)
    const mcpServers = { theirs: { command: process.execPath, args: ["server.mjs"] } }
    put(".toolnexus/config.json", { mcpServers, tools: ["../marking.mjs"], permissions: { deny: ["bash(rm*)"] } })
    const before = await found({ run }, [])
    assert.equal(before.one("project").status, "note")
    assert.match(before.one("project").fact, /is not trusted, and does not count in: mcpServers, tools$/)
    assert.match(before.one("project").next ?? "", /toolnexus trust$/)
    assert.match(before.one("rules").fact, /1 deny/)
    assert.deepEqual(
      [left("module-ran"), left("server-ran"), before.of("mcp"), before.of("tools")],
      [false, false, [], []],
    )
    await trust()
    const after = await found({ run }, [])
    assert.match(after.one("project").fact, /is trusted: 1 rule, 1 tools file, MCP servers$/)
    assert.match(after.one("tools").fact, /marking\.mjs: 1 tool: greet$/)
    assert.deepEqual([left("module-ran"), left("server-ran"), after.one("mcp").status], [true, true, "note"])
    put("marking.mjs", `${MARKING_MODULE}\n`)
    assert.match((await found({ run }, [])).one("project").fact, /not trusted any more \(marking\.mjs changed\)/)
  })

  it("are a working folder that is none", async (t) => {
    const { code, one } = await found(place(t), [...DEMO, "--cwd", "nowhere"])
    assert.equal(code, 2)
    assert.match(one("folder").fact, /nowhere cannot be used \(no such file or folder\)/)
  })
})

describe("the tools that doctor looks at", { timeout: 60_000 }, () => {
  const DEMO = ["--model", "demo"]

  it("are each source by itself, with what it offers", async (t) => {
    const here = place(t)
    here.write("tools.mjs", TOOLS)
    here.write("broken.mjs", "export default 1")
    here.write("relay.json", [{ name: "ship", description: "ships" }])
    here.write("mcp.json", {
      mcpServers: { good: { command: process.execPath, args: [SERVER] }, bad: { command: "no-such-program" } },
    })
    mkdirSync(here.path("skills/tidy"), { recursive: true })
    here.write("skills/tidy/SKILL.md", "---\nname: tidy\ndescription: tidies up\n---\nTidy.")
    const files = ["--tools", "tools.mjs", "--tools", "broken.mjs", "--relay", "relay.json", "--mcp", "mcp.json"]
    const { code, of } = await found(here, [...DEMO, ...files, "--skills", "skills", "--mcp", "absent.json"])
    assert.equal(code, 2)
    const [module, broken, relay] = of("tools")
    assert.match(module?.fact ?? "", /tools\.mjs: 3 tools: deploy, note, token$/)
    assert.deepEqual([broken?.status, /broken\.mjs/.test(broken?.fact ?? "")], ["problem", true])
    assert.match(relay?.fact ?? "", /relay\.json: 1 tool: ship$/)
    const [absent, good, bad] = of("mcp")
    assert.deepEqual([absent?.status, good?.status, bad?.status], ["problem", "ok", "note"])
    assert.match(good?.fact ?? "", /^good: \d+ tools: .*\becho\b/)
    assert.match(bad?.fact ?? "", /^bad cannot be used: /)
    assert.match(of("skills")[0]?.fact ?? "", /skills: 1 skill: tidy$/)
  })

  it("are the agents, and a rule that cannot be read", async (t) => {
    const here = configured(t, { agents: { tidy: { system: "You tidy up." } } })
    assert.equal((await found(here, DEMO)).one("agents").fact, "tidy")
    const none = await found(here, [...DEMO, "--agent", "nobody"])
    assert.deepEqual([none.code, none.one("agent").status], [2, "problem"])
    const rule = await found(here, [...DEMO, "--deny", "bash(rm"])
    assert.deepEqual([rule.code, rule.one("rules").status], [2, "problem"])
  })

  it("are shown harmless, whatever their files say", async (t) => {
    const here = place(t)
    here.write("relay.json", [{ name: "ok", description: "x" }])
    here.write("mcp.json", { mcpServers: { "evil\u001b[2J\u202E\nok       fake": { command: "no-such-program" } } })
    const { out } = await here.run(["doctor", ...DEMO, "--mcp", "mcp.json"])
    assert.doesNotMatch(out, /[\u001b\u202E]/)
    assert.doesNotMatch(out, /^ok +fake/m)
    assert.match(out, /^note +mcp +evil/m)
  })
})

describe("the release of Node.js", () => {
  it("is judged as package.json does", () => {
    const { engines } = JSON.parse(readFileSync(resolve(import.meta.dirname, "../../package.json"), "utf8"))
    assert.equal(RELEASES, engines.node)
    const statusOf = (version: string) => checkNode(version, { platform: "linux", arch: "x64" }).status
    for (const version of ["20.17.0", "20.20.2", "22.13.0", "23.5.0", "24.0.0", "25.1.0"])
      assert.equal(statusOf(version), "ok")
    for (const version of ["18.20.0", "20.16.0", "21.7.0", "22.12.0", "23.4.0"])
      assert.equal(statusOf(version), "problem")
  })
})
