import { answerDeclined, answerOutput, type Request } from "../../index.ts"
import { type AnswerSchema, loadAnswerSchema } from "./answer-schema.ts"
import { optionLines } from "./describe.ts"
import { choose, chooseSeveral, type Dialogue, type Step, type } from "./dialogue.ts"
import { type Drafts, ONLY_FIELD } from "./drafts.ts"
import { escapeLine, escapeText } from "./escape.ts"
import { type FormField, wordsOf } from "./form-fields.ts"
import { jsonText } from "./json-text.ts"
import { type Line, quoted, said } from "./passage.ts"

/** A form whose schemas are compiled. */
export interface Form {
  fields: readonly FieldAsked[]
  /** Why the whole does not fit. */
  problemOf(json: string): string | undefined
}

interface FieldAsked extends FormField {
  check: AnswerSchema | undefined
}

export async function loadForm(fields: readonly FormField[], schema: unknown): Promise<Form> {
  const checks = await Promise.all(fields.map((field) => loadAnswerSchema(field.schema)))
  const whole = await loadAnswerSchema(schema)
  return {
    fields: fields.map((field, at) => ({ ...field, check: checks[at] })),
    problemOf: (json) => whole?.problemOf(json),
  }
}

/** One field after the other; more than one are looked over before they are sent. The answer is their JSON text. */
export function* formDialogue(request: Request, { fields, problemOf }: Form, drafts: Drafts): Dialogue {
  while (true) {
    const content: Record<string, unknown> = {}
    for (const [at, field] of fields.entries()) {
      const given = yield* askField(field, placeOf(at, fields.length), drafts)
      if (given) Object.defineProperty(content, field.name, { value: given.value, enumerable: true })
    }
    const json = JSON.stringify(content)
    const problem = problemOf(json)
    if (fields.length === 1 && problem === undefined) return answerOutput(request.id, json)
    const text = [...summary(fields, content), ...(problem === undefined ? [] : [said(`  ${problem}`, "problem")])]
    const ways = [...(problem === undefined ? [SEND] : []), AGAIN, DECLINE, LATER]
    const way = ways[yield* choose({ label: "Send this?", options: ways, take: "one" }, { text })]
    if (way === SEND) return answerOutput(request.id, json)
    if (way === DECLINE) return answerDeclined(request.id)
    if (way === LATER) return "later"
  }
}

const SEND = "Send"
const AGAIN = "Fill it in again"
const DECLINE = "Decline"
const LATER = "Later"

/** Where a field stands in its form, and where its draft is. */
interface Place {
  label: string
  draftKey(name: string): string
}

function placeOf(at: number, count: number): Place {
  return count === 1
    ? { label: "", draftKey: () => ONLY_FIELD }
    : { label: ` (${at + 1} of ${count})`, draftKey: (name) => name }
}

type Asked<Value> = Generator<Step, Value, unknown>

/** @returns `undefined` where it is left out */
function* askField(field: FieldAsked, place: Place, drafts: Drafts): Asked<{ value: unknown } | undefined> {
  const label = `${escapeLine(field.title)}${place.label}`
  const text = linesOf(field)
  if (field.take === "text")
    return yield* typeField(field, { label, text, draftKey: place.draftKey(field.name) }, drafts)
  const leave = field.need === "optional" ? [LEAVE_OUT] : []
  const labels = [...field.options.map((option) => escapeLine(option.label)), ...leave]
  const details = optionLines(labels.map((each) => ({ label: each, description: undefined })))
  if (field.take === "one") {
    const option = field.options[yield* choose({ label, options: labels, take: "one" }, { text, details })]
    return option && { value: option.value }
  }
  const taken = yield* chooseSeveral({ label, options: labels, take: "several" }, { text, details })
  const values = taken.flatMap((at) => field.options[at] ?? []).map(({ value }) => value)
  return values.length === 0 ? undefined : { value: values }
}

const LEAVE_OUT = "(leave it out)"

function* typeField(
  { need, check, schema, standard }: FieldAsked,
  { label, text, draftKey }: { label: string; text: readonly Line[]; draftKey: string },
  drafts: Drafts,
): Asked<{ value: unknown } | undefined> {
  const start =
    drafts[draftKey] ??
    (standard === undefined ? "" : typeof standard === "string" ? standard : JSON.stringify(standard))
  const empty = need === "optional" ? "is sent" : "is asked again"
  const problemOf = (typed: string) => (typed === "" ? undefined : check?.problemOf(typed))
  const { text: typed } = yield* type({ label, start, shown: "plain", escape: "nothing", empty, problemOf }, draftKey, {
    text,
  })
  if (typed === "") return undefined
  return { value: schema.type === "string" ? typed : JSON.parse(typed) }
}

/** Everything that a field asks for; its options are listed with it. */
function linesOf(field: FieldAsked): Line[] {
  const { title, name, description, take } = field
  const words = take === "text" ? wordsOf(field) : wordsOf({ ...field, take: "text" })
  return [
    said(
      `  ${escapeLine(title === name ? name : `${title} [${name}]`)}: ${escapeLine(take === "text" ? words : needOf(field))}`,
    ),
    ...(description === undefined ? [] : quoted(escapeText(description))),
  ]
}

function needOf({ need, take, standard, schema }: FieldAsked): string {
  const several = take === "several" ? `some of these${limitsOf(schema)}` : "one of these"
  if (need === "needed") return several
  return standard === undefined ? `${several} (optional)` : `${several} (optional, else ${jsonText(standard)})`
}

function limitsOf({ minItems, maxItems }: Record<string, unknown>): string {
  const least = typeof minItems === "number" && minItems > 1 ? `, at least ${minItems}` : ""
  return typeof maxItems === "number" ? `${least}, at most ${maxItems}` : least
}

function summary(fields: readonly FieldAsked[], content: Record<string, unknown>): Line[] {
  const lines = fields.flatMap(({ name, title }) => {
    const value = Object.hasOwn(content, name) ? content[name] : undefined
    const shown = value === undefined ? "(left out)" : typeof value === "string" ? value : jsonText(value)
    return quoted(`${escapeLine(title)}: ${escapeText(shown)}`)
  })
  return [said("  your answers:"), ...lines]
}
