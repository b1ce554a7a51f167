import { readdirSync, readFileSync } from "node:fs"
import type { Generated, RunResult } from "../../src/index.ts"
import { toolnexus } from "../support/built-package.ts"
import { type ScriptedEndpoint, scriptedEndpoint, type Turn } from "../support/scripted-endpoint.ts"
import { isObject, match, matchSequence, type Names } from "./wire-match.ts"

const { createClient, createInProcessClient, createToolkit, defineTool } = toolnexus

/** One behaviour of a real server, and what a client makes of it; see `wire-cases/README.md`. */
export interface WireCase {
  id: string
  title: string
  style: "openai" | "anthropic"
  stream: boolean
  needs?: { idleTimeoutMs?: number }
  turns: Turn[]
  expect: {
    text?: string
    toolCalls?: { name: string; args: unknown }[]
    error?: string
    orError?: string
    usage?: { inputTokens: number; outputTokens: number }
    requestCount?: number
    requests?: ExpectedRequest[]
  }
}

interface ExpectedRequest {
  n: number
  sequence?: unknown[]
  has?: string[]
  lacks?: string[]
  body?: unknown
  headersHave?: string[]
  headersLack?: string[]
}

const FOLDER = new URL("./wire-cases/", import.meta.url)

export function loadWireCases(): WireCase[] {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(".json"))
  return names.sort().map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), "utf8")))
}

/** What came of a case: a result, or what a person is told. */
export interface Played {
  endpoint: ScriptedEndpoint
  ran: { name: string; args: unknown }[]
  /** The text as it was streamed. */
  shown: string
  result?: RunResult
  error?: string
}

/** Plays a case over real HTTP; with `fetch` over that one. */
export async function playWireCase(wireCase: WireCase, options: { fetch?: typeof fetch } = {}): Promise<Played> {
  const endpoint = await scriptedEndpoint(wireCase.turns).listen()
  const played: Played = { endpoint, ran: [], shown: "" }
  const note = (name: string, args: unknown) => played.ran.push({ name, args })
  const toolkit = await createToolkit({ builtins: false, extraTools: tools(note) })
  const client = createClient({
    baseUrl: endpoint.baseUrl,
    style: wireCase.style,
    model: "m",
    retryBaseMs: 10,
    ...wireCase.needs,
    ...options,
  })
  const onText = (text: string) => {
    played.shown += text
  }
  try {
    played.result = await client.run("hello", { toolkit, ...(wireCase.stream ? { onText } : {}) })
    if (played.result.limit) played.error = `incomplete: the limit ${played.result.limit} was reached`
  } catch (error) {
    played.error = error instanceof Error ? error.message : String(error)
  } finally {
    await endpoint.close()
    await toolkit.close()
  }
  return played
}

/** What a case's plain replies say, for a model in this process; `undefined` where the case is about the wire. */
export function generatedOf({ style, turns, expect }: WireCase): Generated[] | undefined {
  if (style !== "openai" || expect.error) return undefined
  const replies = turns.map(({ status, body }) => {
    const choice = isObject(body) && Array.isArray(body.choices) ? body.choices[0] : undefined
    return status === 200 && isObject(choice?.message) ? generated(choice.message) : undefined
  })
  return replies.every((reply) => reply !== undefined) ? replies : undefined
}

function generated(message: Record<string, unknown>): Generated | undefined {
  const calls = message.tool_calls ?? []
  if (!Array.isArray(calls) || (typeof message.content !== "string" && calls.length === 0)) return undefined
  return {
    ...(typeof message.content === "string" ? { text: message.content } : {}),
    toolCalls: calls.map((call) => ({ id: call.id, name: call.function.name, input: call.function.arguments })),
  }
}

/** Plays a case's replies by a model in this process. */
export async function playInProcess(replies: readonly Generated[]): Promise<Pick<Played, "ran" | "result">> {
  const ran: Played["ran"] = []
  const toolkit = await createToolkit({ builtins: false, extraTools: tools((name, args) => ran.push({ name, args })) })
  let turn = 0
  const generate = () => replies[Math.min(turn++, replies.length - 1)] ?? {}
  const result = await createInProcessClient({ model: "m", generate }).run("hello", { toolkit })
  await toolkit.close()
  return { ran, result }
}

