import type { Answer, Request } from "../../index.ts"
import { type ChoiceConfig, choicePrompt } from "./choice.ts"
import { type FieldConfig, type FieldValue, fieldPrompt } from "./field.ts"
import { type Line, said } from "./passage.ts"
import type { Prompt } from "./prompt.ts"

/** One step of a dialogue: something is asked, or found out before it goes on. */
export type Step = PromptStep | { type: "wait"; until: Promise<unknown> }

/** Text to show first, a prompt, and where its draft is kept. */
export interface PromptStep {
  type: "prompt"
  /** From here on what is asked about is this: it is shown first, and again when the terminal comes back. */
  about: Request | undefined
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

/** What is shown with a prompt. */
export type Shown = Partial<Pick<PromptStep, "about" | "text" | "details">>

export function* choose(config: ChoiceConfig & { take: "one" }, shown: Shown = {}): Generator<Step, number, unknown> {
  const details = whole(config, shown.details ?? [])
  return (yield step({ ...shown, details }, choicePrompt(config), "")) as number
}

export function* chooseSeveral(
  config: ChoiceConfig & { take: "several" },
  shown: Shown = {},
): Generator<Step, readonly number[], unknown> {
  return (yield step(shown, choicePrompt(config), "")) as readonly number[]
}

/** Where the list has no room for all of it, it is shown above. */
function whole({ label, options }: ChoiceConfig, details: readonly Line[]): readonly Line[] {
  if (details.length > 0) return details
  return [said(`  ${label}`), ...options.map((option, at) => ({ ...said(`${at + 1}. ${option}`), margin: "    " }))]
}

/** @param draftKey under which what is typed and not sent is kept for the next time */
export function* type(config: FieldConfig, draftKey: string, shown: Shown = {}): Generator<Step, FieldValue, unknown> {
  return (yield step(shown, fieldPrompt(config), draftKey)) as FieldValue
}

/** Goes on when it is known. */
export function* known<T>(until: Promise<T>): Generator<Step, T, unknown> {
  return (yield { type: "wait", until }) as T
}

function step({ about, text = [], details = [] }: Shown, prompt: Prompt, draftKey: string): PromptStep {
  return { type: "prompt", about, text, details, prompt, draftKey }
}
