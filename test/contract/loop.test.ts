import assert from "node:assert/strict"
import { test } from "node:test"
import {
  answerOutput,
  createClient,
  createGate,
  defineTool,
  type HookDecision,
  isToolnexusError,
  type MetricEvent,
  memoryJournal,
  pending,
} from "../../src/index.ts"
import { manualClock, scriptedPerson } from "../../src/testing/index.ts"
import { agent, calls, resultsIn } from "../support/agent.ts"

const echo = defineTool({
  name: "echo",
  description: "says it again",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  run: ({ text }: { text: string }) => text,
})

test("without tools a run is a plain completion", async () => {
  const { run, model } = await agent(["hello"])
  const result = await run("hi")
  assert.deepEqual([result.status, result.text, result.turns, result.toolCallCount], ["done", "hello", 1, 0])
  assert.deepEqual(model.requests[0]?.messages, [{ role: "user", content: "hi" }])
})

test("results are recorded when they are there, and the transcript shows them in call order", async () => {
  const journal = memoryJournal()
  const order: Record<string, PromiseWithResolvers> = { a: deferred(), b: deferred() }
  const slow = (name: string, then?: string) =>
    defineTool({
      name,
      description: "",
      run: async () => {
        if (!then) order[name]?.resolve()
        else await order[then]?.promise
        return name
      },
    })
  const { run } = await agent([calls("a", "b"), "done"], [slow("a", "b"), slow("b")])
  const result = await run("go", { journal })
  const finished = (await journal.read()).flatMap((event) => (event.type === "call.finished" ? [event.index] : []))
  assert.deepEqual(finished, [1, 0])
  assert.deepEqual(resultsIn(result.messages), [
    ["c1", "a"],
    ["c2", "b"],
  ])
})

interface PromiseWithResolvers {
  promise: Promise<void>
  resolve(): void
}

