/** Replies of both styles as fast-check makes them: what was said, as a plain body and as events, and odd ones. */
import fc from "fast-check"

const text = fc.string({ unit: "binary", maxLength: 12 })
export const name: fc.Arbitrary<string> = fc.constantFrom("echo", "ping", "echo_all", "nope")
export const args: fc.Arbitrary<object> = fc.oneof(
  fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
  fc.constant({}),
)
const call = fc.record({ name, args })
// Blank text is dropped on one wire, which shows it when it comes piece by piece.
export const words: fc.Arbitrary<string> = text.map((it) => (it.trim() === "" ? "" : it))
// With what a stream opens before anything is said; the plain reply knows of no such thing.
const opening = fc.constantFrom<("" | null)[]>("", null)
export const message: fc.Arbitrary<Said> = fc.record({
  opening,
  text: words,
  reasoning: text,
  calls: fc.array(call, { maxLength: 3 }),
})
type Said = { opening: "" | null; text: string; reasoning: string; calls: { name: string; args: object }[] }

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

function openaiEvents({ opening, text, reasoning, calls }: Said): object[] {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta, finish_reason }],
  })
  return [
    chunk({ role: "assistant", content: opening }),
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

interface Wire {
  plain(said: Said): object
  events(said: Said): object[]
  last: string
}

export const WIRES: Record<"openai" | "anthropic", Wire> = {
  openai: { plain: openaiPlain, events: openaiEvents, last: "data: [DONE]" },
  anthropic: { plain: anthropicPlain, events: anthropicEvents, last: "" },
}

/** Server-sent events of any objects, with any line end and with comments in between. */
export function sseBytes(events: readonly unknown[], last: string, lineEnd: string, comment: boolean): Uint8Array {
  const blocks = events.map((event) => `${comment ? `: keep-alive${lineEnd}` : ""}data: ${JSON.stringify(event)}`)
  return Buffer.from([...blocks, ...(last === "" ? [] : [last]), ""].join(lineEnd + lineEnd))
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

export const ODD_EVENTS: Record<"openai" | "anthropic", (odd: Odd) => fc.Arbitrary<unknown>> = {
  openai: oddOpenai,
  anthropic: oddAnthropic,
}
