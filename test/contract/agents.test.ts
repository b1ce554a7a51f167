import assert from "node:assert/strict"
import { test } from "node:test"
import { agents, answerDeclined, answerOutput, defineTool, memoryJournal, outputOf, pending } from "../../src/index.ts"
import { manualClock } from "../../src/testing/index.ts"

const { AgentRuntime } = agents

type Body = { messages: { role: string; content: unknown }[] }

/** An endpoint in a function: it wants `ask` until it has a result, then says what it was told. */
function endpoint() {
  const bodies: Body[] = []
  const fetch = async (_url: unknown, init?: RequestInit) => {
    const body: Body = JSON.parse(String(init?.body))
    bodies.push(body)
    const told = body.messages.filter(({ role }) => role === "tool").map(({ content }) => content)
    const message =
      told.length > 0
        ? { role: "assistant", content: `told: ${told.join(", ")}` }
        : {
            role: "assistant",
            content: null,
            tool_calls: [{ id: "a1", type: "function", function: { name: "ask", arguments: "{}" } }],
          }
    return Response.json({ choices: [{ message }], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } })
  }
  return { bodies, fetch: fetch as typeof globalThis.fetch }
}

function asker() {
  const runs: string[] = []
  const tool = defineTool({
    name: "ask",
    description: "asks",
    run: (_args, ctx) => {
      runs.push(ctx.answer ? "again" : "first")
      return ctx.answer ? `heard ${outputOf(ctx.answer)}` : pending({ kind: "input", prompt: "what?" })
    },
  })
  return { runs, tool, definition: { name: "asker", does: "asks", model: "m", tools: [tool] } }
}

function spawned(runtime: agents.AgentRuntime, name: string): agents.Handle {
  const handle = runtime.spawn(runtime.root, name)
  if ("error" in handle) throw new Error(handle.error)
  return handle
}

test("an agent that asks is pending; its answer resumes it with one more model call, and repeats no finished tool", async () => {
  const { bodies, fetch } = endpoint()
  const { definition, runs } = asker()
  const journal = memoryJournal()
  const rt = new AgentRuntime({ fetch, journal, registry: { asker: definition } })
  const handle = spawned(rt, "asker")
  assert.equal(handle.id, "root/asker.1")
  rt.wake(handle, "go")
  const halted = await rt.wait(handle)
  assert.equal(halted.status, "pending")
  assert.deepEqual(halted.pending?.data?.agent, ["root", "asker.1"])
  assert.equal((await journal.read()).at(-1)?.type, "run.halted")
  const result = await rt.resume(answerOutput(halted.pending?.id ?? "", "blue"))
  assert.deepEqual([result.status, result.text, result.turns, result.totalTokens], ["done", "told: heard blue", 2, 4])
  assert.equal(bodies.length, 2)
  assert.deepEqual(runs, ["first", "again"])
  await rt.close(rt.root)
  assert.equal((await rt.wait(handle)).text, "told: heard blue")
  assert.equal((await journal.read()).at(-1)?.type, "run.finished")
})

test("whoever waits for agents that settle together gets one closing line between them", async () => {
  const { fetch } = endpoint()
  const journal = memoryJournal()
  const rt = new AgentRuntime({ fetch, journal, registry: { asker: asker().definition } })
  const [one, two] = [spawned(rt, "asker"), spawned(rt, "asker")]
  rt.wake(one, "go")
  rt.wake(two, "go")
  const halted = await Promise.all([rt.wait(one), rt.wait(two), rt.wait(two)])
  const types = (await journal.read()).map(({ type }) => type)
  assert.deepEqual([types.filter((type) => type === "run.halted").length, types.at(-1)], [1, "run.halted"])
  await Promise.all(halted.slice(0, 2).map(({ pending }) => rt.resume(answerOutput(pending?.id ?? "", "x"))))
  const closed = (await journal.read()).map(({ type }) => type)
  assert.equal(closed.at(-1), "run.finished")
  assert.equal(closed.filter((type, at) => type.startsWith("run.") && closed[at - 1] === type).length, 0)
})

test("agents side by side are apart: an answer goes to the one that asked, while the other still waits", async () => {
  const { fetch } = endpoint()
  const rt = new AgentRuntime({ fetch, registry: { asker: asker().definition } })
  const [one, two] = [spawned(rt, "asker"), spawned(rt, "asker")]
  rt.wake(one, "go")
  rt.wake(two, "go")
  const halted = await Promise.all([rt.wait(one), rt.wait(two)])
  assert.notEqual(halted[0].pending?.id, halted[1].pending?.id)
  const second = await rt.resume(answerOutput(halted[1].pending?.id ?? "", "two"))
  assert.equal(second.text, "told: heard two")
  assert.equal((await rt.wait(one)).status, "pending")
  const first = await rt.resume(answerDeclined(halted[0].pending?.id ?? ""))
  assert.match(first.text, /declined\/expired: what\?/)
})

test("the nearest waitFor answers for an agent; with one there is no halt", async () => {
  const { fetch } = endpoint()
  const definition = { ...asker().definition, waitFor: ({ id }: { id: string }) => answerOutput(id, "green") }
  const rt = new AgentRuntime({ fetch, registry: { asker: definition } })
  const handle = spawned(rt, "asker")
  rt.wake(handle, "go")
  assert.equal((await rt.wait(handle)).text, "told: heard green")
})

