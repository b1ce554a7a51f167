import type { Message } from "../../event/event.ts"

/** The text of a prompt, whichever style wrote it. */
export function promptText(prompt: Message | undefined): string {
  const content = prompt?.content
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content.map((part: { text?: unknown }) => (typeof part?.text === "string" ? part.text : "")).join("")
}

const MAX_BEGINNING = 200

/** As much of a prompt as a listing shows. */
export function beginningOf(prompt: string): string {
  return prompt.length > MAX_BEGINNING ? `${prompt.slice(0, MAX_BEGINNING - 1)}…` : prompt
}