function tools(note: (name: string, args: unknown) => void) {
  return [
    defineTool({
      name: "echo",
      description: "Returns the text",
      inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      run: (args: { text: string }) => {
        note("echo", args)
        return args.text
      },
    }),
    defineTool({
      name: "ping",
      description: "Returns pong",
      run: (args: Record<string, unknown>) => {
        note("ping", args)
        return "pong"
      },
    }),
  ]
}

/** What of a case's `expect` does not hold; nothing where all of it does. */
export function failuresOf({ expect }: WireCase, played: Played): string[] {
  const ugly = played.error && /cannot read prop|\[object Object\]|<html|<body|undefined is not/i.exec(played.error)
  if (ugly) return [`the error text holds ${ugly[0]}: ${played.error}`]
  const said = played.error ?? ""
  if (expect.orError && said !== "" && pattern(expect.orError).test(said)) return ranFailures(expect, played)
  return [...outcomeFailures(expect, played), ...ranFailures(expect, played), ...requestFailures(expect, played)]
}

type Expect = WireCase["expect"]

function outcomeFailures(expect: Expect, { result, error }: Played): string[] {
  if (expect.error) {
    const notice = error ?? result?.text ?? ""
    return pattern(expect.error).test(notice) ? [] : [`no error like /${expect.error}/: ${notice}`]
  }
  if (error !== undefined || result === undefined) return [`it failed: ${error}`]
  const failures: string[] = []
  if (expect.text !== undefined && !match(expect.text, result.text, new Map())) failures.push(`text ${result.text}`)
  if (expect.usage) {
    const { promptTokens, completionTokens } = result.usage
    const sums = { inputTokens: promptTokens, outputTokens: completionTokens }
    if (!match(expect.usage, sums, new Map())) failures.push(`usage ${JSON.stringify(sums)}`)
  }
  return failures
}

function ranFailures(expect: Expect, { ran }: Played): string[] {
  if (!expect.toolCalls || match(expect.toolCalls, ran, new Map())) return []
  return [`tools that ran: ${JSON.stringify(ran)}`]
}

function requestFailures(expect: Expect, { endpoint }: Played): string[] {
  const { requests } = endpoint
  const failures: string[] = []
  if (expect.requestCount !== undefined && requests.length !== expect.requestCount) {
    failures.push(`${requests.length} requests in place of ${expect.requestCount}`)
  }
  let names: Names = new Map()
  for (const wanted of expect.requests ?? []) {
    const sent = requests[wanted.n - 1]
    if (!sent) {
      failures.push(`no request ${wanted.n}`)
      continue
    }
    const found = matchSequence(wanted.sequence ?? [], sent.body?.messages ?? [], names)
    if (!found) failures.push(`request ${wanted.n} lacks the sequence: ${JSON.stringify(sent.body?.messages)}`)
    names = found ?? names
    const json = JSON.stringify(sent.body)
    for (const part of wanted.has ?? [])
      if (!pattern(part).test(json)) failures.push(`request ${wanted.n} lacks /${part}/`)
    for (const part of wanted.lacks ?? [])
      if (pattern(part).test(json)) failures.push(`request ${wanted.n} has /${part}/`)
    if (isObject(wanted.body) && !match(wanted.body, sent.body, names))
      failures.push(`request ${wanted.n}: body ${json}`)
    const headers = Object.entries(sent.headers).map(([name, value]) => `${name}: ${value}`)
    const hasHeader = (part: string) => headers.some((line) => pattern(part).test(line))
    for (const part of wanted.headersHave ?? []) if (!hasHeader(part)) failures.push(`no header /${part}/`)
    for (const part of wanted.headersLack ?? []) if (hasHeader(part)) failures.push(`a header /${part}/`)
  }
  return failures
}

function pattern(text: string): RegExp {
  return new RegExp(text.replace(/^\(\?i\)/, ""), "i")
}