test("an unknown agent, a cap, a foreign handle and an unknown answer are each told plainly", async () => {
  const { fetch } = endpoint()
  const rt = new AgentRuntime({ fetch, registry: { asker: { ...asker().definition, budget: { maxDepth: 0 } } } })
  assert.deepEqual(rt.spawn(rt.root, "toString"), { error: "the registry has no agent toString" })
  const handle = spawned(rt, "asker")
  assert.match(JSON.stringify(rt.spawn(handle, "asker")), /may have 0 levels below/)
  await assert.rejects(rt.resume(answerOutput("nobody", "x")), /nobody/)
  const other = new AgentRuntime({ fetch, registry: {} })
  assert.throws(() => other.wake(handle, "go"), /not of this runtime/)
  assert.throws(() => new AgentRuntime({ registry: {} }), /needs an endpoint/)
})

test("a timeout of a wait is a result, and the agent goes on", async () => {
  const clock = manualClock()
  const { fetch } = endpoint()
  let release = (): void => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const slow = (async (url: string, init?: RequestInit) => {
    await gate
    return fetch(url, init)
  }) as typeof globalThis.fetch
  const rt = new AgentRuntime({ fetch: slow, clock, registry: { asker: asker().definition } })
  const handle = spawned(rt, "asker")
  rt.wake(handle, "go")
  const waited = rt.wait(handle, { timeoutMs: 1000 })
  clock.advance(1000)
  assert.equal((await waited).status, "timeout")
  release()
  assert.equal((await rt.wait(handle)).status, "pending")
})

test("an endpoint that fails is an error result with the endpoint's own cause", async () => {
  const fetch = (async () =>
    Response.json({ error: { message: "no such model" } }, { status: 404 })) as typeof globalThis.fetch
  const rt = new AgentRuntime({ fetch, registry: { asker: asker().definition } })
  const handle = spawned(rt, "asker")
  rt.wake(handle, "go")
  const result = await rt.wait(handle)
  assert.deepEqual([result.status, result.isError], ["error", true])
  assert.match(result.text, /no such model/)
})

test("two different answers to one request at once: one is taken, the other is an error", async () => {
  const { fetch } = endpoint()
  const rt = new AgentRuntime({ fetch, registry: { asker: asker().definition } })
  const handle = spawned(rt, "asker")
  rt.wake(handle, "go")
  const { id = "" } = (await rt.wait(handle)).pending ?? {}
  const both = await Promise.allSettled([rt.resume(answerOutput(id, "one")), rt.resume(answerOutput(id, "two"))])
  assert.deepEqual(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"])
})

test("a closed child frees its place, and a closed runtime takes no answer", async () => {
  const { fetch } = endpoint()
  const boss = { ...asker().definition, budget: { maxChildren: 1 } }
  const rt = new AgentRuntime({ fetch, registry: { boss, asker: asker().definition } })
  const above = spawned(rt, "boss")
  const child = rt.spawn(above, "asker")
  if ("error" in child) throw new Error(child.error)
  assert.match(JSON.stringify(rt.spawn(above, "asker")), /may have 1/)
  await rt.close(child)
  assert.ok(!("error" in rt.spawn(above, "asker")))
  rt.wake(above, "go")
  const { id = "" } = (await rt.wait(above)).pending ?? {}
  await rt.close(rt.root)
  await assert.rejects(rt.resume(answerOutput(id, "x")), /closed/)
})

test("what is said to a suspended agent is kept for its next turn, and its open request stays open", async () => {
  const { fetch, bodies } = endpoint()
  const rt = new AgentRuntime({ fetch, registry: { asker: asker().definition } })
  const handle = spawned(rt, "asker")
  rt.wake(handle, "go")
  const { id = "" } = (await rt.wait(handle)).pending ?? {}
  rt.wake(handle, "by the way")
  assert.equal((await rt.wait(handle)).status, "pending")
  assert.equal((await rt.resume(answerOutput(id, "blue"))).text, "told: heard blue")
  rt.wake(handle)
  await rt.wait(handle)
  assert.equal(bodies.at(-1)?.messages.at(-1)?.content, "by the way")
})

test("an endpoint that fails fails its agent only: it can try again, others go on, and the tree can be closed", async () => {
  let down = true
  const { fetch } = endpoint()
  const flaky = (async (url: string, init?: RequestInit) =>
    down
      ? Response.json({ error: { message: "no such key" } }, { status: 401 })
      : fetch(url, init)) as typeof globalThis.fetch
  const journal = memoryJournal()
  const rt = new AgentRuntime({ fetch: flaky, journal, registry: { asker: asker().definition } })
  const one = spawned(rt, "asker")
  rt.wake(one, "go")
  assert.equal((await rt.wait(one)).status, "error")
  down = false
  const two = spawned(rt, "asker")
  rt.wake(two, "go")
  assert.equal((await rt.wait(two)).status, "pending")
  rt.wake(one)
  assert.equal((await rt.wait(one)).status, "pending")
  await rt.close(rt.root)
  await rt.close(rt.root)
  assert.match(JSON.stringify(rt.spawn(rt.root, "asker")), /root is closed/)
  assert.throws(() => rt.wake(one, "more"), /closed/)
})
