import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  createClient,
  createGate,
  createToolkit,
  defineTool,
  memoryJournal,
  pending,
  type Request,
  relayTool,
} from "../../src/index.ts"
import { ask, bench, callOf, notes } from "../support/bench.ts"
import { replyCalls, replyText } from "../support/scripted-endpoint.ts"

for (const style of ["openai", "anthropic"] as const) {
  describe(`a call that a person declined, style ${style}`, () => {
    const declining = (asked: Request[]) => async (request: Request) => {
      asked.push(request)
      return { id: request.id, ok: false, reason: "declined" }
    }

    it("is answered with a final no when it comes again, and nobody is asked", async () => {
      const asked: Request[] = []
      await using here = await bench(style, [notes("a"), notes("a"), notes("b"), replyText("done")], {
        gate: ask,
        waitFor: declining(asked),
      })
      const result = await here.run()
      assert.deepEqual(
        asked.map((request) => callOf(request).input),
        [{ text: "a" }, { text: "b" }],
      )
      const [first, second, other] = result.toolCalls
      assert.match(String(first?.output), /^declined\/expired: Allow note\?/)
      assert.match(
        String(second?.output),
        /^declined before: the person declined exactly this call of note .* do not ask for it again\.$/,
      )
      assert.match(String(other?.output), /^declined\/expired:/)
      assert.deepEqual([second?.isError, here.noted], [true, []])
      const decided = (await here.journal.read()).filter((event) => event.type === "call.decided")
      assert.deepEqual(
        decided.map((event) => event.type === "call.decided" && [event.turn, event.decision, event.by]),
        [[2, "refuse", "person"]],
      )
    })

    it("stays declined after a halt and a resume in another process", async () => {
      const asked: Request[] = []
      const steps = [notes("a"), notes("b"), notes("a"), replyText("done")]
      let left = false
      const waitFor = async (request: Request) => {
        if (asked.length === 1) left = true
        if (left) return undefined
        return declining(asked)(request)
      }
      await using here = await bench(style, steps, { gate: ask, waitFor })
      const halted = await here.run()
      assert.equal(halted.status, "pending")
      const client = createClient({
        baseUrl: here.endpoint.baseUrl,
        style,
        model: "m",
        gate: ask,
        waitFor: declining(asked),
      })
      const note = defineTool({ name: "note", description: "", run: () => assert.fail("it was declined") })
      const lines = await here.journal.read()
      const result = await client.resume(memoryJournal(lines), [], {
        toolkit: await createToolkit({ extraTools: [note] }),
      })
      assert.equal(asked.length, 2)
      assert.match(String(result.toolCalls[2]?.output), /^declined before/)
    })
  })
}

describe("the final no", () => {
  const asking = defineTool({
    name: "asking",
    description: "asks on its own",
    run: (_args, ctx) => (ctx.answer ? "told" : pending({ kind: "input", prompt: "Which?" })),
  })
  const call = (name: string) => replyCalls([{ id: "c1", name, arguments: {} }])

  it("counts for what a tool or a relay asked too", async () => {
    for (const name of ["asking", "carry"]) {
      let asked = 0
      const waitFor = async ({ id }: Request) => {
        asked++
        return { id, ok: false, reason: "cancelled" }
      }
      await using here = await bench("openai", [call(name), call(name), replyText("done")], { waitFor }, [
        asking,
        relayTool("carry", ""),
      ])
      const result = await here.run()
      assert.deepEqual([asked, result.toolCalls.length], [1, 2])
      assert.match(String(result.toolCalls[1]?.output), /^declined before/)
    }
  })

  it("is not said where nobody answered in time, and not after a new prompt", async () => {
    let asked = 0
    const waitFor = async ({ id }: Request) => ({ id, ok: false, reason: asked++ === 0 ? "expired" : "declined" })
    await using here = await bench(
      "openai",
      [call("asking"), call("asking"), replyText("done"), call("asking"), replyText("done")],
      { waitFor },
      [asking],
    )
    await here.run()
    assert.equal(asked, 2)
    await here.run()
    assert.equal(asked, 3)
  })

  it("does not stand in the way of a rule that allows the call since", async () => {
    await using here = await bench("openai", [notes("a"), notes("a"), notes("a"), replyText("done")], {
      gate: ask,
      waitFor: async ({ id }) => ({ id, ok: false }),
      maxTurns: 2,
    })
    assert.equal((await here.run()).limit, "maxTurns")
    const client = createClient({
      baseUrl: here.endpoint.baseUrl,
      style: "openai",
      model: "m",
      gate: createGate({ rules: [{ effect: "allow", rule: "note" }] }),
    })
    const note = defineTool({ name: "note", description: "", run: () => "noted" })
    const result = await client.resume(here.journal, [], {
      toolkit: await createToolkit({ extraTools: [note] }),
      limits: { maxTurns: 9 },
    })
    assert.deepEqual(
      result.toolCalls.map(({ output }) => output?.slice(0, 8)),
      ["declined", "declined", "noted"],
    )
  })
})
