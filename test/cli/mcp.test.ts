import assert from "node:assert/strict"
import { test } from "node:test"
import { realServers, serverLog, stdioServer } from "../support/mcp.ts"
import { KEYS } from "../support/pty.ts"
import { replyCalls, replyText, scriptedEndpoint } from "../support/scripted-endpoint.ts"
import { workplace } from "../support/workplace.ts"
import { place } from "./command-line.ts"

const node = process.execPath
const call = (name: string, args: object = {}) => replyCalls([{ id: "c1", name, arguments: args }])
const config = (servers: object) => ({ mcpServers: servers })

test("a real server's call is approved, and its question answered, at the terminal that shows whose they are", async (t) => {
  const at = await workplace(t, [call("all_trigger-elicitation-request"), replyText("all done")])
  at.write("mcp.json", JSON.stringify(config({ all: { command: node, args: [realServers.everything, "stdio"] } })))
  const args = ["run", "go", "--mcp", "mcp.json", "--ask", "mcp:all/*", "--file", "a.run.jsonl"]
  const pty = at.terminal(args, { columns: 100, rows: 60 })
  await pty.waitFor(/May all_trigger-elicitation-request run\?[\s\S]*MCP server: all[\s\S]*Enter confirms/)
  pty.type(KEYS.down)
  await pty.waitFor("> 1.")
  pty.type(KEYS.enter)
  const shows = (at: number) => pty.waitFor(new RegExp(`\\(${at} of 13\\)[\\s\\S]*Enter (sends|confirms)`))
  await shows(1)
  pty.type("Ada")
  await pty.waitFor("> Ada")
  pty.type(KEYS.enter)
  await shows(2)
  pty.type("1")
  await pty.waitFor("> 1. yes")
  pty.type(KEYS.enter)
  // What is left out, and what has a value already.
  for (let at = 3; at <= 13; at++) {
    const isChoice = /Enter confirms/.test((await shows(at)).split(`(${at} of 13)`).at(-1) ?? "")
    if (isChoice) {
      pty.type(KEYS.up)
      await pty.waitFor(/> \d\. .*leave it out/)
    }
    if (at === 10 || at === 12) {
      pty.type(" ")
      await pty.waitFor(/\[x\] \(leave it out/)
    }
    pty.type(KEYS.enter)
  }
  await pty.waitFor(/your answers:[\s\S]*String: Ada[\s\S]*Send this\?[\s\S]*Enter confirms/)
  pty.type("1")
  await pty.waitFor("> 1. Send")
  pty.type(KEYS.enter)
  assert.deepEqual(await pty.exit, { code: 0, signal: undefined })
  assert.match(pty.scrollback(), /Please provide inputs for the following fields:[\s\S]*MCP server: all/)
  assert.match(pty.scrollback(), /all done/)
  const told = at.endpoint.requests[1]?.body.messages.at(-1).content
  assert.match(told, /"action": "accept"[\s\S]*"name": "Ada",\s+"check": true,[\s\S]*"integer": 42/)
})

test("Ctrl-C at a server's question is told to it as a cancel, and the words typed into its form as they are", async (t) => {
  const steps = [call("s_ask"), call("s_ask"), replyText("done")]
  const at = await workplace(t, steps)
  at.write("mcp.json", JSON.stringify(config({ s: stdioServer() })))
  const pty = at.terminal(["run", "go", "--mcp", "mcp.json", "--allow", "mcp:s/*"])
  await pty.waitFor("Enter sends")
  pty.type(KEYS.ctrlC)
  await pty.waitFor(/this question is declined[\s\S]*Enter sends/)
  pty.type("blue")
  await pty.waitFor("> blue")
  pty.type(KEYS.enter)
  assert.equal((await pty.exit).code, 0)
  const told = at.endpoint.requests.slice(1).map(({ body }) => body.messages.at(-1).content)
  assert.deepEqual(told, ["cancel", 'accept {"value":"blue"}'])
})

test("halted by --no-input and resumed with answers, with a real server in each process", async (t) => {
  const steps = [call("all_trigger-elicitation-request"), replyText("done")]
  await using endpoint = await scriptedEndpoint(steps).listen()
  const { run, write } = place(t)
  write("mcp.json", config({ all: { command: node, args: [realServers.everything, "stdio"] } }))
  const options = ["--base-url", endpoint.baseUrl, "--model", "m"]
  const halted = await run([
    ...["run", "go", ...options, "--mcp", "mcp.json", "--ask", "mcp:all/*"],
    ...["--no-input", "--file", "h.run.jsonl"],
  ])
  assert.deepEqual([halted.code, halted.lastLine], [3, "toolnexus resume h.run.jsonl"])
  assert.match(halted.err, /Allow all_trigger-elicitation-request\?[\s\S]*--approve or --decline/)
  const approved = await run(["resume", "h.run.jsonl", "--approve", "--no-input"])
  assert.equal(approved.code, 3)
  assert.match(
    approved.err,
    /Please provide inputs.*\n {2}\(If all no longer waits .*, the call is made again; all may have acted already\.\)\n/,
  )
  const wrong = await run(["resume", "h.run.jsonl", "--answer", '{"integer":"x"}', "--no-input"])
  assert.equal(wrong.code, 5)
  const answered = await run(["resume", "h.run.jsonl", "--answer", '{"name":"Grace"}', "--no-input"])
  assert.deepEqual([answered.code, answered.out], [0, "done\n"])
  assert.match(endpoint.requests[1]?.body.messages.at(-1).content, /"name": "Grace"/)
})

test("a server that cannot be used is said on stderr with what to do, and the run goes on without it", async (t) => {
  await using endpoint = await scriptedEndpoint([call("good_echo", { value: "hi" }), replyText("done")]).listen()
  const { run, write } = place(t)
  write("mcp.json", config({ bad: { command: "no-such-command-here" }, good: stdioServer() }))
  const options = ["--base-url", endpoint.baseUrl, "--model", "m", "--mcp", "mcp.json", "--allow", "mcp:good/*"]
  const { code, err } = await run(["run", "go", ...options])
  assert.equal(code, 0)
  assert.match(
    err,
    /^the MCP server bad cannot be used: there is no command no-such-command-here: install it, or write its whole path\n/,
  )
  assert.equal(endpoint.requests[1]?.body.messages.at(-1).content, "hi")
})

test("a signal while servers start does not wait for them", async (t) => {
  const log = serverLog()
  const at = await workplace(t, [replyText("never")])
  at.write("mcp.json", JSON.stringify(config({ slow: stdioServer(["--hangs"], log) })))
  const pty = at.terminal(["run", "go", "--mcp", "mcp.json", "--allow", "mcp:s/*"])
  while (log.lines().length === 0) await new Promise((done) => setTimeout(done, 10))
  pty.signal("SIGINT")
  assert.equal((await pty.exit).code, 130)
  assert.deepEqual(at.endpoint.requests, [])
})
