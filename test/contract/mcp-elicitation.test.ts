import assert from "node:assert/strict"
import { test } from "node:test"
import {
  agents,
  answerDeclined,
  answerOutput,
  createGate,
  type McpServerConfig,
  memoryJournal,
  type Request,
  type WaitFor,
} from "../../src/index.ts"
import { scriptedPerson } from "../../src/testing/index.ts"
import { calls } from "../support/agent.ts"
import {
  callIn,
  clientOver,
  httpServer,
  outputsOf,
  type ServerLog,
  served,
  serverLog,
  stdioServer,
  until,
} from "../support/mcp.ts"

const NOTICE = "(If test no longer waits when this is answered, the call is made again; test may have acted already.)"

/** A run of one turn with these calls, and somebody who answers. */
async function asked(
  server: McpServerConfig,
  made: Parameters<typeof calls>,
  waitFor?: WaitFor,
): Promise<{ outputs: (string | undefined)[]; status: string; suspended: Request[] | undefined }> {
  await using it = await served({ test: server })
  const { run } = clientOver(it.toolkit, [calls(...made), "done"], waitFor ? { waitFor } : {})
  const result = await run("go")
  return { outputs: outputsOf(result), status: result.status, suspended: result.suspended }
}

const started = (log: ServerLog, tool: string) => log.lines().filter((line) => line === `call ${tool}`).length

for (const [over, server] of [
  ["stdio", async (log: ServerLog) => ({ config: stdioServer([], log), async [Symbol.asyncDispose]() {} })],
  [
    "HTTP",
    async (log: ServerLog) => {
      const remote = await httpServer([], log)
      return { config: { url: remote.url }, [Symbol.asyncDispose]: () => remote[Symbol.asyncDispose]() }
    },
  ],
] as const) {
  test(`over ${over} a form is a request for input, and each answer is told to the server that waits`, async () => {
    const log = serverLog()
    await using remote = await server(log)
    const person = scriptedPerson([
      '{"value":"blue"}',
      { decline: "declined" },
      { decline: "cancelled" },
      { decline: "no time" },
    ])
    for (const expected of ['accept {"value":"blue"}', "decline", "cancel", "decline"]) {
      const { outputs, status } = await asked(remote.config, [["test_ask", {}]], person.waitFor)
      assert.deepEqual([status, outputs], ["done", [expected]])
    }
    const [first] = person.asked
    assert.deepEqual([first?.kind, first?.prompt], ["input", `Which?\n\n${NOTICE}`])
    assert.deepEqual(first?.data?.schema, {
      type: "object",
      properties: { value: { type: "string" } },
      required: ["value"],
    })
    const { id, name, by, origin } = callIn(first)
    assert.deepEqual(
      { id, name, by, origin },
      {
        id: "c1",
        name: "test_ask",
        by: "tool",
        origin: { server: "test", tool: "ask" },
      },
    )
    assert.equal(started(log, "ask"), 4)
  })

  test(`over ${over} two questions of one call are asked one after the other, in one call of the server`, async () => {
    const log = serverLog()
    await using remote = await server(log)
    const person = scriptedPerson(['{"value":"a"}', '{"n":7}'])
    const { outputs } = await asked(remote.config, ["test_ask_two"], person.waitFor)
    assert.deepEqual(outputs, ['accept {"value":"a"}, accept {"n":7}'])
    assert.deepEqual(
      person.asked.map(({ prompt }) => prompt.split("\n")[0]),
      ["First?", "Second?"],
    )
    assert.equal(started(log, "ask_two"), 1)
  })

  test(`over ${over} two questions that come at once are put one after the other`, async () => {
    const log = serverLog()
    await using remote = await server(log)
    const person = scriptedPerson(['{"value":"l"}', '{"value":"r"}'])
    const { outputs } = await asked(remote.config, ["test_ask_at_once"], person.waitFor)
    assert.deepEqual(outputs, ['accept {"value":"l"}, accept {"value":"r"}'])
  })

  test(`over ${over} two calls that ask are each asked about, and each gets its own answer`, async () => {
    const log = serverLog()
    await using remote = await server(log)
    const waitFor: WaitFor = ({ id, prompt }) =>
      answerOutput(id, JSON.stringify({ value: prompt.startsWith("Left") ? "for left" : "for right" }))
    const both: Parameters<typeof calls> = [
      ["test_ask", { message: "Left" }],
      ["test_ask", { message: "Right" }],
    ]
    const { outputs } = await asked(remote.config, both, waitFor)
    const expected = ['accept {"value":"for left"}', 'accept {"value":"for right"}']
    // Over one line nothing says which of two equal calls asks: the answer reaches its question all the same.
    assert.deepEqual(over === "HTTP" ? outputs : outputs.toSorted(), expected)
  })

  test(`over ${over} a question comes while another call works, and that one goes on`, async () => {
    const log = serverLog()
    await using remote = await server(log)
    await using it = await served({ test: remote.config })
    const seen: Request[] = []
    const waitFor: WaitFor = async (request) => {
      seen.push(request)
      await it.toolkit.execute("test_release", {}) // the other call ends while the question is open
      return answerOutput(request.id, '{"value":"x"}')
    }
    const { run } = clientOver(it.toolkit, [calls("test_wait", "test_ask"), "done"], { waitFor })
    assert.deepEqual(outputsOf(await run("go")), ["waited", 'accept {"value":"x"}'])
    assert.equal(seen.length, 1)
    if (over === "HTTP") assert.equal(callIn(seen[0]).name, "test_ask")
    // Over one line it cannot be known while both work: that is said.
    else
      assert.match(
        seen[0]?.prompt ?? "",
        /test does not say which of its calls asks this: it may be test_wait or test_ask/,
      )
  })
}

