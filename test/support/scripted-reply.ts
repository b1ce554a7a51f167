import type { RecordedRequest, Step, Turn } from "./scripted-endpoint.ts"

/** A call of a reply: `arguments` as an object, or as the raw text. */
export interface ScriptedCall {
  id: string
  name: string
  arguments: unknown
}

interface Said {
  text: string
  calls: ScriptedCall[]
  usage: { prompt: number; completion: number }
}

/** A reply of text. */
export function replyText(text: string, usage: Said["usage"] = { prompt: 5, completion: 2 }): Step {
  return (request) => turnFor(request, { text, calls: [], usage })
}

/** A reply of tool calls, with text before them where given. */
export function replyCalls(
  calls: ScriptedCall[],
  text = "",
  usage: Said["usage"] = { prompt: 5, completion: 2 },
): Step {
  return (request) => turnFor(request, { text, calls, usage })
}

/** An error reply in the shape that most endpoints use. */
export function replyError(status: number, message: string, headers: Record<string, string> = {}): Turn {
  return { status, headers, body: { error: { message, type: "error" } } }
}

/** One `data:` line an object, then the given end. */
export function sseOf(objects: readonly unknown[], last = "data: [DONE]\n\n"): string {
  return objects.map((object) => `data: ${JSON.stringify(object)}\n\n`).join("") + last
}

function turnFor(request: RecordedRequest, said: Said): Turn {
  const isStream = request.body?.stream === true
  if (new URL(request.url, "http://localhost").pathname.endsWith("/messages")) {
    return isStream ? { sse: sseOf(anthropicEvents(said), "") } : { body: anthropicBody(said) }
  }
  return isStream ? { sse: sseOf(openaiChunks(said)) } : { body: openaiBody(said) }
}

function argumentsText(call: ScriptedCall): string {
  return typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments)
}

function openaiCalls(said: Said): object[] {
  return said.calls.map((call) => ({
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: argumentsText(call) },
  }))
}

function openaiUsage({ usage }: Said): object {
  const { prompt, completion } = usage
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
}

function openaiBody(said: Said): object {
  const calls = said.calls.length > 0 ? { tool_calls: openaiCalls(said) } : {}
  const message = { role: "assistant", content: said.text === "" ? null : said.text, ...calls }
  const finish_reason = said.calls.length > 0 ? "tool_calls" : "stop"
  return {
    id: "r1",
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason }],
    usage: openaiUsage(said),
  }
}

function openaiChunks(said: Said): object[] {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    id: "r1",
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason }],
  })
  const half = Math.ceil(said.text.length / 2)
  const pieces = [said.text.slice(0, half), said.text.slice(half)].filter((piece) => piece !== "")
  return [
    chunk({ role: "assistant", content: "" }),
    ...pieces.map((content) => chunk({ content })),
    ...openaiCalls(said).map((call, index) => chunk({ tool_calls: [{ index, ...call }] })),
    chunk({}, said.calls.length > 0 ? "tool_calls" : "stop"),
    { id: "r1", object: "chat.completion.chunk", choices: [], usage: openaiUsage(said) },
  ]
}

function anthropicBody(said: Said): object {
  const text = said.text === "" ? [] : [{ type: "text", text: said.text }]
  const calls = said.calls.map((call) => ({
    type: "tool_use",
    id: call.id,
    name: call.name,
    input: typeof call.arguments === "string" ? JSON.parse(call.arguments) : call.arguments,
  }))
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [...text, ...calls],
    stop_reason: said.calls.length > 0 ? "tool_use" : "end_turn",
    usage: { input_tokens: said.usage.prompt, output_tokens: said.usage.completion },
  }
}

function anthropicEvents(said: Said): object[] {
  const text =
    said.text === "" ? [] : [{ start: { type: "text", text: "" }, delta: { type: "text_delta", text: said.text } }]
  const calls = said.calls.map((call) => ({
    start: { type: "tool_use", id: call.id, name: call.name, input: {} },
    delta: { type: "input_json_delta", partial_json: argumentsText(call) },
  }))
  const usage = { input_tokens: said.usage.prompt, output_tokens: 1 }
  const message = { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, usage }
  return [
    { type: "message_start", message },
    ...[...text, ...calls].flatMap(({ start, delta }, index) => [
      { type: "content_block_start", index, content_block: start },
      { type: "content_block_delta", index, delta },
      { type: "content_block_stop", index },
    ]),
    {
      type: "message_delta",
      delta: { stop_reason: said.calls.length > 0 ? "tool_use" : "end_turn" },
      usage: { output_tokens: said.usage.completion },
    },
    { type: "message_stop" },
  ]
}
