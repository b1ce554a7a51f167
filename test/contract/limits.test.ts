import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createClient, createToolkit, defineTool, type Request, type RunResult, relayTool } from "../../src/index.ts"
import { ask, bench, callOf, many, notes, sentResults } from "../support/bench.ts"
import { replyCalls, replyText } from "../support/scripted-endpoint.ts"

for (const style of ["openai", "anthropic"] as const) {
  describe(`a model that misbehaves, style ${style}`, () => {
    it("200 calls in one reply are run, each with its result", async () => {
      await using here = await bench(style, [many(200), replyText("done")])
      const result = await here.run()
      assert.deepEqual([result.status, result.toolCallCount, here.noted.length], ["done", 200, 200])
      const sent = sentResults(here)
      assert.equal(sent.size, 200)
      assert.equal(sent.get("c200"), '"noted n200"')
    })

    it("calls of a reply beyond the limit are not run, and a resume with a higher one goes on with them", async () => {
      await using here = await bench(style, [many(200), replyText("done")], { maxToolCalls: 150 })
      const cut = await here.run()
      assert.deepEqual([cut.status, cut.limit, here.noted.length], ["incomplete", "maxToolCalls", 150])
      assert.deepEqual(
        cut.toolCalls
          .filter(({ output }) => output === undefined)
          .map(({ id }) => id)
          .slice(0, 2),
        ["c151", "c152"],
      )
      assert.equal(here.endpoint.requests.length, 1)
      const still = await here.resume({ maxToolCalls: 160 })
      assert.deepEqual([still.status, still.limit, here.noted.length], ["incomplete", "maxToolCalls", 160])
      const done = await here.resume({ maxToolCalls: 1000 })
      assert.deepEqual([done.status, done.text, here.noted.length], ["done", "done", 200])
      assert.deepEqual(here.noted, [...new Set(here.noted)], "each was run once")
      assert.equal(sentResults(here).size, 200)
    })

    it("the calls of all replies count, also those that could not be run, and the model is asked as long as there is room", async () => {
      const unknown = replyCalls([{ id: "c1", name: "nothing", arguments: {} }])
      await using here = await bench(style, [unknown, unknown, notes("a"), notes("b")], { maxToolCalls: 3 })
      const cut = await here.run()
      assert.deepEqual([cut.limit, cut.turns, cut.toolCallCount, here.noted], ["maxToolCalls", 4, 4, ["a"]])
    })

    it("the same call over and over stops the run, whatever comes of it", async () => {
      for (const loop of [notes("again"), replyCalls([{ id: "c1", name: "nothing", arguments: { a: 1 } }])]) {
        await using here = await bench(style, [loop], { maxRepeats: 3 })
        const cut = await here.run()
        assert.deepEqual([cut.status, cut.limit, cut.turns], ["incomplete", "maxRepeats", 4])
        assert.equal(cut.toolCalls.filter(({ output }) => output !== undefined).length, 3)
        const again = await here.resume({ maxRepeats: 5 })
        assert.deepEqual([again.limit, again.turns], ["maxRepeats", 6])
      }
    })

    it("the same call many times in one reply counts each time, and other calls go on", async () => {
      await using here = await bench(style, [notes(...Array<string>(200).fill("same"), "other"), replyText("done")], {
        maxRepeats: 3,
      })
      const cut = await here.run()
      assert.deepEqual([cut.limit, here.noted], ["maxRepeats", ["same", "same", "same", "other"]])
      assert.equal((await here.resume({ maxRepeats: 200 })).status, "done")
    })

    it("arguments are the same whatever their order, and a reply without the call begins anew", async () => {
      const call = (input: string) => replyCalls([{ id: "c1", name: "nothing", arguments: input }])
      const one = call('{"a":1,"b":{"c":2,"d":3}}')
      const turned = call('{ "b": {"d":3, "c":2}, "a": 1 }')
      await using here = await bench(style, [one, turned, one], { maxRepeats: 2 })
      assert.deepEqual([(await here.run()).limit, here.endpoint.requests.length], ["maxRepeats", 3])
      await using apart = await bench(style, [one, turned, notes("x"), one, one, replyText("done")], { maxRepeats: 2 })
      assert.equal((await apart.run()).status, "done")
    })

    it("unknown tools and wrong arguments come back as results that say so, and the turns are limited", async () => {
      const wrong = replyCalls([
        { id: "c1", name: "constructor", arguments: {} },
        { id: "c2", name: "note", arguments: { text: 7 } },
        { id: "c3", name: "note", arguments: {} },
      ])
      await using here = await bench(style, [wrong], { maxTurns: 4 })
      const cut = await here.run()
      assert.deepEqual([cut.status, cut.limit, cut.turns, here.noted], ["incomplete", "maxTurns", 4, []])
      const sent = sentResults(here)
      assert.match(String(sent.get("c1")), /Unknown tool: constructor/)
      assert.match(String(sent.get("c2")), /text must be string/)
      assert.match(String(sent.get("c3")), /text is missing/)
    })
  })
}

