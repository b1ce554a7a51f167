import assert from "node:assert/strict"
import { test } from "node:test"
import { createInProcessClient } from "../../../src/index.ts"
import type { Tool, ToolContext } from "../../../src/tool/tool.ts"
import { createToolkit } from "../../../src/tools/create-toolkit.ts"
import { defineTool } from "../../../src/tools/define-tool.ts"
import { relayTool } from "../../../src/tools/relay-tool.ts"
import { program } from "../../support/program.ts"

const named = (name: string, run: (args: object, ctx: ToolContext) => unknown = () => name) =>
  defineTool({ name, description: `does ${name}`, inputSchema: { type: "object", required: [] }, run })

const namesOf = (toolkit: { tools(): readonly Tool[] }) => toolkit.tools().map(({ name }) => name)

const BUILTINS = ["question", "read", "write", "edit", "apply_patch", "glob", "grep", "bash", "webfetch", "todo"]

test("built-ins are off, all on, or some on", async () => {
  assert.deepEqual(namesOf(await createToolkit()), [])
  assert.deepEqual(namesOf(await createToolkit({ builtins: true })), BUILTINS)
  assert.deepEqual(namesOf(await createToolkit({ builtins: ["bash"] })), ["bash"])
  await assert.rejects(createToolkit({ builtins: ["bsh"] }), {
    code: "usage",
    message:
      'there is no built-in tool "bsh": there are question, read, write, edit, apply_patch, glob, grep, bash, webfetch, todo',
  })
})

test("names are cleaned, and a call finds the tool by the cleaned one", async () => {
  const toolkit = await createToolkit({ extraTools: [named("read.file é"), named("x".repeat(70))] })
  assert.deepEqual(namesOf(toolkit), ["read_file__", "x".repeat(64)])
  assert.equal((await toolkit.execute("read_file__", {})).output, "read.file é")
})

test("two of the host's tools with one name are an error", async () => {
  const message =
    'two tools have the name "a b" (as "a_b"): rename one, names are cleaned to [a-zA-Z0-9_-] and 64 characters'
  await assert.rejects(createToolkit({ extraTools: [named("a_b"), named("a b")] }), { code: "usage", message })
  const toolkit = await createToolkit({ extraTools: [named("a_b")] })
  assert.throws(() => toolkit.register(named("a b")), { code: "usage", message })
})

test("a host's own tool takes a built-in's place, a relay tool may not", async () => {
  const toolkit = await createToolkit({ builtins: true, extraTools: [named("bash")] })
  assert.deepEqual(namesOf(toolkit), BUILTINS)
  assert.equal((await toolkit.execute("bash", {})).output, "bash")
  await assert.rejects(createToolkit({ extraTools: [relayTool("bash", "d")] }), {
    code: "usage",
    message: /the relay tool "bash" has the name of a built-in tool/,
  })
})

for (const name of BUILTINS) {
  test(`no relay tool may be called ${name}, and the schema of ${name} takes nothing that it does not name`, async () => {
    await assert.rejects(createToolkit({ extraTools: [relayTool(name, "d")] }), { code: "usage" })
    const tool = (await createToolkit({ builtins: [name] })).get(name)
    assert.equal(name === "question" || tool?.inputSchema.additionalProperties === false, true)
  })
}

test("a tool keeps its preview in a toolkit, a failing preview is a problem, and what is no function is refused", async () => {
  const diff = { diff: "-a\n+b\n", basis: "0" }
  const tool = defineTool({ name: "x.y", description: "d", run: () => "done", preview: async () => diff })
  const failing = defineTool({
    name: "z",
    description: "d",
    run: () => "done",
    preview: () => {
      throw new Error("boom")
    },
  })
  const toolkit = await createToolkit({ extraTools: [tool, failing] })
  assert.deepEqual(await toolkit.get("x_y")?.preview?.({}), diff)
  assert.deepEqual(await toolkit.get("z")?.preview?.({}), { problem: "boom" })
  const wrong = { name: "w", description: "d", run: () => "", preview: "no" } as never
  assert.throws(() => defineTool(wrong), /preview of "w" must be a function/)
})

test("what is no tool is refused in one line", async () => {
  const wrong = [null, {}, { name: "t", description: "d", inputSchema: {}, source: "custom" }]
  for (const tool of wrong) {
    await assert.rejects(createToolkit({ extraTools: [tool as unknown as Tool] }), {
      code: "usage",
      message: /^this is no tool: .*make one with defineTool/,
    })
  }
  await assert.rejects(createToolkit({ extraTools: {} as unknown as Tool[] }), {
    message: "extraTools must be a list, got object",
  })
})

test("tools are left out by name, and a name that is none is reported", async () => {
  const warnings: string[] = []
  const toolkit = await createToolkit({
    builtins: ["question", "bash"],
    extraTools: [named("a.b"), named("c")],
    disableTools: ["bash", "a.b", "nothing"],
    onWarning: (warning) => warnings.push(warning),
  })
  assert.deepEqual(namesOf(toolkit), ["question", "c"])
  assert.deepEqual(warnings, ['disableTools names "nothing", and there is no such tool'])
})

for (const name of ["nothing", "constructor", "__proto__", "toString", "", "a\nb"]) {
  test(`the name ${JSON.stringify(name)}, which no tool has, is an error result`, async () => {
    const toolkit = await createToolkit({ builtins: true })
    assert.equal(toolkit.get(name), undefined)
    assert.deepEqual(await toolkit.execute(name, {}), { output: `Unknown tool: ${name}`, isError: true })
  })
}

