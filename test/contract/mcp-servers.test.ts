import assert from "node:assert/strict"
import { execFileSync, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { test } from "node:test"
import { createToolkit } from "../../src/index.ts"
import { watchLoads } from "../support/loaded-modules.ts"
import { httpServer, type Served, served, serverLog, stdioServer, until } from "../support/mcp.ts"
import { program } from "../support/program.ts"

const call = async ({ toolkit }: Served, name: string, args: object = {}, ctx = {}) => toolkit.execute(name, args, ctx)

test("a server's tools are there under its name, know where they come from, and give their text", async () => {
  await using it = await served({ test: stdioServer() })
  const tool = it.toolkit.get("test_echo")
  assert.deepEqual(
    [tool?.source, tool?.origin, tool?.description, tool?.annotations],
    ["mcp", { server: "test", tool: "echo" }, "does echo", undefined],
  )
  assert.deepEqual(await call(it, "test_echo", { value: "hello" }), { output: "hello", isError: false })
  assert.deepEqual(it.toolkit.mcpStatus(), [{ server: "test", status: "connected", tools: it.toolkit.tools().length }])
  assert.deepEqual(it.warnings, [])
})

test("names with dots and spaces are cleaned, and two that become one get a hash each", async () => {
  await using it = await served({ "my server": stdioServer() })
  const names = it.toolkit.tools().map(({ name }) => name)
  assert.ok(names.includes("my_server_echo"))
  const dotted = names.filter((name) => name.includes("dotted"))
  assert.equal(dotted.length, 2)
  for (const name of dotted) assert.match(name, /^my_server_dotted_name_here_[0-9a-f]{6}$/)
  const outputs = await Promise.all(dotted.map(async (name) => (await call(it, name)).output))
  assert.deepEqual(outputs, ["dotted", "dotted too"])
})

test("500 tools are listed, page by page, and can be called", async () => {
  await using it = await served({ many: stdioServer(["--many"]) })
  assert.deepEqual([it.toolkit.tools().length, it.toolkit.tools()[499]?.name], [500, "many_tool_499"])
})

test("tools are offered as the configuration says, and names in it that no tool has are reported", async () => {
  const wishes = { includeTools: ["ask*", "echo", "nope"], excludeTools: ["ask_two"] }
  await using it = await served({ test: { ...stdioServer(), ...wishes } })
  assert.deepEqual(
    it.toolkit.tools().map(({ origin }) => origin?.tool),
    ["echo", "ask", "ask_at_once", "ask_for_ever", "ask_and_give_up", "ask_and_die"],
  )
  assert.deepEqual(it.warnings, ["the MCP server test is odd: its includeTools names nope, and it has no such tool"])
})

test("a server's own hints count only where the configuration says so", async () => {
  await using it = await served({
    plain: stdioServer(),
    trusted: { ...stdioServer(), trustHints: true },
    said: { ...stdioServer(), readOnly: ["ask*"], idempotent: ["die"] },
  })
  const marks = (name: string) => it.toolkit.get(name)?.annotations
  assert.deepEqual([marks("plain_echo"), marks("plain_image")], [undefined, undefined])
  assert.deepEqual([marks("trusted_echo"), marks("trusted_image")], [{ readOnly: true }, { idempotent: true }])
  assert.deepEqual(
    [marks("said_echo"), marks("said_ask"), marks("said_die")],
    [undefined, { readOnly: true }, { idempotent: true }],
  )
})

test("what is no text becomes a line that names type and size", async () => {
  await using it = await served({ test: stdioServer() })
  assert.equal(
    (await call(it, "test_image")).output,
    [
      "a cat",
      "[image: image/png, 300 bytes]",
      "[audio: audio/ wav, 20 bytes]",
      "[resource link: file:///a, a, text/plain, 12 bytes]",
      "[resource: file:///b, text/plain, 6 bytes]",
      "inside",
      "[resource: file:///c, 3 bytes]",
      "[a part of the type hologram]",
      "[a part that is none: null]",
    ].join("\n"),
  )
  assert.equal((await call(it, "test_structured")).output, '{"n":1}')
  assert.deepEqual(await call(it, "test_garbage_result"), { output: "", isError: false })
  const { output } = await call(it, "test_large")
  assert.match(output, /x\n\[\.\.\. 70000 characters left out \.\.\.\]\nx/)
})

test("a server that refuses a call is told to the model in its own words", async () => {
  await using it = await served({ test: stdioServer() })
  assert.deepEqual(await call(it, "test_fail"), { output: "no such thing", isError: true })
})

test("one bad server of several is reported and left out, and the others work", async () => {
  await using it = await served(
    {
      good: stdioServer(),
      missing: { command: "no-such-command-here" },
      folder: { ...stdioServer(), cwd: "no-such-folder" },
      refuses: stdioServer(["--refuses"]),
      away: { url: "http://127.0.0.1:9/mcp?key=abcdef" },
      keyless: { command: "x", env: { TOKEN: "${NO_SUCH_TOKEN}" } },
      wrong: { command: "x", args: "a" } as never,
      empty: {} as never,
      off: { command: "x", disabled: true },
    },
    { cwd: "/" },
  )
  assert.equal((await call(it, "good_echo", { value: "fine" })).output, "fine")
  const errors = Object.fromEntries(
    it.toolkit.mcpStatus().map(({ server, status, error }) => [server, error ?? status]),
  )
  assert.deepEqual(errors, {
    good: "connected",
    missing: "there is no command no-such-command-here: install it, or write its whole path",
    folder: "its folder /no-such-folder is not there: look at its command and arguments",
    refuses:
      'it ended (exit code 2) before it was ready; its last words were "no configuration found": look at its command and arguments',
    away: "http://127.0.0.1:9/mcp cannot be reached (ECONNREFUSED): look whether it runs, and at its url",
    keyless: "the environment variable NO_SUCH_TOKEN (env.TOKEN) is not set: set what is missing, and start again",
    wrong: 'its args must be a list of texts, got string: write ["...", "..."]',
    empty: "it has neither a command nor a url: give one",
    off: "disabled",
  })
  assert.equal(it.warnings.length, 7)
  assert.ok(it.warnings.includes(`the MCP server missing cannot be used: ${errors.missing}`))
})

test("what is no configuration is refused as a whole", async () => {
  await assert.rejects(createToolkit({ mcpConfig: { servers: {} } as never }), {
    code: "usage",
    message: "mcpConfig must be { mcpServers: { NAME: { command or url } } }, mcpServers is undefined",
  })
})

test("a server that hangs at its start is given up at its deadline, and its process is gone", async () => {
  const log = serverLog()
  await using it = await served({
    slow: { ...stdioServer(["--hangs"], log), startTimeoutMs: 1000 },
    good: stdioServer(),
  })
  assert.deepEqual(
    it.toolkit.mcpStatus().map(({ error }) => error),
    ["it was not ready within 1 s (startTimeoutMs): look at its command and arguments, or give it longer", undefined],
  )
  for (const line of log.lines()) assert.equal(existsSync(`/proc/${line.split(" ").at(-1)}`), false, line)
})

test("a list that never ends is given up too", async () => {
  await using it = await served({ endless: stdioServer(["--endless-pages"]) })
  assert.deepEqual(it.toolkit.mcpStatus(), [{ server: "endless", status: "connected", tools: 0 }])
})

test("what a server prints between its messages does no harm", async () => {
  await using it = await served({ test: stdioServer(["--garbage"]) })
  assert.equal((await call(it, "test_echo", { value: "still" })).output, "still")
})

test("tools that cannot be offered are reported once each, and the others are there", async () => {
  await using it = await served({ test: stdioServer(["--odd-list"]) })
  assert.deepEqual(it.warnings, [
    "the MCP server test is odd: an entry of its list is no tool but null",
    "the MCP server test is odd: it lists two tools of the name echo",
    "the MCP server test is odd: the schema of its tool list is not of the type object",
    "the MCP server test is odd: a tool of its list has no name",
  ])
  assert.ok(it.toolkit.get("test_no_schema"))
})

test("a server that dies in a call is an error result with the fact, and the next call starts it again", async () => {
  const log = serverLog()
  await using it = await served({ test: stdioServer([], log) })
  const fact = 'it ended (exit code 7) during the call; its last words were "a first line", "boom \\u001b[2J"'
  const died = await call(it, "test_die")
  assert.equal(died.isError, true)
  assert.ok(died.output.startsWith(`The MCP server test gave no result of test_die: ${fact.slice(0, 30)}`), died.output)
  assert.match(died.output, /"a first line", "boom \\u001b\[2J.*What it did until then is not known\.$/)
  assert.doesNotMatch(died.output, /\p{Cc}/u)
  assert.equal((await call(it, "test_echo", { value: "again" })).output, "again")
  assert.equal(log.lines().filter((line) => line === "initialize").length, 2)
  assert.equal(it.warnings.length, 1)
  assert.match(
    it.warnings[0] ?? "",
    /^the MCP server test is gone: it ended \(exit code 7\).*: its next call starts it again$/,
  )
})

test("a call that hangs ends at its own deadline, and the server is told", async () => {
  const log = serverLog()
  await using it = await served({ test: { ...stdioServer([], log), callTimeoutMs: 100 } })
  assert.deepEqual(await call(it, "test_hang"), {
    output:
      "The MCP server test gave no result of test_hang: it did not answer within 0.1 s (callTimeoutMs). What it did until then is not known.",
    isError: true,
  })
  await log.until("cancelled")
})

test("a call that makes progress may take longer than its deadline", async () => {
  await using it = await served({ test: { ...stdioServer(), callTimeoutMs: 250 } })
  assert.equal((await call(it, "test_steady")).output, "done at last")
})

test("a stopped call is told to the server, and says so", async () => {
  const log = serverLog()
  await using it = await served({ test: stdioServer([], log) })
  const stop = new AbortController()
  const running = call(it, "test_hang", {}, { signal: stop.signal })
  await log.until("call hang")
  stop.abort(new Error("enough"))
  assert.match((await running).output, /gave no result of test_hang: enough\./)
  await log.until("cancelled")
})

test("a changed list counts for later runs, and a tool that is gone says so", async () => {
  await using it = await served({ test: { ...stdioServer(), excludeTools: ["ask*"] } })
  const before = it.toolkit.tools().length
  await call(it, "test_change")
  await until(() => it.toolkit.get("test_fresh"))
  assert.equal(it.toolkit.tools().length, before)
  assert.deepEqual(it.warnings, [
    "the MCP server test has changed its tools (new: fresh; gone: echo): a run that has begun keeps those it began with",
  ])
  assert.equal((await call(it, "test_fresh")).output, "fresh")
  assert.deepEqual(await call(it, "test_echo"), {
    output: "the MCP server test has no tool echo any more",
    isError: true,
  })
})

test("tools that are disabled by name are left out, also of a changed list", async () => {
  await using it = await served({ test: stdioServer() }, { disableTools: ["test_hang", "test_fresh"] })
  assert.equal(it.toolkit.get("test_hang"), undefined)
  await call(it, "test_change")
  await until(() => it.warnings.some((warning) => warning.includes("has changed")))
  assert.equal(it.toolkit.get("test_fresh"), undefined)
})

test("a server has the environment without the providers' keys, unless its own names them", async () => {
  const env = { ...process.env, OPENAI_API_KEY: "sk-secret-1", OWN: "own", MINE: "mine-secret" }
  await using it = await served(
    {
      plain: stdioServer(),
      named: { ...stdioServer(), env: { OPENAI_API_KEY: "${OPENAI_API_KEY}", X: "${NONE:-none}" } },
    },
    { env, secretEnv: ["MINE"] },
  )
  const read = async (tool: string, name: string) => (await call(it, tool, { name })).output
  assert.deepEqual(
    [await read("plain_env", "OPENAI_API_KEY"), await read("plain_env", "MINE")],
    ["undefined", "undefined"],
  )
  assert.deepEqual([await read("plain_env", "OWN"), await read("named_env", "X")], ["own", "none"])
  // The value is for the server alone: it is in nothing that is recorded.
  assert.equal(await read("named_env", "OPENAI_API_KEY"), "[OPENAI_API_KEY]")
})

test("servers start at the same time: three take as long as the slowest", async () => {
  const log = serverLog()
  const rendezvous = (name: string) => {
    // Each waits until all three are there before it answers.
    const code = `const fs = require("node:fs"); fs.appendFileSync(process.env.LOG, "${name}\\n")
      const all = () => fs.readFileSync(process.env.LOG, "utf8").trim().split("\\n").length >= 3
      const timer = setInterval(() => { if (!all()) return; clearInterval(timer); process.argv.splice(1, 1); import(process.argv[1]) }, 10)`
    const { command, args } = stdioServer()
    return { command, args: ["-e", code, "x", ...(args ?? [])], env: { LOG: log.path } }
  }
  await using it = await served({ a: rendezvous("a"), b: rendezvous("b"), c: rendezvous("c") })
  assert.deepEqual(
    it.toolkit.mcpStatus().map(({ status }) => status),
    ["connected", "connected", "connected"],
  )
})

test("a server runs in a session of its own, where the tools work, and is gone when the toolkit is closed", async () => {
  const log = serverLog()
  const it = await served({ test: { ...stdioServer(["--stays"], log), cwd: "tmp" } }, { cwd: "/" })
  const { pid, cwd } = JSON.parse((await call(it, "test_argv")).output)
  assert.equal(cwd, "/tmp")
  const { readFileSync } = await import("node:fs")
  const [, , , , group, session] = readFileSync(`/proc/${pid}/stat`, "utf8").split(" ").slice(0, 6)
  assert.deepEqual([group, session], [String(pid), String(pid)])
  const running = call(it, "test_hang")
  await log.until("call hang")
  await it.toolkit.close()
  assert.match((await running).output, /the toolkit (was|is) closed/)
  assert.equal(existsSync(`/proc/${pid}`), false)
  assert.deepEqual(log.lines().slice(-2), ["cancelled", "SIGTERM"])
  assert.match((await call(it, "test_echo")).output, /the toolkit is closed/)
})

test("the result of a call that Ctrl-C ended says that it was stopped, not what became of the toolkit", async () => {
  const log = serverLog()
  const stop = new AbortController()
  await using it = await served({ test: stdioServer([], log) }, { signal: stop.signal })
  const running = call(it, "test_hang")
  await log.until("call hang")
  stop.abort()
  assert.equal(
    (await running).output,
    "The MCP server test gave no result of test_hang: it was stopped. What it did until then is not known.",
  )
})

test("settings that mean nothing here are named, and those that restrict under another name count", async () => {
  const theirs = { autoApprove: ["*"], tools: ["echo"], timeout: 60, enabled: true } as object
  await using it = await served({
    test: { ...stdioServer(), ...theirs },
    off: { command: "x", enabled: false } as never,
    both: { command: "x", tools: [], includeTools: [] } as never,
  })
  assert.deepEqual(
    it.toolkit.tools().map(({ name }) => name),
    ["test_echo"],
  )
  assert.deepEqual(it.toolkit.mcpStatus()[1]?.status, "disabled")
  assert.deepEqual(it.warnings, [
    "the MCP server test has settings that mean nothing here: autoApprove, timeout",
    "the MCP server both cannot be used: it has both includeTools and tools, which mean the same: keep includeTools",
  ])
})

test("over HTTP a server gets its headers, and its token is in nothing that is said", async () => {
  const log = serverLog()
  await using remote = await httpServer([], log)
  const { url } = remote
  await using it = await served(
    { remote: { url, headers: { Authorization: "Bearer ${TOKEN}" } } },
    { env: { TOKEN: "token-4711" } },
  )
  assert.equal((await call(it, "remote_echo", { value: "over token-4711" })).output, "over [TOKEN]")
  assert.ok(log.lines().every((line) => !/^(POST|GET)/.test(line) || line.endsWith("Bearer token-4711")))
})

test("a server over HTTP that wants to know who asks is reported with what to do", async () => {
  await using remote = await httpServer(["--locked"])
  await using it = await served({ remote: { type: "http", url: remote.url } })
  assert.deepEqual(
    it.toolkit.mcpStatus()[0]?.error,
    `${remote.url} wants to know who asks (HTTP 401): put its token into the server's headers`,
  )
})

test("an address that sends on elsewhere is not to be tried again later, one that is overloaded is", async (t) => {
  const site = createServer((request, response) => {
    response.writeHead(Number(request.url?.slice(1)), { location: "http://elsewhere.invalid/" }).end()
  })
  await new Promise<void>((listening) => site.listen(0, "127.0.0.1", listening))
  t.after(() => site.close())
  const url = (status: number) => `http://127.0.0.1:${(site.address() as AddressInfo).port}/${status}`
  await using it = await served({ moved: { url: url(302) }, wrong: { url: url(400) }, full: { url: url(503) } })
  const errors = it.toolkit.mcpStatus().map(({ error }) => error ?? "")
  assert.match(errors[0] ?? "", /answered with HTTP 302: .*: look at its url and its type$/)
  assert.match(errors[1] ?? "", /answered with HTTP 400: .*: look at its url and its type$/)
  assert.match(errors[2] ?? "", /answered with HTTP 503: .*: try again later$/)
})

test("a server over HTTP whose connection breaks in a call is an error result at once", async () => {
  await using remote = await httpServer(["--cuts"])
  await using it = await served({ remote: { url: remote.url } })
  assert.match(
    (await call(it, "remote_echo")).output,
    /gave no result of remote_echo: the connection ended before the result was there\./,
  )
})

test("a server over HTTP that is gone is an error result at once, and is there again when it is", async () => {
  await using remote = await httpServer()
  await using it = await served({ remote: { url: remote.url } })
  remote.process.kill("SIGKILL")
  await new Promise((done) => remote.process.once("exit", done))
  assert.match((await call(it, "remote_echo")).output, /cannot be reached \(ECONNREFUSED\)\. What it did/)
})

test("a server over HTTP that has forgotten the session is greeted anew, and the call is made", async () => {
  const log = serverLog()
  await using remote = await httpServer(["--forgets"], log)
  await using it = await served({ remote: { url: remote.url } })
  assert.equal((await call(it, "remote_echo", { value: "anew" })).output, "anew")
  assert.deepEqual(
    log.lines().filter((line) => line === "initialize" || line.startsWith("call")),
    ["initialize", "initialize", "call echo"],
  )
})

test("a server that does not end by itself is ended also when this process is killed", async () => {
  const log = serverLog()
  const code = `
    import { createToolkit } from "./src/index.ts"
    const toolkit = await createToolkit({ mcpConfig: JSON.parse(process.argv[2]) })
    const { output } = await toolkit.execute("test_argv", {})
    console.log(output)
    setInterval(() => {}, 1000)`
  const config = { mcpServers: { test: stdioServer(["--stays"], log) } }
  const child = spawn(process.execPath, [program({ code }), JSON.stringify(config)], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const { pid } = JSON.parse(String(await new Promise((done) => child.stdout.once("data", done))))
  child.kill("SIGKILL")
  await until(() => !existsSync(`/proc/${pid}`))
  assert.equal(log.lines().at(-1), "SIGTERM")
})

test("a program that is done ends, also with servers that nobody closed, and they end with it", async () => {
  const code = `
    import { createToolkit } from "./src/index.ts"
    const toolkit = await createToolkit({ mcpConfig: JSON.parse(process.argv[2]) })
    console.log((await toolkit.execute("test_argv", {})).output)`
  const config = { mcpServers: { test: stdioServer(["--stays"]) } }
  const output = execFileSync(process.execPath, [program({ code }), JSON.stringify(config)], { encoding: "utf8" })
  await until(() => !existsSync(`/proc/${JSON.parse(output).pid}`))
})

test("nothing of the SDK is loaded without a server that is to be started", async () => {
  const loads = (servers: object) => {
    const watch = watchLoads()
    const code = `
      import { createToolkit } from "./src/index.ts"
      await createToolkit({ builtins: true, mcpConfig: JSON.parse(process.argv[2]), onWarning() {} })`
    execFileSync(process.execPath, [...watch.execArgv, program({ code }), JSON.stringify({ mcpServers: servers })])
    return watch.loaded().packages.includes("@modelcontextprotocol/sdk")
  }
  assert.deepEqual(
    [loads({}), loads({ off: { command: "x", disabled: true }, bad: {} }), loads({ on: { command: "x" } })],
    [false, false, true],
  )
})
