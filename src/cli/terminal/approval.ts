import { type Answer, answerDeclined, answerOutput, type Request } from "../../index.ts"
import { isRecord } from "../is-record.ts"
import { choose, type Dialogue, type } from "./dialogue.ts"
import type { Drafts } from "./drafts.ts"
import { escapeLine } from "./escape.ts"
import { callOf, digestOf } from "./request-data.ts"

type Choice = "once" | "run" | "edit" | "decline" | "note" | "later"

const LABELS: Readonly<Record<Choice, string>> = {
  once: "Approve once",
  run: "Approve, and the same call for the rest of this run",
  edit: "Edit the arguments, then approve",
  decline: "Decline",
  note: "Decline with a note",
  later: "Later",
}

/** A gate's question can be widened and its call edited; a tool's own is a yes or a no. */
const CHOICES: Readonly<Record<"gate" | "tool", readonly Choice[]>> = {
  gate: ["once", "run", "edit", "decline", "note", "later"],
  tool: ["once", "decline", "note", "later"],
}

export function* approvalDialogue(request: Request, drafts: Drafts): Dialogue {
  const call = callOf(request)
  const choices = CHOICES[call?.by === "gate" ? "gate" : "tool"]
  const label = call?.by === "gate" ? `Run ${escapeLine(call.name)}?` : "Approve?"
  let note = drafts.note ?? ""
  let edited = drafts.edit ?? JSON.stringify(call?.input ?? {}, undefined, 2)
  while (true) {
    const choice = choices[yield* choose({ label, options: choices.map((each) => LABELS[each]), take: "one" })]
    if (choice === "later") return "later"
    if (choice === "decline") return answerDeclined(request.id)
    if (choice === "note") {
      const value = yield* type(
        { label: "Why not? (the model is told)", start: note, shown: "plain", escape: "back" },
        "note",
      )
      if (value.how === "sent") return { ...answerDeclined(request.id), data: { note: value.text } }
      note = value.text
    } else if (choice === "edit") {
      const start = { label: "The arguments as JSON; Enter approves them", start: edited, shown: "plain" } as const
      const value = yield* type({ ...start, escape: "back", problemOf: problemOfArguments }, "edit")
      if (value.how === "sent") return approved(request, editOf(JSON.parse(value.text), call?.input))
      edited = value.text
    } else {
      return approved(request, choice === "run" ? { grant: "run" } : {})
    }
  }
}

/** A tool's own question needs an output; the gate's answer is never handed to the tool. */
function approved(request: Request, data: Record<string, unknown>): Answer {
  const digest = digestOf(request)
  const all = { ...data, ...(digest === undefined ? {} : { digest }) }
  if (callOf(request)?.by === "gate")
    return { id: request.id, ok: true, ...(Object.keys(all).length > 0 ? { data: all } : {}) }
  const answer = answerOutput(request.id, "approved")
  return { ...answer, data: { ...answer.data, ...all } }
}

/** Arguments that were looked at and left as they are were not edited. */
function editOf(input: unknown, asked: unknown): Record<string, unknown> {
  return JSON.stringify(input) === JSON.stringify(asked) ? {} : { input }
}

function problemOfArguments(text: string): string | undefined {
  try {
    if (!isRecord(JSON.parse(text))) return "The arguments must be a JSON object."
  } catch (error) {
    return `It is not JSON: ${(error as Error).message}`
  }
  const unsafe = wholeNumbersOf(text).find((number) => !Number.isSafeInteger(Number(number)))
  return unsafe === undefined ? undefined : `${unsafe} is too large for a whole number; make it a string.`
}

function wholeNumbersOf(json: string): string[] {
  return (
    json
      .replace(/"(?:[^"\\]|\\.)*"/g, '""')
      .match(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g)
      ?.filter(isWhole) ?? []
  )
}

function isWhole(number: string): boolean {
  return /^-?\d+$/.test(number)
}
