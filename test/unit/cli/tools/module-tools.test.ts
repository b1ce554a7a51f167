import assert from "node:assert/strict"
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { type TestContext, test } from "node:test"
import { setImmediate as turn } from "node:timers/promises"
import { startModuleTools } from "../../../../src/cli/tools/module-tools.ts"
import { createToolHosts } from "../../../../src/cli/tools/tool-hosts.ts"
import { toolsOf } from "../../../../src/cli/tools/tool-sources.ts"
import { manualClock } from "../../../../src/testing/index.ts"
import { temporaryFolder } from "../../../support/folder.ts"

const folder = temporaryFolder()
let made = 0

/** What starts the tools of a module, in a real process that ends with the test. */
function tools(t: TestContext, source: string) {
  const name = `${++made}.mjs`
  folder.put(name, source)
  const clock = manualClock()
  const processes: ChildProcess[] = []
  const lines: string[] = []
  const hosts = createToolHosts()
  const take = () => {
    const host = hosts.take()
    processes.push(host)
    return host
  }
  t.after(() => processes.map((host) => host.kill("SIGKILL")))
  const options = { hosts: { ...hosts, take }, cwd: folder.path, clock, onLine: (line: string) => lines.push(line) }
  return { started: startModuleTools([folder.at(name)], options), clock, processes, lines, name }
}

const NUMBERED = `let calls = 0
export default ({ defineTool }) => [
  defineTool({ name: "count", description: "d", annotations: { readOnly: true }, run: () => ++calls }),
]`

test("what a tool says of itself and what it does is the same as in this process", async (t) => {
  const { started } = tools(
    t,
    `export default ({ defineTool, relayTool, pending }) => [
  defineTool({ name: "ctx", description: "d", inputSchema: { type: "object" }, run: (args, { signal, ...ctx }) => ({ args, ctx, aborted: signal.aborted }) }),
  defineTool({ name: "asks", description: "d", run: () => pending({ id: "r1", kind: "input", prompt: "?" }) }),
  defineTool({ name: "bytes", description: "d", run: () => new Uint8Array(3) }),
  defineTool({ name: "throws", description: "d", run: () => { throw new Error("no") } }),
  relayTool("relayed", "d"),
  { name: "by hand", description: "d", inputSchema: {}, source: "custom", execute: async () => 42 },
]`,
  )
  const { files, close } = await started
  const loaded = toolsOf(files)
  const [ctx, asks, bytes, throws, relayed, byHand] = loaded
  const { execute: _, ...spec } = relayed ?? {}
  assert.deepEqual(spec, {
    name: "relayed",
    description: "d",
    inputSchema: { type: "object", properties: {} },
    source: "relay",
  })
  const answer = { id: "r1", ok: true, data: { output: "x" } }
  const told = { answer, answers: [answer], call: { id: "c", name: "ctx", turn: 1 }, runId: "run", idempotencyKey: "k" }
  const said = await ctx?.execute({ a: 1 }, { ...told, signal: new AbortController().signal })
  assert.deepEqual(JSON.parse(said?.output ?? ""), { args: { a: 1 }, ctx: told, aborted: false })
  assert.deepEqual((await asks?.execute({}))?.metadata, { pending: { id: "r1", kind: "input", prompt: "?" } })
  assert.deepEqual(await bytes?.execute({}), { output: "[binary data, 3 bytes]", isError: false })
  assert.deepEqual(await throws?.execute({}), { output: "no", isError: true })
  assert.deepEqual(await byHand?.execute({}), { output: "42", isError: false })
  await close()
})

test("a preview is there where the module has one, and a process that ends meanwhile is its problem", async (t) => {
  const preview = `defineTool({ name: "p", description: "d", run: () => "", preview: async ({ end }) => end ? process.exit(3) : ({ diff: "+x", basis: "b" }) })`
  const { started } = tools(t, `export default ({ defineTool }) => [${preview}]`)
  const { files, close } = await started
  const loaded = toolsOf(files)
  assert.deepEqual(await loaded[0]?.preview?.({}), { diff: "+x", basis: "b" })
  const problem = await loaded[0]?.preview?.({ end: true })
  assert.match(problem && "problem" in problem ? problem.problem : "", /ended \(p called process\.exit\(3\)\)/)
  await close()
})

test("a module whose top level never settles is given up after ten seconds, and its process is ended", async (t) => {
  const { started, clock, processes, name } = tools(t, "await new Promise(() => {}); export default []")
  clock.advance(9_999)
  clock.advance(1)
  await assert.rejects(started, (error: Error & { code: string }) => {
    assert.equal(error.code, "configuration")
    assert.match(error.message, new RegExp(`${name} cannot be used: it is not loaded after 10 s`))
    return true
  })
  const [host] = processes
  if (host?.exitCode === null && host.signalCode === null) await once(host, "exit")
})

test("a process that ends between two calls is started again with the next one, and that is said", async (t) => {
  const { started, processes, lines } = tools(t, NUMBERED)
  const { files, close } = await started
  const loaded = toolsOf(files)
  const count = async () => (await loaded[0]?.execute({}))?.output
  assert.deepEqual([await count(), await count()], ["1", "2"])
  const [first] = processes
  first?.kill("SIGKILL")
  if (first) await once(first, "close")
  await turn()
  assert.deepEqual(await Promise.all([count(), count()]), ["1", "2"])
  assert.equal(processes.length, 2)
  assert.deepEqual(lines, ["the tools process has ended (signal SIGKILL), and is started again"])
  await close()
})

test("where it cannot be started again, the calls fail as machinery does, not as a result for the model", async (t) => {
  const { started, processes, name } = tools(t, NUMBERED)
  const { files, close } = await started
  const loaded = toolsOf(files)
  folder.put(name, "throw new Error('gone')")
  processes[0]?.kill("SIGKILL")
  if (processes[0]) await once(processes[0], "close")
  await turn()
  await assert.rejects(async () => loaded[0]?.execute({}), { code: "tool", message: /gone/ })
  await close()
})
