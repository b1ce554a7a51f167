import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { createAnthropicStyle } from "../../src/endpoint/anthropic/style.ts"
import { ProviderError } from "../../src/endpoint/errors/provider-error.ts"
import { createOpenaiStyle } from "../../src/endpoint/openai/style.ts"
import { readingError, readReply } from "../../src/endpoint/reply/read-reply.ts"
import type { Reply, Style } from "../../src/endpoint/style.ts"
import { translateMessages } from "../../src/endpoint/translate.ts"
import type { ToolSpec } from "../../src/tool/tool.ts"
import { args, message, name, ODD_EVENTS, sseBytes, WIRES, words } from "./reply-arbitraries.ts"

const isLong = process.env.TOOLNEXUS_TEST_SIZE === "long"
const numRuns = isLong ? 100_000 : 2_000

/** The longest stream that is also read byte by byte, which takes its time. */
const MAX_BYTEWISE = 300

const TOOLS = ["echo", "ping", "echo_all"].map(
  (name): ToolSpec => ({ name, description: "", inputSchema: {}, source: "native" }),
)

function freshStyle(name: Style["name"]): Style {
  let made = 0
  const makeId = () => `made${String(++made).padStart(5, "0")}`
  return name === "openai" ? createOpenaiStyle(makeId) : createAnthropicStyle(makeId)
}

type Outcome = { reply: Reply; shown: string } | { error: string }

/** Reads bytes as a reply, in the given reads. */
async function read(
  style: Style["name"],
  reads: readonly Uint8Array[],
  contentType = "text/event-stream",
): Promise<Outcome> {
  async function* body() {
    for (const chunk of reads) yield chunk
  }
  let shown = ""
  const show = (text: string) => {
    shown += text
  }
  const response = { status: 200, headers: { "content-type": contentType }, body: body() }
  const url = new URL("http://a.test")
  try {
    return { reply: await readReply(response, { style: freshStyle(style), tools: TOOLS, url, show }), shown }
  } catch (error) {
    assert.ok(readingError(error) instanceof ProviderError)
    assert.ok(error instanceof ProviderError, `not ours: ${String(error)}`)
    return { error: error.message }
  }
}

function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const cuts = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...cuts].map((from, at) => bytes.subarray(from, cuts[at] ?? bytes.length))
}

const lineEnd = fc.constantFrom("\n", "\r\n", "\r")
const cuts = fc.array(fc.nat(100_000), { maxLength: 12 })