function deferred(): PromiseWithResolvers {
  let resolve = (): void => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

test("the events of a run stand in the order of the contract", async () => {
  const journal = memoryJournal()
  const tool = defineTool({
    name: "t",
    description: "",
    run: (_args, ctx) => (ctx.answer ? "told" : pending({ kind: "input", prompt: "?" })),
  })
  const gate = createGate({ rules: [{ effect: "ask", rule: "t" }] })
  const person = scriptedPerson([(request) => ({ id: request.id, ok: true }), "x"])
  const { run } = await agent([calls("t"), "done"], [tool], { gate, waitFor: person.waitFor })
  await run("go", { journal })
  assert.deepEqual(
    (await journal.read()).map((event) => (event.type === "call.suspended" ? `${event.type} ${event.by}` : event.type)),
    [
      "run.started",
      "user.said",
      "model.replied",
      "call.suspended gate",
      "request.answered",
      "call.started",
      "call.suspended tool",
      "request.answered",
      "call.started",
      "call.finished",
      "model.replied",
      "run.finished",
    ],
  )
})

test("unknown tools, arguments that are no JSON or do not fit are told to the model, and nothing runs", async () => {
  const { run } = await agent([calls(["echo", { text: 1 }], "constructor", "__proto__"), "done"], [echo])
  const [fit, inherited, proto] = resultsIn((await run("go")).messages)
  assert.match(String(fit?.[1]), /text must be string/)
  assert.equal(inherited?.[1], "Unknown tool: constructor")
  assert.equal(proto?.[1], "Unknown tool: __proto__")
})

test("the stricter of rules and hook counts, and one that throws means no", async () => {
  const say = (decision: HookDecision["decision"]) => () => ({ decision, reason: "the house rule" })
  const outcome = async (hook: () => HookDecision, effect?: "allow" | "ask" | "deny") => {
    const gate = createGate({ rules: effect ? [{ effect, rule: "echo", source: "flag" }] : [] })
    const { run } = await agent([calls(["echo", { text: "hi" }]), "done"], [echo], {
      gate,
      hooks: { beforeTool: hook },
    })
    const result = await run("go")
    return result.status === "pending" ? "asked" : result.toolCalls[0]?.output
  }
  assert.equal(await outcome(say("allow"), "ask"), "asked")
  assert.equal(await outcome(say("ask"), "allow"), "asked")
  assert.match(String(await outcome(say("refuse"), "allow")), /refused by the house rule/)
  assert.match(String(await outcome(say("allow"), "deny")), /refused by .*deny echo/)
  const throwing = () => {
    throw new Error("boom")
  }
  assert.match(String(await outcome(throwing)), /refused by a beforeTool hook that failed: boom/)
  assert.match(String(await outcome(() => ({ decision: "yes" as "allow" }))), /must give allow, ask or refuse/)
})

test("hooks and metrics see what happens; a suspension is no error and afterTool does not see it", async () => {
  const metrics: MetricEvent[] = []
  const seen: string[] = []
  const tool = defineTool({
    name: "t",
    description: "",
    run: (_args, ctx) => (ctx.answer ? "told" : pending({ kind: "input", prompt: "?" })),
  })
  const { run } = await agent([calls("t"), "done"], [tool], {
    waitFor: scriptedPerson(["x"]).waitFor,
    onMetric: (event) => metrics.push(event),
    hooks: {
      beforeLLM: ({ turn }) => void seen.push(`beforeLLM ${turn}`),
      afterLLM: ({ turn }) => void seen.push(`afterLLM ${turn}`),
      beforeTool: ({ name }) => {
        seen.push(`beforeTool ${name}`)
        return undefined
      },
      afterTool: ({ result }) => void seen.push(`afterTool ${result.output}`),
    },
  })
  await run("go")
  assert.deepEqual(seen, ["beforeLLM 1", "afterLLM 1", "beforeTool t", "afterTool told", "beforeLLM 2", "afterLLM 2"])
  const tools = metrics.flatMap((event) => (event.type === "tool" ? [[event.pending, event.isError]] : []))
  assert.deepEqual(tools, [
    [true, false],
    [false, false],
  ])
})

test("a hook that throws fails the run by name, and the run can be resumed", async () => {
  const journal = memoryJournal()
  const broken = await agent(["never"], [], {
    hooks: {
      beforeLLM: () => {
        throw new Error("no network")
      },
    },
  })
  await assert.rejects(broken.run("go", { journal }), /hook beforeLLM failed: no network/)
  assert.equal((await journal.read()).at(-1)?.type, "run.failed")
  const good = await agent(["hello"])
  assert.equal((await good.resume(journal, [])).text, "hello")
})

test("a reached limit keeps the work, and a higher one goes on", async () => {
  const journal = memoryJournal()
  const { run, resume } = await agent([calls(["echo", { text: "a" }]), "done"], [echo], { maxTurns: 1 })
  const cut = await run("go", { journal })
  assert.deepEqual([cut.status, cut.limit, cut.toolCalls[0]?.output], ["incomplete", "maxTurns", "a"])
  const result = await resume(journal, [], { limits: { maxTurns: 5 } })
  assert.deepEqual([result.status, result.text, result.turns], ["done", "done", 2])
})

test("the time limit counts work, not the wait for a person", async () => {
  const clock = manualClock()
  const tool = defineTool({
    name: "t",
    description: "",
    run: (_args, ctx) => {
      if (!ctx.answer) return pending({ kind: "input", prompt: "?" })
      return new Promise((resolve) => {
        ctx.signal?.addEventListener("abort", () => resolve("stopped"))
        queueMicrotask(() => clock.advance(1000))
      })
    },
  })
  const { run } = await agent([calls("t")], [tool], {
    clock,
    timeoutMs: 1000,
    waitFor: (request) => {
      clock.advance(3_600_000)
      return answerOutput(request.id, "x")
    },
  })
  const result = await run("go")
  assert.deepEqual([result.status, result.limit, result.toolCalls[0]?.output], ["incomplete", "timeoutMs", "stopped"])
})

test("an aborted run is interrupted and saved: what had not started runs on resume", async () => {
  const journal = memoryJournal()
  const stop = new AbortController()
  const first = await agent(
    [
      () => {
        stop.abort()
        return calls(["echo", { text: "a" }])
      },
    ],
    [echo],
  )
  const cut = await first.run("go", { journal, signal: stop.signal })
  assert.equal(cut.status, "interrupted")
  const second = await agent([calls(["echo", { text: "a" }]), "done"], [echo])
  assert.equal((await second.resume(journal, [])).text, "done")
})

test("a due call whose tool this process does not have is an error that names it, before anything is sent", async () => {
  const journal = memoryJournal()
  const tool = defineTool({ name: "deploy", description: "", run: () => pending({ kind: "input", prompt: "?" }) })
  const id = (await (await agent([calls("deploy")], [tool])).run("go", { journal })).pending?.id ?? ""
  const before = (await journal.read()).length
  const bare = await agent([])
  await assert.rejects(
    bare.resume(journal, [answerOutput(id, "x")]),
    (error) => isToolnexusError(error) && error.code === "unknown_tool" && /deploy/.test(error.message),
  )
  assert.equal((await journal.read()).length, before)
})

test("stream gives text, events with complete requests, and the result last", async () => {
  const tool = defineTool({ name: "t", description: "", run: () => pending({ kind: "input", prompt: "?" }) })
  const { client, toolkit } = await agent([{ text: "thinking", ...calls("t") }], [tool])
  const seen: string[] = []
  for await (const event of client.stream("go", { toolkit })) {
    seen.push(event.type)
    if (event.type === "call.suspended") assert.match(JSON.stringify(event.request.data), /"name":"t"/)
    if (event.type === "done") assert.equal(event.result.status, "pending")
  }
  assert.equal(seen.at(-1), "done")
  assert.ok(seen.includes("run.halted"))
})

test("ask keeps conversations apart by id, and goes on with each", async () => {
  const { client, model } = await agent(["one", "two", "three"])
  await client.ask("a", { id: "x" })
  await client.ask("b", { id: "y" })
  await client.ask("c", { id: "x" })
  assert.deepEqual(
    model.requests[2]?.messages.map(({ content }) => content),
    ["a", "one", "c"],
  )
})

test("history stands before the prompt, and is for new runs", async () => {
  const journal = memoryJournal()
  const history = [
    { role: "user", content: "a" },
    { role: "assistant", content: "b" },
  ]
  const { run, model } = await agent(["c", "d"])
  const result = await run("go", { journal, history })
  assert.deepEqual(
    model.requests[0]?.messages.map(({ content }) => content),
    ["a", "b", "go"],
  )
  assert.equal(result.turns, 1)
  await assert.rejects(run("again", { journal, history }), /history is for a new run/)
})

test("a history that is not balanced is an error that names the call, and nothing is sent", async () => {
  const user = { role: "user", content: "go" }
  const made = {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c1", function: { name: "f", arguments: "{}" } }],
  }
  const result = { role: "tool", tool_call_id: "c1", content: "x" }
  const said = { role: "assistant", content: "so" }
  const unbalanced: [object[], RegExp][] = [
    [[user, made, user, said], /the call c1 \(f\) has no result before message 3/],
    [[user, made, user], /the call c1 \(f\) has no result before message 3/],
    [[user, made, result, result, said], /message 4 is a result of c1, and none is due/],
    [[user, made, result, result], /two results of the call c1/],
    [[user, made, { ...result, tool_call_id: "c2" }], /a result of the call c2, which was not made/],
    [[null as unknown as object], /messages\[0\] must be an object, got null/],
  ]
  for (const [history, problem] of unbalanced) {
    const { run, model } = await agent(["done"])
    await assert.rejects(run("more", { history: history as Record<string, unknown>[] }), problem)
    assert.deepEqual(model.requests, [])
  }
})

test("a history that ends with calls without results is settled by the prompt, and one that goes on after them is kept whole", async () => {
  const user = { role: "user", content: "go" }
  const call = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } })
  const made = { role: "assistant", content: null, tool_calls: [call("c1"), call("c2")] }
  const result = (id: string) => ({ role: "tool", tool_call_id: id, content: id })
  const open = await agent(["done"])
  await open.run("more", { history: [user, made, result("c2")] })
  assert.deepEqual(resultsIn(open.model.requests[0]?.messages ?? []), [
    ["c1", "not run: a new message came first. Nobody declined it."],
    ["c2", "c2"],
  ])
  const whole = await agent(["done"])
  const history = [user, made, result("c1"), result("c2"), { role: "user", content: "and then" }]
  await whole.run("more", { history })
  assert.deepEqual(whole.model.requests[0]?.messages, [...history, { role: "user", content: "more" }])
})

