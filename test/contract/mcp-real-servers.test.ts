import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { test } from "node:test"
import { answerOutput, createGate, type McpServerConfig, type Request, readRun } from "../../src/index.ts"
import { scriptedPerson } from "../../src/testing/index.ts"
import { calls } from "../support/agent.ts"
import { temporaryFolder } from "../support/folder.ts"
import { callIn, clientOver, everythingServer, outputsOf, realServers, served } from "../support/mcp.ts"
import { program } from "../support/program.ts"

const everything = (): McpServerConfig => ({ command: process.execPath, args: [realServers.everything, "stdio"] })
const filesystem = (folder: string): McpServerConfig => ({
  command: process.execPath,
  args: [realServers.filesystem, folder],
  trustHints: true,
})

const OVER = {
  stdio: async () => ({ config: everything(), async [Symbol.asyncDispose]() {} }),
  "streamable HTTP": async () => remote("streamableHttp"),
  SSE: async () => remote("sse"),
}

async function remote(transport: "streamableHttp" | "sse") {
  const server = await everythingServer(transport)
  const type = transport === "sse" ? "sse" : "http"
  const config: McpServerConfig = { type, url: server.url }
  return { config, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

for (const [over, open] of Object.entries(OVER)) {
  test(`the everything server over ${over}: results of every kind, and questions that are answered`, async () => {
    await using server = await open()
    await using it = await served({ all: server.config })
    assert.deepEqual([it.warnings, it.toolkit.mcpStatus()[0]?.status], [[], "connected"])
    const output = async (tool: string, args: object = {}) => (await it.toolkit.execute(`all_${tool}`, args)).output
    assert.equal(await output("echo", { message: "hello" }), "Echo: hello")
    assert.match(await output("get-tiny-image"), /^Here's the image you requested:\n\[image: image\/png, \d+ bytes\]\n/)
    assert.match(await output("get-structured-content", { location: "Chicago" }), /"conditions":/)
    assert.match(await output("get-resource-links"), /\[resource link: demo:\/\/resource\//)
    assert.match(await output("get-resource-reference"), /\[resource: demo:\/\/.*\]\nResource 1: /)

    const accept = ({ id }: Request) => ({ id, ok: true })
    const person = scriptedPerson([
      '{"name":"Ada"}',
      { decline: "declined" },
      { decline: "cancelled" },
      accept,
      accept,
      accept,
    ])
    const url = { url: "https://example.test/in", message: "Sign in" }
    const { run } = clientOver(
      it.toolkit,
      [
        calls("all_trigger-elicitation-request"),
        calls("all_trigger-elicitation-request"),
        calls("all_trigger-elicitation-request"),
        calls(["all_trigger-url-elicitation", url]),
        calls(["all_trigger-url-elicitation", { ...url, errorPath: true }]),
        "done",
      ],
      { waitFor: person.waitFor },
    )
    const outputs = outputsOf(await run("go"))
    assert.match(outputs[0] ?? "", /"action": "accept".*"name": "Ada".*"integer": 42/s)
    assert.match(outputs[1] ?? "", /"action": "decline"/)
    assert.match(outputs[2] ?? "", /"action": "cancel"/)
    assert.match(outputs[3] ?? "", /"action": "accept"/)
    assert.deepEqual(
      person.asked.map(({ kind, url }) => [kind, url]),
      [
        ["input", undefined],
        ["input", undefined],
        ["input", undefined],
        ["authorization", "https://example.test/in"],
        // what it wants done first, and then the question of the call that is made again
        ["authorization", "https://modelcontextprotocol.io"],
        ["authorization", "https://example.test/in"],
      ],
    )
  })
}

test("a tool of the everything server that works as a task asks what it needs, and gives its result", async () => {
  await using it = await served({ all: everything() })
  const person = scriptedPerson(['{"interpretation":"snake"}'])
  const query = { topic: "python", ambiguous: true }
  const { run } = clientOver(it.toolkit, [calls(["all_simulate-research-query", query]), "done"], person)
  assert.match(outputsOf(await run("go"))[0] ?? "", /^# Research Report: python \(snake\)/)
  assert.equal(person.asked[0]?.kind, "input")
})

test("the filesystem server under rules: what looks runs, what writes is asked about, what is denied does not run", async () => {
  const folder = temporaryFolder({ "a.txt": "text of a" })
  await using it = await served({ fs: filesystem(folder.path) })
  const gate = createGate({
    rules: [
      { effect: "allow", rule: "mcp:fs/read_*" },
      { effect: "ask", rule: "mcp:fs/*_file" },
      { effect: "deny", rule: "mcp:fs/move_file" },
    ],
  })
  const person = scriptedPerson([({ id }) => ({ id, ok: true }), { decline: "declined" }])
  const file = (name: string, content: string) =>
    ["fs_write_file", { path: folder.at(name), content }] as [string, object]
  const { run } = clientOver(
    it.toolkit,
    [
      calls(["fs_read_multiple_files", { paths: [folder.at("a.txt")] }]),
      calls(file("b.txt", "b"), file("c.txt", "c"), ["fs_move_file", { source: folder.at("a.txt"), destination: "x" }]),
      "done",
    ],
    { gate, waitFor: person.waitFor },
  )
  const [read, written, declined, denied] = outputsOf(await run("go"))
  assert.match(read ?? "", /text of a/)
  assert.match(written ?? "", /Successfully wrote/)
  assert.match(declined ?? "", /^declined\/expired: /)
  assert.match(denied ?? "", /^refused by deny mcp:fs\/move_file/)
  assert.equal(folder.text("b.txt"), "b")
  assert.throws(() => folder.text("c.txt"))
  assert.deepEqual(callIn(person.asked[0]).origin, { server: "fs", tool: "write_file" })
  assert.deepEqual(it.toolkit.get("fs_read_file")?.annotations, { readOnly: true })
})

const GOES_ON = `
  import { createGate, createInProcessClient, createToolkit, openRun, readRun } from "./src/index.ts"
  import { scriptedModel } from "./src/testing/index.ts"
  const { file, mcpConfig, turns, answers } = JSON.parse(process.argv[2])
  const toolkit = await createToolkit({ mcpConfig })
  const gate = createGate({ rules: [{ effect: "allow", rule: "mcp:all/*" }] })
  const client = createInProcessClient({ model: "m", generate: scriptedModel(turns).generate, gate })
  const journal = await openRun(file)
  const result = answers
    ? await client.resume(journal, answers, { toolkit })
    : await client.run("go", { toolkit, journal })
  await journal.close()
  await toolkit.close()
  console.log(JSON.stringify(result))`

test("halted in one process and answered in another: an approval and a question of real servers", async () => {
  const folder = temporaryFolder()
  const file = folder.at("work.run.jsonl")
  const mcpConfig = { mcpServers: { all: everything(), fs: filesystem(folder.path) } }
  const step = (orders: object) => {
    const text = execFileSync(
      process.execPath,
      [program({ code: GOES_ON }), JSON.stringify({ file, mcpConfig, ...orders })],
      {
        encoding: "utf8",
      },
    )
    return JSON.parse(text)
  }
  const write = { path: folder.at("out.txt"), content: "written once" }
  const turns = [calls(["fs_write_file", write], "all_trigger-elicitation-request")]
  const first = step({ turns })
  assert.deepEqual([first.status, first.suspended.map(({ kind }: Request) => kind)], ["pending", ["approval", "input"]])
  const [approval, question] = first.suspended as Request[]
  const halfway = step({ turns: [], answers: [{ id: approval?.id, ok: true }] })
  assert.deepEqual([halfway.status, folder.text("out.txt")], ["pending", "written once"])
  folder.put("out.txt", "changed since") // what was done is not done again
  const last = step({ turns: ["done"], answers: [answerOutput(question?.id ?? "", '{"name":"Grace"}')] })
  assert.deepEqual([last.status, last.text], ["done", "done"])
  assert.match(last.toolCalls[1].output, /"action": "accept".*"name": "Grace"/s)
  assert.equal(folder.text("out.txt"), "changed since")
  assert.equal((await readRun(file)).result.status, "done")
})
