import type { Request } from "../../index.ts"
import { shellQuote } from "../output/resume-command.ts"
import { expectationOf } from "../terminal/expectation.ts"
import { type FormField, formIn, sampleOf, wordsOf } from "../terminal/form-fields.ts"
import { jsonText } from "../terminal/json-text.ts"
import { shortened } from "../words/shortened.ts"
import { isInDoubt } from "./answer-flags.ts"

/** A line or two of a terminal. */
const SHORT = 160

/**
 * Some lines for each open request: what is asked and about what, what may be answered, and the option that answers it
 * without a terminal. Its id is named where that option needs it.
 *
 * @param look `extent`: `short` for the end of a run, `whole` for `runs show`; `writer`: while one is at work it takes no
 *   answer of others; `nowMs`: what is expired takes none either
 */
export function openRequestLines(open: readonly Request[], look: Partial<Look> = {}): string[] {
  const { extent = "short", writer = "none", nowMs = Date.now() } = look
  const cut = extent === "short" ? (text: string) => shortened(text, SHORT) : (text: string) => text
  return open.flatMap((request) => {
    const facts = [...aboutCalls(request), ...answerFacts(request)]
    const how = howToAnswer(request, open.length === 1 ? "alone" : "one of several")
    const isExpired = request.expiresAt !== undefined && Date.parse(request.expiresAt) <= nowMs
    return [
      ...promptLines(request.prompt, extent).map((line) => `  ${line}`),
      ...facts.flatMap(([name, text]) => below(`    ${name}: `, cut(text))),
      ...(extent === "whole" ? below("    id: ", `${request.id} (${request.kind})`) : []),
      ...(isExpired ? ["    expired: it takes no answer any more, and a resume goes on without one"] : []),
      ...(isExpired || writer === "at work" ? [] : [`    answer with: ${how}`]),
    ]
  })
}

/** Short, how it begins and, where it has several paragraphs, how it ends: conditions stand there. */
function promptLines(prompt: string, extent: Look["extent"]): string[] {
  if (extent === "whole") return prompt.split("\n")
  const [first = "", ...others] = prompt.split(/\n{2,}/)
  const last = others.at(-1)
  return [first, ...(last === undefined ? [] : [last])].map((part) => shortened(part, SHORT))
}

interface Look {
  extent: "short" | "whole"
  writer: "none" | "at work"
  nowMs: number
}

/** Further lines stand below the first, and further in: none passes for one of ours. */
function below(start: string, text: string): string[] {
  const [first = "", ...more] = text.split("\n")
  return [start + first, ...more.map((line) => `${" ".repeat(start.length)}${line}`)]
}

type Fact = readonly [name: string, text: string]

interface ShownCall {
  id?: unknown
  name?: unknown
  input?: unknown
  origin?: unknown
}

/** What the answer decides about, where the prompt alone does not say it. */
function aboutCalls(request: Request): Fact[] {
  const { data, url, expiresAt } = request
  const call = data?.call as ShownCall | undefined
  const calls = call ? [call] : callsOf(request)
  const agent = Array.isArray(data?.agent) && data.agent.length > 1 ? String(data.agent.at(-1)) : undefined
  return [
    ...calls.flatMap(aboutCall),
    ...(url === undefined ? [] : [["at", url] as const]),
    ...(agent === undefined ? [] : [["asked by", agent] as const]),
    ...(expiresAt === undefined ? [] : [["until", expiresAt] as const]),
  ]
}

function aboutCall({ name, input, origin }: ShownCall): Fact[] {
  const members = (typeof input === "object" && input !== null ? input : {}) as Record<string, unknown>
  // The built-in's arguments are the question.
  if (name === "question") return []
  if (name === "bash" && typeof members.command === "string") return [["command", members.command]]
  const server = typeof origin === "object" && origin !== null && "server" in origin ? String(origin.server) : undefined
  const call: Fact = ["call", `${String(name)} ${jsonText(input ?? {})}`]
  return server === undefined ? [call] : [call, ["MCP server", server]]
}

function callsOf({ data }: Request): ShownCall[] {
  return Array.isArray(data?.calls) ? (data.calls as ShownCall[]) : []
}

interface AskedQuestion {
  question?: unknown
  options?: { label?: unknown }[]
  multiple?: unknown
}

/** What may be answered. */
function answerFacts(request: Request): Fact[] {
  const questions = questionsOf(request)
  if (questions.length > 0) {
    return questions.flatMap(({ question, options }, at): Fact[] => {
      const labels = (Array.isArray(options) ? options : []).map((option) => String(option?.label))
      const choices: Fact[] = labels.length === 0 ? [] : [["choices", `${labels.join(", ")}; or any text`]]
      return questions.length === 1 ? choices : [[`question ${at + 1}`, String(question)], ...choices]
    })
  }
  const form = formIn(request.data?.schema)
  if (form) return form.map((field): Fact => ["field", `${field.name}: ${factOf(field)}`])
  const expected = expectationOf(request.data?.schema)
  if (expected === undefined) return []
  return [expected.choices ? ["choices", expected.choices.join(", ")] : ["expected", expected.words]]
}

function factOf(field: FormField): string {
  const asked = [
    ...(field.title === field.name ? [] : [field.title]),
    ...(field.description ? [field.description] : []),
  ]
  return asked.length === 0 ? wordsOf(field) : `${wordsOf(field)}: ${asked.join(": ")}`
}

function questionsOf({ kind, data }: Request): AskedQuestion[] {
  return kind === "question" && Array.isArray(data?.questions)
    ? data.questions.filter((entry) => typeof entry === "object" && entry !== null)
    : []
}

/** What `ID=TEXT` can name. */
const ADDRESSABLE = /^[A-Za-z0-9_.:-]+$/

/** The list of answers as its file holds it; nothing in it means anything to a shell between single quotes. */
function answersFile(request: Request): string {
  const { id, kind } = request
  const calls = callsOf(request)
  const results = calls.map((call) => ({ id: String(call.id), output: "TEXT" }))
  const data = calls.length > 1 ? { results } : { output: kind === "approval" ? "approved" : "TEXT" }
  return `--answers FILE.json, which holds '${asciiJson([{ id, ok: true, data }])}'`
}

function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(/[^ -~]|['$`!]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
  })
}

/** The option that answers a request without a terminal. */
function howToAnswer(request: Request, open: "alone" | "one of several"): string {
  const { kind } = request
  const id = shellQuote(request.id)
  const given = (text: string) => (open === "alone" ? `--answer ${text}` : `--answer ${id}=${text}`)
  if (isInDoubt(request)) return "--in-doubt rerun or --in-doubt unknown"
  if (kind === "secret" && request.id.includes("=")) return answersFile(request)
  if (kind === "secret") return `--answer-env ${id}=VARIABLE`
  if (open === "one of several" && !ADDRESSABLE.test(request.id)) return answersFile(request)
  if (kind === "approval" && open === "alone") return "--approve or --decline"
  if (kind === "approval") return `${given("yes")} or ${given("no")}`
  if (kind === "authorization") return `${given("done")}, once it is done`
  if (kind === "tool_call" && callsOf(request).length > 1) return answersFile(request)
  if (kind === "tool_call") return given("RESULT")
  const [first, ...others] = questionsOf(request)
  if (first?.multiple === true || others.length > 0) return given(`'["TEXT","TEXT"]'`)
  const form = formIn(request.data?.schema)
  return form ? given(shellQuote(JSON.stringify(sampleOf(form)))) : given("TEXT")
}