test("the prefix of each request stays what it was, also after a resume", async () => {
  const journal = memoryJournal()
  const ask = defineTool({
    name: "ask",
    description: "",
    run: (_a, ctx) => (ctx.answer ? "ok" : pending({ kind: "input", prompt: "?" })),
  })
  const first = await agent([calls("ask")], [ask], { systemPrompt: "be kind" })
  const id = (await first.run("go", { journal })).pending?.id ?? ""
  const second = await agent(["done"], [ask, echo], { systemPrompt: "changed" })
  await second.resume(journal, [answerOutput(id, "x")])
  const [before, after] = [first.model.requests[0], second.model.requests[0]]
  assert.deepEqual(after?.messages.slice(0, 1), before?.messages)
  assert.deepEqual([after?.systemPrompt, after?.tools], [before?.systemPrompt, before?.tools])
})

test("a reply that a filter, a refusal or an unknown word ended is told apart from an ordinary end", async () => {
  const words = ["stop", "content_filter", "refusal", "wat", "length"]
  const told = []
  for (const word of words) {
    const choice = { message: { role: "assistant", content: "half" }, finish_reason: word }
    const fetch = (async () => Response.json({ choices: [choice] })) as typeof globalThis.fetch
    const client = createClient({ baseUrl: "http://127.0.0.1:9", style: "openai", model: "m", fetch })
    const { status, stopped, limit } = await client.run("go")
    told.push([status, stopped?.kind, limit])
  }
  assert.deepEqual(told, [
    ["done", undefined, undefined],
    ["done", "filter", undefined],
    ["done", "refusal", undefined],
    ["done", "unknown", undefined],
    ["incomplete", "length", "maxOutputTokens"],
  ])
})
