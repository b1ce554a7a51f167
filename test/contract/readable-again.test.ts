import assert from "node:assert/strict"
import { join } from "node:path"
import { test } from "node:test"
import {
  type ClientOptions,
  createClient,
  createToolkit,
  defineTool,
  type LoopOptions,
  openRun,
  pending,
  type RunResult,
  readRun,
} from "../../src/index.ts"
import { agent, calls } from "../support/agent.ts"
import { temporaryFolder } from "../support/folder.ts"
import { replyText, scriptedEndpoint } from "../support/scripted-endpoint.ts"

/** What hosts, tools and clocks may give although no type allows it. */
const odd = (value: unknown): never => value as never

function deep(levels: number): unknown {
  let value: unknown = {}
  for (let level = 0; level < levels; level++) value = { value }
  return value
}

const ask = defineTool({ name: "t", description: "", run: () => pending({ kind: "input", prompt: "?" }) })
const giving = (metadata: unknown) =>
  defineTool({ name: "t", description: "", run: () => ({ output: "x", isError: false, metadata: odd(metadata) }) })
const gate = (decision: object): LoopOptions => ({ gate: { decide: () => odd(decision) } })
const before = (decision: object): LoopOptions => ({ hooks: { beforeTool: () => odd(decision) } })
let hours = 100

const HOSTS: Record<string, { tool?: ReturnType<typeof defineTool>; options?: LoopOptions; usage?: unknown }> = {
  "metadata nested deeply": { tool: giving(deep(600)) },
  "metadata that refers to itself": {
    tool: giving(
      (() => {
        const it: Record<string, unknown> = {}
        it.it = it
        return it
      })(),
    ),
  },
  "a rule that is no text": { options: gate({ decision: "allow", by: "rule", rule: { a: 1 } }) },
  "a decider that is no text": { options: gate({ decision: "allow", by: 7 }) },
  "a question of the gate that is no text": { options: gate({ decision: "ask", by: "rule", prompt: 5 }) },
  "a reason that is no text": { options: before({ decision: "refuse", reason: 5 }) },
  "a question of a hook that is no text": { options: before({ decision: "ask", prompt: {} }) },
  "a draft that is no text": {
    tool: ask,
    options: {
      waitFor: (_request, { saveDraft }) => {
        saveDraft(odd(5))
        return undefined
      },
    },
  },
  "a usage below nothing": { usage: { promptTokens: -1, completionTokens: 1, totalTokens: 0 } },
  "a usage that is no number": { usage: { promptTokens: Number.NaN, completionTokens: 1, totalTokens: 1 } },
  "half a usage": { usage: { promptTokens: 1 } },
  "a clock that is put back": {
    options: { clock: { now: () => --hours * 3_600_000, after: () => () => {} } },
  },
}

for (const [name, { tool, options, usage }] of Object.entries(HOSTS)) {
  test(`${name}: whatever becomes of the run, its file can be read`, async () => {
    const echo = defineTool({ name: "t", description: "", run: () => "x" })
    const { run } = await agent([{ ...calls("t"), usage: odd(usage) }, "done"], [tool ?? echo], options)
    await readableAfter((journal) => run("go", { journal }))
  })
}

async function readableAfter(run: (journal: Awaited<ReturnType<typeof openRun>>) => Promise<RunResult>) {
  const file = join(temporaryFolder().path, "it.run.jsonl")
  const journal = await openRun(file, { mode: "new" })
  const failed = await run(journal).then(
    () => undefined,
    (error: Error & { code: string }) => error,
  )
  await journal.close()
  assert.ok(["done", "pending", failed ? "failed" : ""].includes((await readRun(file)).status))
  return failed
}

test("a reply that is nested too deeply fails the run, which can be read and resumed", async () => {
  const message = { role: "assistant", content: "x", more: deep(600) }
  await using endpoint = await scriptedEndpoint([{ body: { choices: [{ message }] } }, replyText("done")]).listen()
  const options: ClientOptions = { baseUrl: endpoint.baseUrl, style: "openai", model: "m" }
  const failed = await readableAfter((journal) => createClient(options).run("go", { journal }))
  assert.equal(
    failed?.message,
    "model.replied cannot be recorded: it is nested too deeply; correct what the host, the tool or the endpoint gives there",
  )
})

test("what no run file can hold is refused before a run begins", async () => {
  const toolkit = await createToolkit()
  for (const [maxTurns, told] of [
    [Number.POSITIVE_INFINITY, "Infinity"],
    [Number.NaN, "NaN"],
  ] as const) {
    const { run } = await agent(["done"], [], { maxTurns })
    await assert.rejects(run("go", { toolkit }), {
      code: "usage",
      message: `maxTurns must be a number above 0, got ${told}: leave it out where there is none`,
    })
  }
  assert.throws(() => createClient({ baseUrl: "http://127.0.0.1/v1", style: "openai", model: odd(5) }), {
    code: "configuration",
    message: "The model must be a name, got number",
  })
})
