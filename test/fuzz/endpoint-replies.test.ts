import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { createAnthropicStyle } from "../../src/endpoint/anthropic.ts"
import { createOpenaiStyle } from "../../src/endpoint/openai.ts"
import { ProviderError } from "../../src/endpoint/provider-error.ts"
import { readingError, readReply } from "../../src/endpoint/read-reply.ts"
import type { Reply, Style } from "../../src/endpoint/style.ts"
import { translateMessages } from "../../src/endpoint/translate.ts"
import type { ToolSpec } from "../../src/tool/tool.ts"

const isLong = process.env.TOOLNEXUS_TEST_SIZE === "long"
const numRuns = isLong ? 100_000 : 2_000

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

const text = fc.string({ unit: "binary", maxLength: 12 })
const name = fc.constantFrom("echo", "ping", "echo_all", "nope")
const args = fc.oneof(
  fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
  fc.constant({}),
)
const call = fc.record({ name, args })
// Blank text is dropped on one wire, which shows it when it comes piece by piece.
const words = text.map((it) => (it.trim() === "" ? "" : it))
const message = fc.record({ text: words, reasoning: text, calls: fc.array(call, { maxLength: 3 }) })
type Said = { text: string; reasoning: string; calls: { name: string; args: object }[] }

/** A text in two to four pieces; surrogate pairs stay whole, as JSON on the wire keeps them. */
function pieces(whole: string): string[] {
  const characters = Array.from(whole)
  const size = Math.max(1, Math.ceil(characters.length / 3))
  const out: string[] = []
  for (let at = 0; at < characters.length; at += size) out.push(characters.slice(at, at + size).join(""))
  return out
}

const USAGE = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }

function openaiPlain({ text, reasoning, calls }: Said): object {
  const tool_calls = calls.map(({ name, args }, at) => ({
    id: `c${at}`,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }))
  const message = {
    role: "assistant",
    content: text === "" ? null : text,
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls }),
  }
  return { choices: [{ index: 0, message, finish_reason: "stop" }], usage: USAGE }
}

function openaiEvents({ text, reasoning, calls }: Said): object[] {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta, finish_reason }],
  })
  return [
    chunk({ role: "assistant", content: null }),
    ...pieces(reasoning).map((reasoning_content) => chunk({ reasoning_content })),
    ...pieces(text).map((content) => chunk({ content })),
    ...calls.flatMap(({ name, args }, index) => [
      chunk({ tool_calls: [{ index, id: `c${index}`, type: "function", function: { name, arguments: "" } }] }),
      ...pieces(JSON.stringify(args)).map((piece) =>
        chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
      ),
    ]),
    chunk({}, "stop"),
    { choices: [], usage: USAGE },
  ]
}

function anthropicPlain({ text, reasoning, calls }: Said): object {
  const content = [
    { type: "thinking", thinking: reasoning, signature: "s" },
    { type: "text", text },
    ...calls.map(({ name, args }, at) => ({ type: "tool_use", id: `c${at}`, name, input: args })),
  ]
  return { type: "message", content, stop_reason: "end_turn", usage: { input_tokens: 3, output_tokens: 2 } }
}

function anthropicEvents({ text, reasoning, calls }: Said): object[] {
  const block = (index: number, content_block: object, deltas: object[]) => [
    { type: "content_block_start", index, content_block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ]
  return [
    {
      type: "message_start",
      message: { content: [], stop_reason: null, usage: { input_tokens: 3, output_tokens: 1 } },
    },
    ...block(0, { type: "thinking", thinking: "", signature: "" }, [
      ...pieces(reasoning).map((thinking) => ({ type: "thinking_delta", thinking })),
      { type: "signature_delta", signature: "s" },
    ]),
    ...block(
      1,
      { type: "text", text: "" },
      pieces(text).map((piece) => ({ type: "text_delta", text: piece })),
    ),
    ...calls.flatMap(({ name, args }, at) =>
      block(
        at + 2,
        { type: "tool_use", id: `c${at}`, name, input: {} },
        pieces(JSON.stringify(args)).map((partial_json) => ({ type: "input_json_delta", partial_json })),
      ),
    ),
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
    { type: "message_stop" },
  ]
}

const WIRES = {
  openai: { plain: openaiPlain, events: openaiEvents, last: "data: [DONE]" },
  anthropic: { plain: anthropicPlain, events: anthropicEvents, last: "" },
} as const

/** Server-sent events of any objects, with any line end and with comments in between. */
function sseBytes(events: readonly unknown[], last: string, lineEnd: string, comment: boolean): Uint8Array {
  const blocks = events.map((event) => `${comment ? `: keep-alive${lineEnd}` : ""}data: ${JSON.stringify(event)}`)
  return Buffer.from([...blocks, ...(last === "" ? [] : [last]), ""].join(lineEnd + lineEnd))
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
            assert.deepEqual(
              await read(
                style,
                [...bytes].map((byte) => Uint8Array.of(byte)),
              ),
              whole,
            )
          },
        ),
        { numRuns: numRuns / 4 },
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
      const bodies = style === "openai" ? oddOpenai(odd) : oddAnthropic(odd)
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
            results.map(({ id, output }) => ({ id, output })),
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

type Odd = (good: fc.Arbitrary<unknown>) => fc.Arbitrary<unknown>

function oddOpenai(odd: Odd): fc.Arbitrary<unknown> {
  const fn = odd(fc.record({ name: odd(name), arguments: odd(args.map((it) => JSON.stringify(it))) }))
  const calls = odd(fc.array(odd(fc.record({ index: odd(fc.nat(3)), id: odd(text), function: fn })), { maxLength: 3 }))
  const details = odd(
    fc.array(fc.record({ index: odd(fc.nat(2)), type: odd(text), text: odd(text) }), { maxLength: 3 }),
  )
  const content = odd(
    fc.oneof(text, fc.array(fc.record({ type: odd(fc.constant("text")), text: odd(text) }), { maxLength: 2 })),
  )
  const said = odd(fc.record({ role: odd(text), content, tool_calls: calls, reasoning_details: details }))
  const choice = odd(
    fc.record({ index: odd(fc.constant(0)), delta: said, message: said, finish_reason: odd(fc.constant("stop")) }),
  )
  return odd(fc.record({ choices: odd(fc.array(choice, { maxLength: 2 })), usage: odd(fc.constant(USAGE)) }))
}

function oddAnthropic(odd: Odd): fc.Arbitrary<unknown> {
  const type = fc.constantFrom(
    "text",
    "thinking",
    "tool_use",
    "server_tool_use",
    "text_delta",
    "input_json_delta",
    "thinking_delta",
  )
  const block = odd(
    fc.record({
      type: odd(type),
      text: odd(text),
      id: odd(text),
      name: odd(name),
      input: odd(args),
      partial_json: odd(text),
    }),
  )
  const kind = fc.constantFrom(
    "message_start",
    "content_block_start",
    "content_block_delta",
    "message_delta",
    "message_stop",
  )
  return odd(
    fc.record({
      type: odd(kind),
      index: odd(fc.nat(2)),
      message: odd(
        fc.record({ content: odd(fc.array(block, { maxLength: 2 })), usage: odd(fc.constant({ input_tokens: 1 })) }),
      ),
      content_block: block,
      delta: block,
      content: odd(fc.array(block, { maxLength: 3 })),
      stop_reason: odd(fc.constant("end_turn")),
    }),
  )
}
