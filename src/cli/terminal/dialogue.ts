import type { Answer } from "../../index.ts"
import { type ChoiceConfig, choicePrompt } from "./choice.ts"
import { type FieldConfig, type FieldValue, fieldPrompt } from "./field.ts"
import { type Line, said } from "./passage.ts"
import type { Prompt } from "./prompt.ts"

/** One step of a dialogue: text to show first, a prompt, and where its draft is kept. */
export interface Step {
  text: readonly Line[]
  /** What the prompt shows itself, where it has the room; else it is shown with the text. */
  details: readonly Line[]
  prompt: Prompt
  draftKey: string
}

/**
 * What is asked for one request, step by step: it yields steps, is given their values and returns the answer. It knows no
 * terminal, and leaving early (Ctrl-C, Ctrl-D, a stop) is not its business.
 */
export type Dialogue = Generator<Step, Answer | "later", unknown>

export function* choose(
  config: ChoiceConfig & { take: "one" },
  text: readonly Line[] = [],
  details: readonly Line[] = [],
): Generator<Step, number, unknown> {
  return (yield { text, details: whole(config, details), prompt: choicePrompt(config), draftKey: "" }) as number
}

export function* chooseSeveral(
  config: ChoiceConfig & { take: "several" },
  text: readonly Line[] = [],
  details: readonly Line[] = [],
): Generator<Step, readonly number[], unknown> {
  return (yield { text, details, prompt: choicePrompt(config), draftKey: "" }) as readonly number[]
}

/** Where the list has no room for all of it, it is shown above. */
function whole({ label, options }: ChoiceConfig, details: readonly Line[]): readonly Line[] {
  if (details.length > 0) return details
  return [said(`  ${label}`), ...options.map((option, at) => ({ ...said(`${at + 1}. ${option}`), margin: "    " }))]
}

/** @param draftKey under which what is typed and not sent is kept for the next time */
export function* type(
  config: FieldConfig,
  draftKey: string,
  text: readonly Line[] = [],
): Generator<Step, FieldValue, unknown> {
  return (yield { text, details: [], prompt: fieldPrompt(config), draftKey }) as FieldValue
}