describe("limits beside questions", () => {
  it("a call that a limit holds back keeps no other call of its reply from being asked about", async () => {
    const asked: string[] = []
    const waitFor = async (request: Request) => {
      asked.push(String(callOf(request).id))
      return { id: request.id, ok: true }
    }
    await using here = await bench("openai", [many(3), replyText("done")], { gate: ask, waitFor, maxToolCalls: 2 })
    const cut = await here.run()
    assert.deepEqual([cut.limit, asked, here.noted], ["maxToolCalls", ["c1", "c2"], ["n1", "n2"]])
    assert.equal((await here.resume({ maxToolCalls: 3 })).status, "done")
    assert.deepEqual(asked, ["c1", "c2", "c3"])
  })

  it("an open question halts the run, and the limit is said once it is answered", async () => {
    await using here = await bench("openai", [many(3), replyText("done")], { gate: ask, maxToolCalls: 1 })
    const halted = await here.run()
    assert.deepEqual([halted.status, halted.limit, halted.suspended?.length], ["pending", undefined, 1])
    const client = createClient({ baseUrl: here.endpoint.baseUrl, style: "openai", model: "m", gate: ask })
    const note = defineTool({ name: "note", description: "", run: () => "noted" })
    const toolkit = await createToolkit({ extraTools: [note] })
    const cut = await client.resume(here.journal, [{ id: halted.pending?.id, ok: true }], { toolkit })
    assert.deepEqual([cut.status, cut.limit], ["incomplete", "maxToolCalls"])
  })

  it("relayed calls beyond the limit ride on a request of their own later", async () => {
    const carry = (count: number) =>
      replyCalls(Array.from({ length: count }, (_, at) => ({ id: `c${at + 1}`, name: "carry", arguments: { at } })))
    await using here = await bench("openai", [carry(3), replyText("done")], { maxToolCalls: 2 }, [
      relayTool("carry", "", { type: "object" }),
    ])
    const halted = await here.run()
    assert.deepEqual(
      ((halted.pending?.data?.calls ?? []) as { id: string }[]).map(({ id }) => id),
      ["c1", "c2"],
    )
  })

  it("a new prompt settles what a limit held back", async () => {
    await using here = await bench("openai", [many(3), replyText("done")], { maxToolCalls: 1 })
    await here.run()
    const result = await here.run()
    assert.deepEqual([result.status, here.noted], ["done", ["n1"]])
    assert.match(String(sentResults(here).get("c3")), /not run: a new message came first/)
  })

  it("go through plain data: the calls made before count", async () => {
    await using here = await bench("openai", [many(2), replyText("done")], { maxToolCalls: 1 })
    const cut: RunResult = JSON.parse(JSON.stringify(await here.run()))
    const client = createClient({ baseUrl: here.endpoint.baseUrl, style: "openai", model: "m", maxToolCalls: 1 })
    const note = defineTool({ name: "note", description: "", run: () => "noted" })
    const toolkit = await createToolkit({ extraTools: [note] })
    assert.equal((await client.resume(cut, [], { toolkit })).limit, "maxToolCalls")
    const done = await client.resume(cut, [], { toolkit, limits: { maxToolCalls: 2 } })
    assert.deepEqual([done.status, done.toolCallCount], ["done", 2])
  })

  it("are in the first line of a run, and one that is no number above 0 is refused", async () => {
    await using here = await bench("openai", [replyText("done")], { maxToolCalls: 7, maxRepeats: 2 })
    await here.run()
    const [first] = await here.journal.read()
    assert.deepEqual(first?.type === "run.started" && first.limits, { maxToolCalls: 7, maxRepeats: 2 })
    await using wrong = await bench("openai", [], { maxRepeats: 0 })
    await assert.rejects(wrong.run(), /maxRepeats must be a number above 0, got 0/)
  })
})
