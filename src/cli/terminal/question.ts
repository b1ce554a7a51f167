import { answerOutput, type Request } from "../../index.ts"
import type { ChoiceConfig } from "./choice.ts"
import { optionLines, questionLines } from "./describe.ts"
import { choose, chooseSeveral, type Dialogue, type Step, type } from "./dialogue.ts"
import { type Drafts, ONLY_FIELD } from "./drafts.ts"
import { escapeLine, escapeText } from "./escape.ts"
import type { FieldConfig } from "./field.ts"
import type { Line } from "./passage.ts"
import { type AskedQuestion, questionsOf } from "./request-data.ts"

const OTHER = "Other: type an answer"

/** One question gives its label or text (a JSON list where several may be taken); several give a JSON list in order. */
export function* questionDialogue(request: Request, drafts: Drafts): Dialogue {
  const questions = questionsOf(request)
  const [only] = questions
  if (questions.length === 1 && only) {
    const given = yield* askOne(
      only,
      { label: "Your answer", key: ONLY_FIELD, text: questionLines(request, 0) },
      drafts,
    )
    return answerOutput(request.id, typeof given === "string" ? given : JSON.stringify(given))
  }
  const all: (string | string[])[] = []
  for (const [at, question] of questions.entries()) {
    const label = `Question ${at + 1} of ${questions.length}`
    all.push(yield* askOne(question, { label, key: String(at), text: questionLines(request, at) }, drafts))
  }
  return answerOutput(request.id, JSON.stringify(all))
}

type Asked<Value> = Generator<Step, Value, unknown>

/** How one question is put: its label, where its draft is, and what is shown before it. */
interface Put {
  label: string
  key: string
  text: readonly Line[]
}

function* askOne({ options, take }: AskedQuestion, put: Put, drafts: Drafts): Asked<string | string[]> {
  if (options.length === 0) {
    const typed = (yield* typeAnswer(put, drafts, "nothing")) ?? ""
    return take === "several" ? [typed] : typed
  }
  const shown = [...options.map(({ label }) => escapeLine(label)), OTHER]
  const descriptions = options.map(({ description }) => escapeText(description ?? ""))
  let { text } = put
  let details: readonly Line[] = optionLines(options)
  // Esc in the field leads back to the choice.
  while (true) {
    const taken = yield* chosen({ label: put.label, options: shown, descriptions, take }, text, details)
    text = []
    details = []
    const labels = taken.flatMap((at) => options[at]?.label ?? [])
    const typed = taken.includes(options.length) ? yield* typeAnswer({ ...put, text: [] }, drafts, "back") : ""
    if (typed === undefined) continue
    const given = typed === "" ? labels : [...labels, typed]
    return take === "several" ? given : (given[0] ?? "")
  }
}

function* chosen(
  { take, ...config }: ChoiceConfig,
  text: readonly Line[],
  details: readonly Line[],
): Asked<readonly number[]> {
  if (take === "several") return yield* chooseSeveral({ ...config, take }, { text, details })
  return [yield* choose({ ...config, take }, { text, details })]
}

/** @returns `undefined` after Esc */
function* typeAnswer(
  { label, key, text }: Put,
  drafts: Drafts,
  onEscape: FieldConfig["escape"],
): Asked<string | undefined> {
  const config: FieldConfig = { label, start: drafts[key] ?? "", shown: "plain", escape: onEscape }
  const value = yield* type(config, key, { text })
  return value.how === "sent" ? value.text : undefined
}
