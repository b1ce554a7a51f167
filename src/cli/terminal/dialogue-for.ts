import { answerDeclined, answerOutput, answerResults, type Request } from "../../index.ts"
import { type AnswerSchema, loadAnswerSchema } from "./answer-schema.ts"
import type { Approvable } from "./approvable.ts"
import { approvalDialogue } from "./approval.ts"
import { optionLines, relayLines } from "./describe.ts"
import { choose, type Dialogue, type } from "./dialogue.ts"
import { type Drafts, ONLY_FIELD } from "./drafts.ts"
import { escapeLine } from "./escape.ts"
import type { FieldConfig } from "./field.ts"
import { formDialogue, loadForm } from "./form.ts"
import { formIn } from "./form-fields.ts"
import { said } from "./passage.ts"
import { questionDialogue } from "./question.ts"
import { digestOf, questionsOf, relaysOf } from "./request-data.ts"

export type DialogueFor = (drafts: Drafts) => Dialogue

/**
 * What is asked for a request, by its kind; a promise only where a schema has to be compiled first.
 *
 * @param approvable of the call that the gate asks about, where this process could run it
 */
export function dialogueFor(request: Request, approvable?: Approvable): DialogueFor | Promise<DialogueFor> {
  if (request.kind === "approval") return (drafts) => approvalDialogue(request, drafts, approvable)
  if (request.kind === "authorization") return () => authorizationDialogue(request)
  if (request.kind === "in_doubt") return () => inDoubtDialogue(request)
  if (request.kind === "secret") return () => textDialogue(request, {}, "secret", undefined)
  if (request.kind === "tool_call" && relaysOf(request).length > 0) return (drafts) => relayDialogue(request, drafts)
  if (request.kind === "question" && questionsOf(request).length > 0)
    return (drafts) => questionDialogue(request, drafts)
  if (request.data?.schema === undefined) return (drafts) => textDialogue(request, drafts, "plain", undefined)
  const { schema: given } = request.data
  const fields = formIn(given)
  if (fields) return loadForm(fields, given).then((form) => (drafts) => formDialogue(request, form, drafts))
  return loadAnswerSchema(given).then(
    (schema) => (drafts) =>
      schema?.choices ? enumDialogue(request, schema.choices) : textDialogue(request, drafts, "plain", schema),
  )
}

function* textDialogue(
  request: Request,
  drafts: Drafts,
  shown: FieldConfig["shown"],
  schema: AnswerSchema | undefined,
): Dialogue {
  const text = schema ? [said(`  expected: ${escapeLine(schema.expects)}`)] : []
  const start = shown === "secret" ? "" : (drafts[ONLY_FIELD] ?? "")
  const config: FieldConfig = {
    label: shown === "secret" ? "The secret" : "Your answer",
    start,
    shown,
    escape: "nothing",
  }
  const { text: typed } = yield* type(schema ? { ...config, problemOf: schema.problemOf } : config, ONLY_FIELD, {
    text,
  })
  return answerOutput(request.id, schema ? schema.outputOf(typed) : typed)
}

function* enumDialogue(request: Request, choices: readonly string[]): Dialogue {
  const options = choices.map(escapeLine)
  const details = optionLines(choices.map((label) => ({ label, description: undefined })))
  const at = yield* choose({ label: "Your answer", options, take: "one" }, { details })
  return answerOutput(request.id, choices[at] ?? "")
}

function* authorizationDialogue(request: Request): Dialogue {
  const at = yield* choose({ label: "Is it done?", options: ["Done", "Decline", "Later"], take: "one" })
  if (at === 2) return "later"
  return at === 0 ? { id: request.id, ok: true } : answerDeclined(request.id)
}

function* inDoubtDialogue(request: Request): Dialogue {
  const options = ["Run it again", "Leave it: the outcome is unknown", "Later"]
  const at = yield* choose({ label: "What now?", options, take: "one" })
  if (at === 2) return "later"
  const digest = digestOf(request)
  if (at === 1) return answerDeclined(request.id)
  return { id: request.id, ok: true, ...(digest === undefined ? {} : { data: { digest } }) }
}

function* relayDialogue(request: Request, drafts: Drafts): Dialogue {
  const relays = relaysOf(request)
  const [only] = relays
  const field = (label: string, start: string | undefined): FieldConfig => ({
    label,
    start: start ?? "",
    shown: "plain",
    escape: "nothing",
  })
  if (relays.length === 1 && only) {
    const { text } = yield* type(field(`The output of ${escapeLine(only.name)}`, drafts[ONLY_FIELD]), ONLY_FIELD)
    return answerOutput(request.id, text)
  }
  const results: { id: string; output: string }[] = []
  for (const [at, { id, name, input }] of relays.entries()) {
    const label = `The output of ${escapeLine(name)} (${at + 1} of ${relays.length})`
    const { text } = yield* type(field(label, drafts[at]), String(at), {
      text: at === 0 ? [] : relayLines(name, input),
    })
    results.push({ id, output: text })
  }
  return answerResults(request.id, results)
}
