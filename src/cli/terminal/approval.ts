import { type Answer, answerDeclined, answerOutput, type Request } from "../../index.ts"
import { isRecord } from "../is-record.ts"
import type { Approvable } from "./approvable.ts"
import { choose, type Dialogue, known, type Shown, type Step, type } from "./dialogue.ts"
import type { Drafts } from "./drafts.ts"
import { areSame, argumentsText, problemOfArguments, withArguments } from "./edited-arguments.ts"
import { escapeLine, escapeText } from "./escape.ts"
import { type Line, quoted, said } from "./passage.ts"
import { callOf, digestOf } from "./request-data.ts"

type Choice = "once" | "run" | "always" | "edit" | "decline" | "note" | "later"

const LABELS: Readonly<Record<Choice, string>> = {
  once: "Approve once",
  run: "Approve, and the same call for the rest of this run",
  always: "Always approve (a rule is shown, tried and saved)",
  edit: "Edit the arguments (they are shown again)",
  decline: "Decline",
  note: "Decline with a note",
  later: "Later",
}

/** A gate's question can be widened and its call edited; a tool's own is a yes or a no. */
const CHOICES: Readonly<Record<"gate" | "tool", readonly Choice[]>> = {
  gate: ["once", "run", "always", "edit", "decline", "note", "later"],
  tool: ["once", "decline", "note", "later"],
}

const EDITED = "  (with the arguments as you edited them)"
const UNEDITED = "  (with the arguments as they came: nothing was edited)"

/** The call that is asked about, as it would run. */
interface Asked {
  request: Request
  approvable: Approvable | undefined
}

/** @param approvable of the call that the gate asks about, where this process could run it */
export function* approvalDialogue(request: Request, drafts: Drafts, approvable: Approvable | undefined): Dialogue {
  const fields = { note: drafts.note ?? "", edit: drafts.edit, rule: drafts.rule }
  let asked: Asked = { request, approvable }
  let shown: Shown = {}
  while (true) {
    const choice = yield* chosen(asked, shown)
    shown = {}
    switch (choice) {
      case "later":
        return "later"
      case "decline":
        return answerDeclined(request.id)
      case "note": {
        const label = "Why not? (the model is told)"
        const { how, text } = yield* type({ label, start: fields.note, shown: "plain", escape: "back" }, "note")
        if (how === "sent") return { ...answerDeclined(request.id), data: { note: text } }
        fields.note = text
        break
      }
      case "edit": {
        const edit = yield* editArguments(asked, fields.edit)
        fields.edit = edit.text
        if (edit.type === "shown by the gate") return approved(request, edit.input)
        if (edit.type === "left") break
        const isEdited = !areSame(edit.input, callOf(request)?.input)
        asked = isEdited
          ? { request: withArguments(request, edit.input), approvable: edit.approvable }
          : { request, approvable }
        shown = { about: asked.request, text: [said(isEdited ? EDITED : UNEDITED)] }
        break
      }
      case "always": {
        const saved = yield* saveRule(asked.approvable, fields.rule)
        if (saved.type === "saved") return approved(request, callOf(asked.request)?.input)
        fields.rule = saved.text
        shown = { text: saved.lines }
        break
      }
      default:
        return approved(request, callOf(asked.request)?.input, choice === "run" ? { grant: "run" } : {})
    }
  }
}

function* chosen({ request, approvable }: Asked, shown: Shown): Generator<Step, Choice, unknown> {
  const call = callOf(request)
  const choices = CHOICES[call?.by === "gate" ? "gate" : "tool"].filter(
    (choice) => choice !== "always" || approvable?.rule !== undefined,
  )
  const label = call?.by === "gate" ? `Run ${escapeLine(call.name)}?` : "Approve?"
  const at = yield* choose({ label, options: choices.map((choice) => LABELS[choice]), take: "one" }, shown)
  return choices[at] ?? "later"
}

type Edit =
  | { type: "edited"; text: string; input: Record<string, unknown>; approvable: Approvable | undefined }
  | { type: "shown by the gate"; text: string; input: Record<string, unknown> }
  | { type: "left"; text: string }

/** Until they could run, or the person goes back. */
function* editArguments({ request, approvable }: Asked, draft: string | undefined): Generator<Step, Edit, unknown> {
  const label = "The arguments as JSON; Enter shows the call again"
  const unedited = callOf(request)?.input
  let start = draft ?? argumentsText(unedited)
  let problem: { problem?: string } = {}
  while (true) {
    const config = { label, start, shown: "plain", escape: "back", problemOf: problemOfArguments, ...problem } as const
    const { how, text } = yield* type(config, "edit")
    start = text
    if (how === "back") return { type: "left", text }
    const input: Record<string, unknown> = JSON.parse(text)
    if (areSame(input, unedited) || !approvable) return { type: "edited", text, input, approvable }
    const outcome = yield* known(approvable.edited(input))
    if (!outcome.fits) problem = { problem: outcome.why }
    else if (outcome.shown === "by the gate") return { type: "shown by the gate", text, input }
    else return { type: "edited", text, input, approvable: outcome.call }
  }
}

type Saved = { type: "saved" } | { type: "left"; text: string; lines: readonly Line[] }

/** A rule is saved once what it does was on the screen: one that was typed is tried and shown before. */
function* saveRule(approvable: Approvable | undefined, draft: string | undefined): Generator<Step, Saved, unknown> {
  let rule = draft ?? approvable?.rule ?? ""
  while (approvable) {
    const outcome = yield* known(approvable.tryRule(rule))
    const problem = outcome.saves ? {} : { problem: `Not saved: ${outcome.why}.` }
    const label = outcome.saves
      ? "The rule; Enter saves it and approves (one that you changed is shown first)"
      : "The rule; Enter tries it"
    const text = outcome.saves
      ? [
          ...heading("  it allows, from now on and in every folder:", outcome.lets),
          said(`  saved in: ${escapeLine(outcome.file)}`),
        ]
      : []
    const value = yield* type({ label, start: rule, shown: "plain", escape: "back", ...problem }, "rule", { text })
    const isAsShown = value.text.trim() === rule.trim()
    rule = value.text
    if (value.how === "back") return { type: "left", text: rule, lines: [] }
    if (!outcome.saves || !isAsShown) continue
    const failure = yield* known(approvable.saveRule(rule))
    if (failure === undefined) return { type: "saved" }
    return {
      type: "left",
      text: rule,
      lines: [said("  The rule was not saved:", "problem"), ...quoted(escapeText(failure))],
    }
  }
  return { type: "left", text: rule, lines: [] }
}

function heading(label: string, text: string): Line[] {
  return [said(label), ...quoted(escapeText(text))]
}

/** A tool's own question needs an output; the gate's answer is never handed to the tool. */
function approved(request: Request, input: unknown, more: Record<string, unknown> = {}): Answer {
  const call = callOf(request)
  const digest = digestOf(request)
  const edit = call?.by !== "gate" || areSame(input, call.input) || !isRecord(input) ? {} : { input }
  const data = { ...edit, ...more, ...(digest === undefined ? {} : { digest }) }
  if (call?.by === "gate") return { id: request.id, ok: true, ...(Object.keys(data).length > 0 ? { data } : {}) }
  const answer = answerOutput(request.id, "approved")
  return { ...answer, data: { ...answer.data, ...data } }
}