test("arguments are checked before a tool runs", async () => {
  let runs = 0
  const tool = defineTool({
    name: "t",
    description: "d",
    inputSchema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
    run: () => ++runs,
  })
  const toolkit = await createToolkit({ extraTools: [tool] })
  const refused = { output: "The arguments do not fit the schema of t: n is missing. Nothing was run.", isError: true }
  assert.deepEqual(await toolkit.execute("t", {}), refused)
  assert.equal(await toolkit.check("t", {}), refused.output)
  assert.deepEqual(await toolkit.execute("t", null), {
    output: "The arguments must be a JSON object, got null.",
    isError: true,
  })
  assert.equal(runs, 0)
  assert.equal((await toolkit.execute("t", { n: 1 })).output, "1")
})

test("whatever a tool of the host's own making does becomes a result", async () => {
  class Custom implements Tool {
    name = "custom"
    description = "d"
    inputSchema = {}
    source = "custom" as const
    #word = "own"
    async execute(args: Record<string, unknown>) {
      if (args.fail) throw new Error("boom")
      return { output: this.#word, isError: false }
    }
  }
  const toolkit = await createToolkit({ extraTools: [new Custom()] })
  assert.deepEqual(await toolkit.get("custom")?.execute({}), { output: "own", isError: false })
  assert.deepEqual(await toolkit.get("custom")?.execute({ fail: true }), { output: "boom", isError: true })
})

test("what a host changes on its tool later changes nothing in the toolkit", async () => {
  const tool = named("t")
  const toolkit = await createToolkit({ extraTools: [tool] })
  tool.name = "other"
  tool.description = "other"
  assert.equal(toolkit.get("t")?.description, "does t")
})

test("a running call is stopped by its own signal, by the toolkit's, and by close", async () => {
  const untilStopped = named(
    "t",
    (_args, { signal }) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason))
      }),
  )
  const stops = async (
    stop: (stoppers: { own: AbortController; all: AbortController; close(): Promise<void> }) => unknown,
  ) => {
    const [own, all] = [new AbortController(), new AbortController()]
    const toolkit = await createToolkit({ extraTools: [untilStopped], signal: all.signal })
    const running = toolkit.execute("t", {}, { signal: own.signal })
    await stop({ own, all, close: () => toolkit.close() })
    return running
  }
  assert.deepEqual(await stops(({ own }) => own.abort(new Error("own"))), { output: "own", isError: true })
  assert.deepEqual(await stops(({ all }) => all.abort(new Error("all"))), { output: "all", isError: true })
  assert.deepEqual(await stops(({ close }) => close()), { output: "the toolkit is closed", isError: true })
})

test("a call after the close does not run", async () => {
  let runs = 0
  const toolkit = await createToolkit({ extraTools: [named("t", () => ++runs)] })
  await toolkit.close()
  await toolkit.close()
  assert.deepEqual(await toolkit.execute("t", {}), { output: "the toolkit is closed", isError: true })
  assert.equal(runs, 0)
})

test("the tools are said as each endpoint takes them", async () => {
  const toolkit = await createToolkit({ extraTools: [named("t")] })
  const schema = { type: "object", required: [] }
  assert.deepEqual(toolkit.toOpenAI(), [
    { type: "function", function: { name: "t", description: "does t", parameters: schema } },
  ])
  assert.deepEqual(toolkit.toAnthropic(), [{ name: "t", description: "does t", input_schema: schema }])
  assert.equal(toolkit.skillsPrompt(), "")
  assert.deepEqual(toolkit.mcpStatus(), [])
})

test("no validator is loaded for a tool without parameters", async () => {
  const { execFileSync } = await import("node:child_process")
  const code = `
    import { createToolkit } from "./src/tools/create-toolkit.ts"
    import { relayTool } from "./src/tools/relay-tool.ts"
    import { createRequire } from "node:module"
    const toolkit = await createToolkit({ builtins: true, extraTools: [relayTool("t", "d")] })
    await toolkit.execute("t", {})
    const loaded = () => Object.keys(createRequire(${JSON.stringify(import.meta.url)}).cache).some((file) => file.includes("/ajv/"))
    console.log(loaded())
    await toolkit.execute("question", {})
    console.log(loaded())`
  assert.equal(execFileSync(process.execPath, [program({ code })], { encoding: "utf8" }), "false\ntrue\n")
})

test("a client and its toolkit tell once between them that a schema cannot be compiled", async () => {
  const warnings: string[] = []
  const onWarning = (warning: string) => void warnings.push(warning)
  const inputSchema = { type: "object", properties: { n: { type: "nonsense" } } }
  const toolkit = await createToolkit({
    extraTools: [defineTool({ name: "t", description: "", inputSchema, run: () => "ran" })],
    onWarning,
  })
  const turns = [{ toolCalls: [{ id: "c", name: "t", input: { n: 1 } }] }, { text: "done" }]
  const client = createInProcessClient({ model: "m", generate: () => turns.shift() ?? {}, onWarning })
  assert.equal((await client.run("go", { toolkit })).toolCalls[0]?.output, "ran")
  assert.equal((await toolkit.execute("t", { n: 2 })).output, "ran")
  assert.equal(warnings.length, 1)
})
