import type { Request } from "../../index.ts"
import { isRecord } from "../is-record.ts"
import { escapeLine, escapeText } from "./escape.ts"
import { expectationOf } from "./expectation.ts"
import { formIn } from "./form-fields.ts"
import { jsonText } from "./json-text.ts"
import { type Line, quoted, said } from "./passage.ts"
import { type AskedCall, type AskedQuestion, agentOf, callOf, questionsOf, relaysOf } from "./request-data.ts"

/**
 * Everything that the answer to a request decides about, harmless and in full.
 *
 * @param cwd the folder that tools work in
 */
export function describe(request: Request, cwd: string): Line[] {
  const call = callOf(request)
  return [
    said(""),
    said(titleOf(request, call), "strong"),
    ...(saysNoMore(request, call) ? [] : quoted(escapeText(request.prompt))),
    ...(request.url === undefined ? [] : [said("  at:"), ...quoted(escapeLine(request.url))]),
    ...(call ? callLines(request, call) : []),
    ...relaysOf(request).flatMap((relay) => relayLines(relay.name, relay.input)),
    ...(call ? historyLines(call) : []),
    ...changeLines(request, call),
    ...ruleLines(request, call),
    ...otherLines(request.data ?? {}, call),
    ...whereLines(request, cwd),
  ]
}

function titleOf(request: Request, call: AskedCall | undefined): string {
  const who = call ? escapeLine(call.name) : "The run"
  switch (request.kind) {
    case "approval":
      return call?.by === "gate" ? `May ${who} run?` : `${who} asks for approval`
    case "secret":
      return `${who} asks for a secret (shown as stars, kept in this process only)`
    case "authorization":
      return `${who} needs something done at an address`
    case "tool_call":
      return "The model calls what only you can carry out"
    case "in_doubt":
      return `In doubt: ${who} was started, and the process ended before its result was recorded`
    case "input":
    case "question":
      return call === undefined || call.name === "question" ? "A question" : `A question from ${who}`
    default: // a limit is the command's own question; a tool that uses the word is named
      return call === undefined && request.kind === "limit"
        ? "A limit is reached"
        : `${who} asks (${escapeLine(request.kind)})`
  }
}

/** The gate asks in the words of the title, unless a rule or hook has words of its own. */
function saysNoMore({ kind, prompt }: Request, call: AskedCall | undefined): boolean {
  return kind === "approval" && call?.by === "gate" && prompt === `Allow ${call.name}?`
}

/** What a call would change, or why it cannot: said by its tool, to the gate. */
function changeLines({ data }: Request, call: AskedCall | undefined): Line[] {
  if (call?.by !== "gate") return []
  const { diff, problem } = data ?? {}
  if (typeof problem === "string") return [said("  it cannot be done now:", "problem"), ...quoted(escapeText(problem))]
  return typeof diff === "string"
    ? [said("  changes:"), ...quoted(escapeText(diff.replace(/\n$/, ""))).map(coloured)]
    : []
}

function coloured(line: Line): Line {
  const look = line.text.startsWith("+") ? "added" : line.text.startsWith("-") ? "removed" : line.look
  return { ...line, look }
}

function callLines(request: Request, call: AskedCall): Line[] {
  const server = call.server === undefined ? [] : [said(`  MCP server: ${escapeLine(call.server)}`)]
  if (call.name === "bash" && isRecord(call.input) && typeof call.input.command === "string") {
    const { command, ...others } = call.input
    return [said("  command:"), ...quoted(escapeText(command)), ...memberLines("other arguments", others), ...server]
  }
  return [...argumentLines(inputToShow(request, call)), ...server]
}

/** A tool's own question is made from its arguments: what is shown as the question is not shown again as one of them. */
function inputToShow({ kind, prompt, data }: Request, { by, input }: AskedCall): unknown {
  if (by === "gate" && typeof data?.diff === "string") return withoutShown(input, data.diff)
  if (by !== "tool" || kind === "approval" || !isRecord(input)) return input
  const shown = [prompt, data?.questions].map((part) => JSON.stringify(part))
  const others = Object.entries(input).filter(([, value]) => !shown.includes(JSON.stringify(value)))
  return others.length === 0 ? undefined : Object.fromEntries(others)
}

/** What a diff shows is not shown again as an argument. */
function withoutShown(input: unknown, diff: string): unknown {
  if (!isRecord(input)) return input
  const shown = new Set(diff.split("\n").map((line) => line.slice(1)))
  const isShown = (value: unknown) =>
    typeof value === "string" && (value === diff || value.split("\n").every((line) => line === "" || shown.has(line)))
  const others = Object.entries(input).filter(([, value]) => !isShown(value))
  return others.length === 0 ? undefined : Object.fromEntries(others)
}

