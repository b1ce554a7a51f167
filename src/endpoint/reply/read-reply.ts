import type { ToolSpec } from "../../tool/tool.ts"
import { causeOf } from "../errors/error-text.ts"
import { brokenReply, emptyReply, ProviderError } from "../errors/provider-error.ts"
import { cutOff } from "../errors/unreachable.ts"
import type { Reply, StreamReader, Style } from "../style.ts"
import type { TransportResponse } from "../transport/transport.ts"
import { decodeText } from "./decode-text.ts"
import { openSse } from "./sse.ts"

interface Reading {
  style: Style
  tools: readonly ToolSpec[]
  url: URL
  /** Takes each piece of text as it comes. */
  show: (text: string) => void
}

/** A plain reply longer than this is none, in characters. */
const MAX_PLAIN = 64 * 1024 * 1024

/**
 * Reads a reply of status 2xx. What it is, is decided by its first bytes: servers stream what was not asked to be, and
 * do not stream what was.
 *
 * @throws ProviderError where it is an error, is cut off, or is no reply
 */
export async function readReply(response: TransportResponse, reading: Reading): Promise<Reply> {
  const texts = decodeText(unbroken(response.body, reading.url))
  try {
    const head = await readHead(texts)
    switch (formOf(head, response.headers["content-type"] ?? "")) {
      case "sse":
        return await readStream(startingWith(head, texts), reading)
      case "json":
        return readPlain(await readRest(head, texts), reading)
      case "html":
        throw webPage((await readRest(head, texts)).text, reading.url)
      case "text":
        throw noReply((await readRest(head, texts)).text)
    }
  } finally {
    await texts.return(undefined)
  }
}

type Form = "sse" | "json" | "html" | "text"

function formOf(head: string, contentType: string): Form {
  if (/^[[{"]/.test(head)) return "json"
  if (head.startsWith("<")) return "html"
  const isSse = /^(data|event|id|retry|error)?:/.test(head) || (head !== "" && /event-stream/i.test(contentType))
  return isSse ? "sse" : "text"
}

/** The first characters after white space, as many as it takes to see what it is. */
async function readHead(texts: AsyncIterator<string>): Promise<string> {
  let head = ""
  while (head.length < 8 && !/^[^a-z]|\n/.test(head)) {
    const { done, value } = await texts.next()
    if (done) break
    head = (head + value).trimStart()
  }
  return head
}

interface Rest {
  text: string
  /** It broke off: the text may be all there was, though. */
  cutOff?: CutOffError
}

async function readRest(head: string, texts: AsyncIterable<string>): Promise<Rest> {
  const parts = [head]
  let length = head.length
  try {
    for await (const text of texts) {
      parts.push(text)
      length += text.length
      if (length > MAX_PLAIN) throw brokenReply("The endpoint's reply is longer than 64 MiB")
    }
  } catch (error) {
    if (!(error instanceof CutOffError)) throw error
    return { text: parts.join(""), cutOff: error }
  }
  return { text: parts.join("") }
}

async function* startingWith(head: string, texts: AsyncIterable<string>): AsyncGenerator<string> {
  yield head
  yield* texts
}

async function readStream(texts: AsyncIterable<string>, { style, tools, show }: Reading): Promise<Reply> {
  const reader = style.openStream(tools)
  const sse = await openSse({
    onEvent(event) {
      if (reader.ended) return // what comes after the last event is none of the reply
      const text = reader.read(event)
      if (text !== "") show(text)
    },
    take: (stream, at) => (reader.ended ? at : reader.take(stream, at, show)),
  })
  try {
    for await (const text of texts) {
      sse.feed(text)
      if (reader.ended) return style.parseReply(reader.end(), tools)
    }
    sse.end()
  } catch (error) {
    if (!(error instanceof CutOffError)) throw error
    // What was cut off may have been complete but for the end of its last line.
    sse.end()
    const body = endOr(() => reader.end(), error.reason)
    return style.parseReply(body, tools)
  }
  return style.parseReply(reader.end(), tools)
}

function endOr(end: () => unknown, reason: ProviderError): unknown {
  try {
    return end()
  } catch (incomplete) {
    throw incomplete instanceof ProviderError ? reason : incomplete
  }
}

function readPlain(rest: Rest, reading: Reading): Reply {
  const { style, tools, show } = reading
  const reply = style.parseReply(parsePlain(rest, reading), tools)
  const said = style.parseMessage(reply.message).text
  if (said !== "") show(said)
  return reply
}

function parsePlain({ text, cutOff }: Rest, { style, tools }: Reading): unknown {
  try {
    return style.parseBody(text)
  } catch (cause) {
    if (cutOff) throw cutOff
    const lines = text.split("\n").filter((line) => line.trim() !== "")
    if (lines.length > 1 && lines.every(isJson)) return parseLines(lines, style.openStream(tools))
    throw brokenReply("The endpoint's reply is not valid JSON: it is malformed, or was cut off", {
      body: text,
      retryable: true,
      cause,
    })
  }
}

/** Some servers stream without the form of a stream: a chunk a line. */
function parseLines(lines: readonly string[], reader: StreamReader): unknown {
  for (const data of lines) if (!reader.ended) reader.read({ data })
  return reader.end()
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false // that is what was asked
  }
}

function webPage(html: string, url: URL): ProviderError {
  const fact = `The endpoint answered with a web page (${causeOf(html)}) instead of a reply`
  return brokenReply(`${fact}; check the base URL (asked ${url.origin}${url.pathname})`, { body: html })
}

function noReply(text: string): ProviderError {
  if (text.trim() === "") return emptyReply()
  return brokenReply(`The endpoint answered with text instead of a reply: ${causeOf(text)}`, { body: text })
}

/** Marks what the wire threw, so that it is told apart from what the reader did. */
class CutOffError extends Error {
  readonly reason: ProviderError
  constructor(reason: ProviderError) {
    super(reason.message)
    this.reason = reason
  }
}

async function* unbroken(bytes: AsyncIterable<Uint8Array>, url: URL): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes
  } catch (error) {
    throw new CutOffError(cutOff(error, url))
  }
}

/** What a failed reading comes to, for whoever reports it. */
export function readingError(error: unknown): ProviderError {
  if (error instanceof CutOffError) return error.reason
  if (error instanceof ProviderError) return error
  return brokenReply("The endpoint's reply could not be read", { cause: error })
}