test("a question over one line waits a moment for the other calls to end, and is then known to be whose it is", async () => {
  await using it = await served({ test: stdioServer() })
  const person = scriptedPerson(['{"value":"x"}'])
  const { run } = clientOver(it.toolkit, [calls("test_steady", "test_ask"), "done"], { waitFor: person.waitFor })
  assert.deepEqual(outputsOf(await run("go")), ["done at last", 'accept {"value":"x"}'])
  assert.equal(person.asked[0]?.prompt, `Which?\n\n${NOTICE}`)
  assert.equal(callIn(person.asked[0]).name, "test_ask")
})

test("an answer that does not fit the form is an error to the host, and the server hears nothing of it", async () => {
  const log = serverLog()
  await assert.rejects(
    asked(stdioServer([], log), ["test_ask"], ({ id }) => answerOutput(id, '{"value":1}')),
    { code: "invalid_answer" },
  )
  assert.deepEqual(log.lines().slice(-1), ["result ask cancel"])
})

test("a form without fields is a question of yes or no, and an address is something to be done", async () => {
  const person = scriptedPerson([({ id }) => ({ id, ok: true }), ({ id }) => ({ id, ok: true })])
  const server = { ...stdioServer(), readOnly: ["*"] }
  const { outputs } = await asked(server, ["test_confirm", "test_sign_in"], person.waitFor)
  assert.deepEqual(outputs, ["accept {}", "accept"])
  assert.deepEqual(
    person.asked.map(({ kind, prompt, url }) => [kind, prompt, url]),
    [
      ["approval", "Really?", undefined],
      ["authorization", "Sign in", "https://example.test/in"],
    ],
  )
})

test("what cannot be shown to anybody is refused to the server", async () => {
  const { outputs } = await asked(stdioServer(), [["test_odd_question", { url: "javascript:alert(1)" }]])
  assert.match(outputs[0] ?? "", /^error the url of an elicitation must be an address/)
})

test("a server that does nothing before something was done at an address is called again when it is", async () => {
  const log = serverLog()
  const person = scriptedPerson([({ id }) => ({ id, ok: true })])
  const { outputs } = await asked(stdioServer([], log), ["test_sign_in_first"], person.waitFor)
  assert.deepEqual(outputs, ["signed in"])
  assert.deepEqual([person.asked[0]?.kind, person.asked[0]?.prompt], ["authorization", "Sign in"])
  assert.equal(started(log, "sign_in_first"), 2)
})

test("the same address wanted again after it was visited is unresolved, and a refusal is told", async () => {
  const done: WaitFor = ({ id }) => ({ id, ok: true })
  assert.deepEqual((await asked(stdioServer(["--never-done"]), ["test_sign_in_first"], done)).outputs, [
    "unresolved: Sign in",
  ])
  const { outputs } = await asked(stdioServer(), ["test_sign_in_first"], ({ id }) => answerDeclined(id))
  assert.deepEqual(outputs, [
    "The server wants something done at an address first, and the person declined. Nothing was done.",
  ])
})