/** A relayed call: its tool, and its arguments. */
export function relayLines(name: string, input: unknown): Line[] {
  return [said(`  tool: ${escapeLine(name)}`), ...argumentLines(input)]
}

/** Arguments as they will run; the tool is named in the title. */
function argumentLines(input: unknown): Line[] {
  if (input === undefined) return []
  if (!isRecord(input)) return [said("  arguments:"), ...quoted(escapeText(jsonOf(input)))]
  return Object.keys(input).length === 0 ? [said("  arguments: none")] : memberLines("arguments", input)
}

/** One line a member, a text of several lines as it is; all behind the margin, so that no member passes for a line of ours. */
function memberLines(label: string, members: Record<string, unknown>): Line[] {
  const lines = Object.entries(members).flatMap(([name, value]) => {
    const text = escapeText(typeof value === "string" && value.includes("\n") ? value : jsonOf(value))
    if (!text.includes("\n")) return quoted(`${escapeLine(name)}: ${text}`)
    return [...quoted(`${escapeLine(name)}:`), ...quoted(text).map(within)]
  })
  return lines.length === 0 ? [] : [said(`  ${label}:`), ...lines]
}

/** A question of a request, before it is asked; of the only one the prompt may have said all. */
export function questionLines(request: Request, at: number): Line[] {
  const questions = questionsOf(request)
  const asked = questions[at]
  if (!asked) return []
  const one = questions.length === 1
  const label = one ? "  question:" : `  question ${at + 1} of ${questions.length}:`
  return one && asked.question === request.prompt ? [] : [said(label), ...quoted(escapeText(asked.question))]
}

/** Options in full, for where the list of them has no room for that. */
export function optionLines(options: AskedQuestion["options"]): Line[] {
  return options.flatMap(({ label, description }, index) => [
    { margin: "    ", text: `${index + 1}. ${escapeLine(label)}`, look: "plain" },
    ...(description === undefined ? [] : quoted(escapeText(description)).map(deeper)),
  ])
}

function historyLines({ answers, notes }: AskedCall): Line[] {
  return [
    ...answers.flatMap((answer) => [said("  answered before:"), ...quoted(escapeText(jsonOf(answer)))]),
    ...notes.flatMap((note) => [said("  noted before:"), ...quoted(escapeText(String(note)))]),
  ]
}

/** Why the gate asks. */
function ruleLines({ data }: Request, call: AskedCall | undefined): Line[] {
  const { rule } = data ?? {}
  return call?.by === "gate" && typeof rule === "string"
    ? [said("  the rule that asks:"), ...quoted(escapeText(rule))]
    : []
}

const SHOWN_ELSEWHERE = new Set(["call", "calls", "questions", "agent", "digest"])
/** What the gate put there is shown as what it is. */
const OF_THE_GATE = new Set(["rule", "diff", "basis", "problem"])

/** What the tool put into the request besides: the answer may depend on it. */
function otherLines(data: Record<string, unknown>, call: AskedCall | undefined): Line[] {
  const others = Object.entries(data).filter(
    ([name, value]) =>
      !SHOWN_ELSEWHERE.has(name) &&
      !(OF_THE_GATE.has(name) && call?.by === "gate") &&
      !(name === "schema" && (expectationOf(value)?.says === "all" || formIn(value))),
  )
  return memberLines("also", Object.fromEntries(others))
}

/** The kinds whose answer is words: in no folder does anything happen that the person allows. */
const ASKS_ONLY: ReadonlySet<string> = new Set(["input", "question", "secret", "authorization", "limit"])

function whereLines(request: Request, cwd: string): Line[] {
  const agent = agentOf(request)
  return [
    ...(ASKS_ONLY.has(request.kind)
      ? []
      : [{ margin: "  ", text: `folder: ${escapeLine(cwd)}`, look: "plain" as const }]),
    ...(agent === undefined ? [] : [{ margin: "  ", text: `asked by: ${escapeLine(agent)}`, look: "plain" as const }]),
    ...(request.expiresAt === undefined ? [] : [said(`  until: ${escapeLine(request.expiresAt)}`)]),
  ]
}

/** A line of a member, behind its name. */
function within(line: Line): Line {
  return { ...line, margin: `${line.margin}  ` }
}

/** A line about an option, below it. */
function deeper(line: Line): Line {
  return { ...line, margin: `     ${line.margin}` }
}

const SHORT = 60

function jsonOf(value: unknown): string {
  const line = jsonText(value)
  return line.length <= SHORT ? line : jsonText(value, 2)
}