for (const style of ["openai", "anthropic"] as const) {
  const wire = WIRES[style]

  describe(`replies of style ${style}`, () => {
    it("are the same streamed and plain, and text is shown once", async () => {
      await fc.assert(
        fc.asyncProperty(message, lineEnd, fc.boolean(), async (said, end, comment) => {
          const streamed = await read(style, [sseBytes(wire.events(said), wire.last, end, comment)])
          const plain = await read(style, [Buffer.from(JSON.stringify(wire.plain(said)))], "application/json")
          assert.deepEqual(streamed, plain)
          assert.ok("reply" in plain && plain.shown === said.text)
        }),
        { numRuns },
      )
    })

    it("are the same wherever their bytes are cut into reads", async () => {
      const anyEvent = fc.oneof(
        { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
        { weight: 4, arbitrary: message.chain((said) => fc.constantFrom(...wire.events(said))) },
      )
      await fc.assert(
        fc.asyncProperty(
          fc.array(anyEvent, { maxLength: 8 }),
          lineEnd,
          fc.boolean(),
          cuts,
          async (events, end, comment, places) => {
            const bytes = sseBytes(events, wire.last, end, comment)
            const whole = await read(style, [bytes])
            assert.deepEqual(await read(style, cutAt(bytes, places)), whole)
            if (bytes.length > MAX_BYTEWISE) return
            const bytewise = Array.from(bytes, (byte) => Uint8Array.of(byte))
            assert.deepEqual(await read(style, bytewise), whole)
          },
        ),
        { numRuns },
      )
    })

    it("are the same whether or not their events are alike but for the text, and read by that alone", async () => {
      const event = fc.oneof(
        message.chain((said) => fc.constantFrom(...wire.events(said))),
        ODD_EVENTS[style]((good) => fc.oneof({ weight: 9, arbitrary: good }, { weight: 1, arbitrary: fc.jsonValue() })),
      )
      const repeated = fc.array(fc.tuple(event, fc.nat(3)), { maxLength: 6 })
      await fc.assert(
        fc.asyncProperty(repeated, fc.array(fc.nat(50)), async (some, order) => {
          const times = some.flatMap(([it, more]) => Array.from({ length: more + 1 }, () => it))
          const events = [...times, ...order.flatMap((at) => (at < times.length ? [times[at]] : []))]
          const lines = events.map((it) => `data: ${JSON.stringify(it)}`)
          const alike = Buffer.from([...lines, wire.last, ""].join("\n\n"))
          const unlike = Buffer.from([...lines.map((line, at) => line + " ".repeat(at)), wire.last, ""].join("\n\n"))
          assert.deepEqual(await read(style, [alike]), await read(style, [unlike]))
        }),
        { numRuns },
      )
    })

    it("of any bytes at all are read or refused by an error of ours", async () => {
      const noise = fc.uint8Array({ maxLength: 200 })
      await fc.assert(
        fc.asyncProperty(
          noise,
          cuts,
          async (bytes, places) => void (await read(style, cutAt(bytes, places), "text/plain")),
        ),
        { numRuns },
      )
    })

    it("of a sound stream with a few bytes changed are too", async () => {
      const changes = fc.array(fc.tuple(fc.nat(100_000), fc.integer({ min: 0, max: 255 })), {
        minLength: 1,
        maxLength: 4,
      })
      await fc.assert(
        fc.asyncProperty(message, changes, async (said, spoilt) => {
          const bytes = Uint8Array.from(sseBytes(wire.events(said), wire.last, "\n", false))
          for (const [place, byte] of spoilt) bytes[place % bytes.length] = byte
          await read(style, [bytes])
        }),
        { numRuns },
      )
    })

    it("of any JSON in the members that we read are too", async () => {
      const anything = fc.jsonValue({ maxDepth: 3 })
      const odd = (good: fc.Arbitrary<unknown>) =>
        fc.oneof(good, anything, fc.constantFrom("__proto__", "constructor", -1, null))
      const bodies = ODD_EVENTS[style](odd)
      await fc.assert(
        fc.asyncProperty(fc.array(bodies, { maxLength: 5 }), async (events) => {
          await read(style, [sseBytes(events, wire.last, "\n", false)])
          for (const event of events) await read(style, [Buffer.from(JSON.stringify(event))], "application/json")
        }),
        { numRuns },
      )
    })
  })

  describe(`the ${style} style`, () => {
    const parsed = fc.record({
      text: words,
      calls: fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-zA-Z0-9]{1,9}$/), name, args), {
        selector: ([id]) => id,
        maxLength: 3,
      }),
    })
    const replyOf = ({ text, calls }: { text: string; calls: [string, string, object][] }) => ({
      text,
      calls: calls.map(([id, name, input]) => ({ id, name, arguments: JSON.stringify(input) })),
    })

    it("reads what it wrote: replies, results, prompts", () => {
      fc.assert(
        fc.property(parsed, fc.array(words), (said, outputs) => {
          const it = freshStyle(style)
          const reply = replyOf(said)
          assert.deepEqual(it.parseMessage(it.renderReply(reply)), reply)
          const results = outputs.map((output, at) => ({ id: `c${at}`, name: "echo", output, isError: at % 2 === 1 }))
          const read = it.parseResults(it.renderResults(results))
          assert.deepEqual(
            read,
            results.map(({ id, output, isError }) => ({ id, output, isError: isError && style === "anthropic" })),
          )
          assert.equal(it.parseUser(it.renderUser(said.text)), said.text)
        }),
        { numRuns },
      )
    })

    it("says a transcript in the other style and back without a loss", () => {
      fc.assert(
        fc.property(fc.array(parsed, { maxLength: 4 }), (turns) => {
          const here = freshStyle(style)
          const there = freshStyle(style === "openai" ? "anthropic" : "openai")
          const messages = turns.flatMap((turn, at) => {
            const { text, calls } = replyOf(turn)
            const own = calls.map((call) => ({ ...call, id: `${call.id}_${at}` }))
            const results = own.map(({ id, name }) => ({ id, name, output: `did ${id}`, isError: false }))
            return [
              here.renderUser(`prompt ${at}`),
              here.renderReply({ text, calls: own }),
              ...here.renderResults(results),
            ]
          })
          assert.deepEqual(translateMessages(translateMessages(messages, here, there), there, here), messages)
        }),
        { numRuns },
      )
    })
  })
}