test("the same question asked again is put again, and says that it is; the ninth of a call is put to nobody", async () => {
  const person = scriptedPerson(['{"value":"a"}', '{"value":"b"}'])
  const twice = await asked(stdioServer(), [["test_ask", { answers: 2 }]], person.waitFor)
  assert.deepEqual(twice.outputs, ['accept {"value":"a"}, accept {"value":"b"}'])
  assert.match(person.asked[1]?.prompt ?? "", /^Which\?\n\n\(The server asks this again: it has asked once before\.\)/)
  const patient = scriptedPerson(Array.from({ length: 8 }, () => '{"value":"x"}'))
  const { outputs } = await asked(stdioServer(), ["test_ask_for_ever"], patient.waitFor)
  assert.match(outputs[0] ?? "", /^unresolved: Question 9\?/)
  patient.assertUsed()
})

test("a person's note on a refusal reaches the model beside what the server made of it", async () => {
  const { outputs } = await asked(stdioServer(), ["test_ask"], ({ id }) => ({
    ...answerDeclined(id),
    data: { note: "use the other one" },
  }))
  assert.deepEqual(outputs, ["decline\nThe person's note: use the other one"])
})

test("halted, the question is cancelled for the server, and the answer makes the call again from its start", async () => {
  const log = serverLog()
  await using it = await served({ test: stdioServer([], log) })
  const journal = memoryJournal()
  const { run, resume } = clientOver(it.toolkit, [calls("test_ask_two"), "done"])
  const first = await run("go", { journal })
  assert.equal(first.status, "pending")
  await log.until("result ask_two cancel, cancel")
  const second = await resume(journal, [answerOutput(first.pending?.id ?? "", '{"value":"blue"}')])
  assert.deepEqual([second.status, second.pending?.prompt.split("\n")[0]], ["pending", "Second?"])
  const third = await resume(journal, [answerOutput(second.pending?.id ?? "", '{"n":3}')])
  assert.deepEqual(outputsOf(third), ['accept {"value":"blue"}, accept {"n":3}'])
  assert.equal(started(log, "ask_two"), 3)
  // Three times from the start, and nobody was asked the same twice.
  const questions = (await journal.read()).filter((event) => event.type === "call.suspended")
  assert.equal(questions.length, 2)
})

test("a refusal of a halted question makes no call, and the model is told what is not known", async () => {
  const log = serverLog()
  await using it = await served({ test: stdioServer([], log) })
  const journal = memoryJournal()
  const { run, resume } = clientOver(it.toolkit, [calls("test_ask"), "done"])
  const halted = await run("go", { journal })
  const result = await resume(journal, [answerDeclined(halted.pending?.id ?? "")])
  assert.deepEqual(outputsOf(result), [
    `declined/expired: Which?\n\n${NOTICE}\nIt was not run again: the person declined. test may have acted before it asked. Do not try it again.`,
  ])
  assert.equal(started(log, "ask"), 1)
})

test("a tool that is marked as harmless is called again without a word about it", async () => {
  await using it = await served({ test: { ...stdioServer(), idempotent: ["ask"] } })
  const journal = memoryJournal()
  const { run, resume } = clientOver(it.toolkit, [calls("test_ask"), "done"])
  const halted = await run("go", { journal })
  assert.equal(halted.pending?.prompt, "Which?")
  const result = await resume(journal, [answerOutput(halted.pending?.id ?? "", '{"value":"v"}')])
  assert.deepEqual(outputsOf(result), ['accept {"value":"v"}'])
})

for (const [having, output, times] of [
  ["failed", 'accept {"value":"late"}', 2],
  ["gone on", "nobody answered, gone on\n(The person's answer came when test did not wait for it any more.)", 1],
] as const) {
  test(`a server that stopped waiting, having ${having}, is called ${times === 2 ? "again" : "no more"}`, async () => {
    const log = serverLog()
    await using it = await served({ test: stdioServer([], log) })
    const waitFor: WaitFor = async ({ id }) => {
      await it.toolkit.execute("test_release", {})
      await log.until(`result ask_and_give_up nobody answered, ${having}`)
      return answerOutput(id, '{"value":"late"}')
    }
    const { run } = clientOver(it.toolkit, [calls(["test_ask_and_give_up", { having }]), "done"], { waitFor })
    assert.deepEqual(outputsOf(await run("go")), [output])
    assert.equal(started(log, "ask_and_give_up"), times)
  })
}

test("a server that dies while its question is open is called again with the answer", async () => {
  const log = serverLog()
  await using it = await served({ test: stdioServer([], log) })
  const waitFor: WaitFor = async ({ id }) => {
    if (started(log, "release") === 0) await it.toolkit.execute("test_release", {})
    await until(() => it.warnings.length > 0)
    return answerOutput(id, '{"value":"x"}')
  }
  const { run } = clientOver(it.toolkit, [calls("test_ask_and_die"), "done"], { waitFor })
  const running = run("go")
  await until(() => log.lines().filter((line) => line === "call ask_and_die").length === 2)
  await it.toolkit.execute("test_release", {})
  assert.match(outputsOf(await running)[0] ?? "", /it ended \(exit code 9\) during the call/)
})

