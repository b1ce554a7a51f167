import type { Message, StyleName, Usage } from "../event/event.ts"
import type { ToolSpec } from "../tool/tool.ts"
import type { SseEvent } from "./reply/sse.ts"

/** One call as a reply holds it: `arguments` is the raw JSON text. */
export interface WireCall {
  id: string
  name: string
  arguments: string
}

/** What a recorded reply says, parsed on reading. */
export interface ParsedMessage {
  text: string
  calls: WireCall[]
}

/** One reply of a model, after repairs. */
export interface Reply {
  message: Message
  usage?: Usage
  stop?: string
  /** By call index: why that call is not run, as the model is told. */
  problems?: Record<string, string>
}

/** The result of one call on its way to the model. */
export interface WireResult {
  id: string
  name: string
  output: string
  isError: boolean
  /** Instead of the output, in the style's own shape: what is not text alone. */
  parts?: readonly unknown[]
}

/** One result that a transcript holds, by the id of its call. */
export type ParsedResult = Omit<WireResult, "name">

/** What a model call is made of, the same for every style. */
export interface ModelRequest {
  model: string
  systemPrompt?: string
  messages: readonly Message[]
  tools: readonly ToolSpec[]
  maxOutputTokens?: number
  /** Further members of the body, as the endpoint names them. */
  requestParams?: Record<string, unknown>
}

/** How one wire says things. Pure: data in, data out. */
export interface Style {
  readonly name: StyleName
  /** A prompt as a message. */
  renderUser(text: string): Message
  /** A reply as a message of this style, without what only its own endpoint understands. */
  renderReply(parsed: ParsedMessage): Message
  /** The results of one turn, in call order, as the messages that carry them. */
  renderResults(results: readonly WireResult[]): Message[]
  /** The body of the request; `messages` is its last member. */
  renderBody(request: ModelRequest, stream: boolean): Record<string, unknown>
  /** The text of a message that a person wrote. */
  parseUser(message: Message): string
  /** Reads a recorded assistant message. */
  parseMessage(message: Message): ParsedMessage
  /** Reads the results that a transcript holds. */
  parseResults(messages: readonly Message[]): ParsedResult[]
  /** The text of a plain reply as a value. @throws SyntaxError where it is no JSON */
  parseBody(text: string): unknown
  /**
   * Reads a whole reply, or what {@link StreamReader.end} put together; repairs it once.
   *
   * @throws ProviderError where it is an error, or no reply
   */
  parseReply(body: unknown, tools: readonly ToolSpec[]): Reply
  openStream(tools: readonly ToolSpec[]): StreamReader
}

/** Puts the events of a streamed reply together, into the same shape as a plain one. */
export interface StreamReader {
  /**
   * @returns the text that this event adds, to be shown at once
   * @throws ProviderError where it is an error, or malformed
   */
  read(event: SseEvent): string
  /** Reads events that only add a text as earlier ones did, of which nothing else need be read; see `TextTemplate.take`. */
  take(stream: string, at: number, show: (text: string) => void): number
  /** Whether the endpoint said that this was all: nothing more need be read. */
  readonly ended: boolean
  /** The reply so far as a plain one would be. @throws ProviderError when the stream ended without any sign of an end */
  end(): unknown
}

/** One model call, wherever the model is. */
export interface Model {
  readonly name: string
  readonly style: Style
  /**
   * @param request what to send
   * @param options `signal` stops it; `onText` is given, then the reply is streamed
   * @throws ToolnexusError `provider`; the signal's reason once it is aborted
   */
  complete(request: Omit<ModelRequest, "model">, options: CompleteOptions): Promise<Reply>
}

export interface CompleteOptions {
  signal: AbortSignal
  onText?: (text: string) => void
}
