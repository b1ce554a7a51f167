import assert from "node:assert/strict"
import { test } from "node:test"
import { watchCallStreams } from "../../../../src/tools/mcp/call-streams.ts"

const event = (message: object, id?: string) => `${id ? `id: ${id}\n` : ""}data: ${JSON.stringify(message)}\n\n`

/** A server that answers each request with the next of these streams. */
function watched(...streams: (string | Error)[][]) {
  const lost: string[] = []
  const answer = async () => {
    const chunks = streams.shift() ?? []
    const body = new ReadableStream({
      pull(controller) {
        const chunk = chunks.shift()
        if (chunk === undefined) controller.close()
        else if (chunk instanceof Error) controller.error(chunk)
        else controller.enqueue(new TextEncoder().encode(chunk))
      },
    })
    return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8" } })
  }
  const calls = watchCallStreams(answer, (token) => lost.push(token))
  const post = async (id: number, token: string) => {
    const params = { name: "t", _meta: { progressToken: token } }
    const response = await calls.fetch("http://h", { body: JSON.stringify({ id, method: "tools/call", params }) })
    return response.text().catch(String)
  }
  const goOn = async (lastEventId: string) =>
    (await calls.fetch("http://h", { headers: { "last-event-id": lastEventId } })).text()
  return { calls, post, goOn, lost }
}

const question = { id: "q1", method: "elicitation/create" }
const result = { id: 7, result: {} }

test("what a server asks on the stream of a call is asked by that call, whatever else goes on", async () => {
  const half = event(question).slice(0, 20)
  const { calls, post, lost } = watched(
    [half, event(question).slice(20), event(result)],
    [event({ ...question, id: "q2" }), event({ id: 8, result: {} })],
  )
  assert.equal(await post(7, "a"), event(question) + event(result))
  await post(8, "b")
  assert.deepEqual([calls.callOf("q2"), calls.callOf("q1"), calls.callOf("q3")], ["b", "a", undefined])
  assert.deepEqual(lost, [])
})

test("a call whose stream ends or breaks without its result is lost at once", async () => {
  const { post, lost } = watched(
    [event(question)],
    [new Error("reset")],
    ["data: no JSON\n\n", event({ id: 9, result: {} })],
  )
  await post(7, "ended")
  await post(8, "broken")
  await post(7, "not its own")
  assert.deepEqual(lost, ["ended", "broken", "not its own"])
})

test("a stream that can be gone on with is not lost before nobody tries that any more", async () => {
  const { calls, post, goOn, lost } = watched(
    [event({}, "e1")],
    [event(question, "e2"), event(result, "e3")],
    [event({}, "f1")],
  )
  await post(7, "a")
  assert.deepEqual(lost, [])
  await goOn("e1")
  assert.equal(calls.callOf("q1"), "a")
  await post(8, "b")
  calls.giveUp()
  calls.giveUp()
  assert.deepEqual(lost, ["b"])
})
