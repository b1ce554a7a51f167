import assert from "node:assert/strict"
import { test } from "node:test"
import { ToolnexusError } from "../../../src/tool/error.ts"
import { pending, pendingOf } from "../../../src/tool/result.ts"
import { createToolkit } from "../../../src/tools/create-toolkit.ts"
import { defineTool, type ToolDefinition } from "../../../src/tools/define-tool.ts"
import { relayTool } from "../../../src/tools/relay-tool.ts"

const giving = (value: unknown) => defineTool({ name: "t", description: "d", run: async () => value })
const resultOf = (value: unknown) => giving(value).execute({})

test("a tool has what it was defined with, and takes no parameters by itself", () => {
  const tool = defineTool({ name: "t", description: "d", annotations: { readOnly: true }, run: () => "" })
  const { execute, ...data } = tool
  assert.deepEqual(data, {
    name: "t",
    description: "d",
    inputSchema: { type: "object", properties: {} },
    source: "native",
    annotations: { readOnly: true },
  })
  assert.equal(typeof execute, "function")
})

test("a string is the output, nothing is the empty one, anything else is JSON", async () => {
  assert.deepEqual(await resultOf("text"), { output: "text", isError: false })
  assert.deepEqual(await resultOf(undefined), { output: "", isError: false })
  assert.deepEqual(await resultOf({ a: [1] }), { output: '{"a":[1]}', isError: false })
  assert.deepEqual(await resultOf(false), { output: "false", isError: false })
  assert.deepEqual(await resultOf(null), { output: "null", isError: false })
  assert.deepEqual(await resultOf({ output: "x" }), { output: '{"output":"x"}', isError: false })
})

test("a result passes through, a suspension too", async () => {
  assert.deepEqual(await resultOf({ output: "x", isError: true, more: 1 }), { output: "x", isError: true })
  const asked = pending({ kind: "input", prompt: "Where?" })
  assert.deepEqual(await resultOf(asked), asked)
})

test("a throw is an error result with its message, an abort likewise", async () => {
  const throwing = (error: unknown) =>
    defineTool({
      name: "t",
      description: "d",
      run: () => {
        throw error
      },
    })
  assert.deepEqual(await throwing(new Error("no disk")).execute({}), { output: "no disk", isError: true })
  assert.deepEqual(await throwing("plain").execute({}), { output: "plain", isError: true })
  assert.deepEqual(await throwing(Object.create(null)).execute({}), {
    output: "an error without a message",
    isError: true,
  })
  const aborted = AbortSignal.abort()
  const waiting = defineTool({ name: "t", description: "d", run: (_args, { signal }) => signal?.throwIfAborted() })
  assert.deepEqual(await waiting.execute({}, { signal: aborted }), {
    output: "This operation was aborted",
    isError: true,
  })
})

test("a value that JSON cannot hold is an error result that says so", async () => {
  const cycle: Record<string, unknown> = {}
  cycle.self = cycle
  for (const value of [1n, { n: 1n }, cycle, () => 1, Symbol("s")]) {
    const { output, isError } = await resultOf(value)
    assert.equal(isError, true)
    assert.match(output, /^The tool gave a value that cannot be passed on: /)
  }
  assert.equal((await resultOf({ output: "x", isError: false, metadata: { n: 1n } })).isError, true)
  assert.equal((await resultOf({ output: "x", isError: false, metadata: "m" })).isError, true)
})

test("bytes are a line that names type and size", async () => {
  assert.equal((await resultOf(Buffer.from("abc"))).output, "[binary data, 3 bytes]")
  assert.equal((await resultOf(new Blob(["abcd"], { type: "image/png" }))).output, "[image/png, 4 bytes]")
})

test("a tool gets its arguments and its context", async () => {
  const tool = defineTool({
    name: "t",
    description: "d",
    run: ({ city }: { city: string }, ctx) => `${city} ${ctx.runId}`,
  })
  assert.equal((await tool.execute({ city: "Rome" }, { runId: "r" })).output, "Rome r")
  assert.equal((await tool.execute({ city: "Rome" })).output, "Rome undefined")
})

const WRONG: [definition: unknown, message: RegExp][] = [
  [undefined, /it must be an object, got undefined/],
  [{ description: "d", run() {} }, /name must be a non-empty string, got undefined/],
  [{ name: "", description: "d", run() {} }, /name must be a non-empty string, got ""/],
  [{ name: "t", run() {} }, /description of "t" must be a string, got undefined/],
  [{ name: "t", description: "d" }, /run of "t" must be a function, got undefined/],
  [{ name: "t", description: "d", inputSchema: [], run() {} }, /inputSchema of "t" must be an object, got array/],
]

for (const [definition, message] of WRONG) {
  test(`a definition is refused where ${message.source}`, () => {
    assert.throws(() => defineTool(definition as ToolDefinition), { code: "usage", message })
  })
}

test("a relay tool suspends with a call for the host", async () => {
  const tool = relayTool("weather", "looks up the weather", { type: "object" })
  assert.equal(tool.source, "relay")
  const request = pendingOf(await tool.execute({}))
  assert.equal(request?.kind, "tool_call")
  assert.equal(request?.prompt, "Carry out the call of weather and give its result")
})

test("a failure of the machinery around a tool is no result: it is thrown, through a toolkit too", async () => {
  const failing = (code: "tool" | "usage") =>
    defineTool({
      name: "t",
      description: "d",
      run: () => {
        throw new ToolnexusError(code, "no")
      },
    })
  await assert.rejects(failing("tool").execute({}), { code: "tool", message: "no" })
  const toolkit = await createToolkit({ extraTools: [failing("tool")] })
  await assert.rejects(toolkit.execute("t", {}), { code: "tool", message: "no" })
  assert.deepEqual(await failing("usage").execute({}), { output: "no", isError: true })
})
