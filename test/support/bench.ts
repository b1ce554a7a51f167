import {
  type ClientOptions,
  createClient,
  createGate,
  createToolkit,
  defineTool,
  type Gate,
  type Journal,
  type Limits,
  memoryJournal,
  type Request,
  type RunResult,
  type StyleName,
  type Tool,
} from "../../src/index.ts"
import { replyCalls, type ScriptedEndpoint, type Step, scriptedEndpoint } from "./scripted-endpoint.ts"

/** What a run against a scripted endpoint is made with, and what it did. */
export interface Bench {
  style: StyleName
  endpoint: ScriptedEndpoint
  journal: Journal
  /** The texts that `note` was called with, in order. */
  noted: string[]
  run(): Promise<RunResult>
  resume(limits: Limits): Promise<RunResult>
}

export function callOf({ data }: Pick<Request, "data">): { id?: string; input?: unknown } {
  return data?.call ?? {}
}

export const ask: Gate = createGate({ rules: [{ effect: "ask", rule: "note" }] })

export async function bench(
  style: StyleName,
  steps: readonly Step[],
  options: Partial<ClientOptions> = {},
  tools: readonly Tool[] = [],
): Promise<Bench & AsyncDisposable> {
  const endpoint = await scriptedEndpoint(steps).listen()
  const noted: string[] = []
  const note = defineTool({
    name: "note",
    description: "notes",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    run: ({ text }: { text: string }) => {
      noted.push(text)
      return `noted ${text}`
    },
  })
  const toolkit = await createToolkit({ extraTools: [note, ...tools] })
  const journal = memoryJournal()
  const client = createClient({ baseUrl: endpoint.baseUrl, style, model: "m", ...options })
  return {
    style,
    endpoint,
    journal,
    noted,
    run: () => client.run("go", { toolkit, journal }),
    resume: (limits) => client.resume(journal, [], { toolkit, limits }),
    [Symbol.asyncDispose]: () => endpoint.close(),
  }
}

export const notes = (...texts: string[]): Step =>
  replyCalls(texts.map((text, at) => ({ id: `c${at + 1}`, name: "note", arguments: { text } })))
export const many = (count: number): Step => notes(...Array.from({ length: count }, (_, at) => `n${at + 1}`))

/** The results that the endpoint was sent last, by call. */
export function sentResults({ style, endpoint }: Bench): Map<string, string> {
  const messages: Record<string, unknown>[] = endpoint.requests.at(-1)?.body.messages ?? []
  const blocks =
    style === "openai" ? messages : messages.flatMap(({ content }) => (Array.isArray(content) ? content : []))
  const results = blocks.filter((block) => block.role === "tool" || block.type === "tool_result")
  return new Map(
    results.map((block) => [String(block.tool_call_id ?? block.tool_use_id), JSON.stringify(block.content)]),
  )
}