test("a run that is stopped while a question is open cancels it, and is answered later", async () => {
  const log = serverLog()
  await using it = await served({ test: stdioServer([], log) })
  const journal = memoryJournal()
  const stop = new AbortController()
  const waitFor: WaitFor = () => {
    stop.abort()
    return undefined
  }
  const stopped = clientOver(it.toolkit, [calls("test_ask")], { waitFor })
  const result = await stopped.run("go", { journal, signal: stop.signal })
  assert.equal(result.status, "interrupted")
  await log.until("result ask cancel")
  const { resume } = clientOver(it.toolkit, ["done"])
  const { toolCalls } = await resume(journal, [answerOutput(result.suspended?.[0]?.id ?? "", '{"value":"v"}')])
  assert.equal(toolCalls[0]?.output, 'accept {"value":"v"}')
})

test("closing the toolkit cancels what is open, and the server hears it before it ends", async () => {
  const log = serverLog()
  const it = await served({ test: stdioServer([], log) })
  const direct = await it.toolkit.execute("test_ask", {}, { idempotencyKey: "k" })
  assert.equal(direct.metadata?.pending !== undefined, true)
  await it.toolkit.close()
  assert.deepEqual(log.lines().slice(-1), ["result ask cancel"])
})

test("without an engine a question suspends the call, and the answer makes it again", async () => {
  const log = serverLog()
  await using it = await served({ test: stdioServer([], log) })
  const first = await it.toolkit.execute("test_ask", {})
  const request = first.metadata?.pending as Request
  await log.until("result ask cancel")
  const answer = answerOutput(request.id, '{"value":"v"}')
  const second = await it.toolkit.execute("test_ask", {}, { answer, answers: [answer] })
  assert.equal(second.output, 'accept {"value":"v"}')
})

test("rules are about the server's own names, and the question shows whose tool it is", async () => {
  await using it = await served({ test: stdioServer() })
  const gate = createGate({
    rules: [
      { effect: "deny", rule: "mcp:test/die" },
      { effect: "ask", rule: "mcp:test/*" },
    ],
  })
  const person = scriptedPerson([({ id }) => ({ id, ok: true }), '{"value":"v"}'])
  const { run } = clientOver(it.toolkit, [calls("test_die", "test_ask"), "done"], { gate, waitFor: person.waitFor })
  const outputs = outputsOf(await run("go"))
  assert.match(outputs[0] ?? "", /^refused by deny mcp:test\/die/)
  assert.equal(outputs[1], 'accept {"value":"v"}')
  assert.deepEqual(
    person.asked.map(({ kind }) => kind),
    ["approval", "input"],
  )
  for (const request of person.asked) {
    assert.deepEqual(callIn(request).origin, { server: "test", tool: "ask" })
  }
})

test("a server that asks an agent waits while its tree is pending, and hears the answer in the same call", async () => {
  const log = serverLog()
  await using it = await served({ test: stdioServer([], log) })
  const fetch = async (_url: unknown, init?: RequestInit) => {
    const told = String(init?.body).includes('"role":"tool"')
    const tool_calls = [{ id: "a1", type: "function", function: { name: "test_ask", arguments: "{}" } }]
    const message = told ? { role: "assistant", content: "done" } : { role: "assistant", content: null, tool_calls }
    return Response.json({ choices: [{ message }], usage: {} })
  }
  const registry = { asker: { name: "asker", does: "asks", model: "m", tools: [...it.toolkit.tools()] } }
  for (const [decline, heard] of [
    [false, 'accept {"value":"v"}'],
    [true, "decline"],
  ] as const) {
    const runtime = new agents.AgentRuntime({
      fetch: fetch as typeof globalThis.fetch,
      journal: memoryJournal(),
      gate: createGate({ rules: [{ effect: "allow", rule: "mcp:test/*" }] }),
      registry,
    })
    const handle = runtime.spawn(runtime.root, "asker")
    assert.ok("id" in handle)
    runtime.wake(handle, "go")
    const pending = await runtime.wait(handle)
    assert.equal(pending.status, "pending")
    const id = pending.pending?.id ?? ""
    const result = await runtime.resume(decline ? answerDeclined(id) : answerOutput(id, '{"value":"v"}'))
    assert.equal(result.status, "done")
    assert.equal(log.lines().at(-1), `result ask ${heard}`)
    await runtime.close(runtime.root, { force: true })
  }
  assert.equal(started(log, "ask"), 2)
})
