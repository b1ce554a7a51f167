import { answerOutput, type Request } from "../../index.ts"
import type { ChoiceConfig } from "./choice.ts"
import { choose, chooseSeveral, type Dialogue, type Step, type } from "./dialogue.ts"
import { type Drafts, ONLY_FIELD } from "./drafts.ts"
import { escapeLine } from "./escape.ts"
import { type AskedQuestion, questionsOf } from "./request-data.ts"

const OTHER = "Other: type an answer"

/** One question gives its label or text (a JSON list where several may be taken); several give a JSON list in order. */
export function* questionDialogue(request: Request, drafts: Drafts): Dialogue {
  const questions = questionsOf(request)
  const [only] = questions
  if (questions.length === 1 && only) {
    const given = yield* askOne(only, "Your answer", ONLY_FIELD, drafts)
    return answerOutput(request.id, typeof given === "string" ? given : JSON.stringify(given))
  }
  const all: (string | string[])[] = []
  for (const [at, question] of questions.entries()) {
    all.push(yield* askOne(question, `Question ${at + 1} of ${questions.length}`, String(at), drafts))
  }
  return answerOutput(request.id, JSON.stringify(all))
}

type Asked<Value> = Generator<Step, Value, unknown>

function* askOne(question: AskedQuestion, label: string, key: string, drafts: Drafts): Asked<string | string[]> {
  const { options, take } = question
  if (options.length === 0) {
    const text = yield* typeOther(label, key, drafts, "nothing")
    return take === "several" ? [text ?? ""] : (text ?? "")
  }
  const shown = [...options.map((option) => escapeLine(option.label)), OTHER]
  // Esc in the field leads back to the choice.
  while (true) {
    const taken = yield* chosen({ label, options: shown, take })
    const labels = taken.flatMap((at) => options[at]?.label ?? [])
    const typed = taken.includes(options.length) ? yield* typeOther(label, key, drafts, "back") : ""
    if (typed === undefined) continue
    const given = typed === "" ? labels : [...labels, typed]
    return take === "several" ? given : (given[0] ?? "")
  }
}

function* chosen({ take, ...config }: ChoiceConfig): Asked<readonly number[]> {
  if (take === "several") return yield* chooseSeveral({ ...config, take })
  return [yield* choose({ ...config, take })]
}

function* typeOther(
  label: string,
  key: string,
  drafts: Drafts,
  onEscape: "back" | "nothing",
): Asked<string | undefined> {
  const value = yield* type({ label, start: drafts[key] ?? "", shown: "plain", escape: onEscape }, key)
  return value.how === "sent" ? value.text : undefined
}
