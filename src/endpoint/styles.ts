import type { Message, StyleName } from "../event/event.ts"
import { anthropic } from "./anthropic/style.ts"
import { openai } from "./openai/style.ts"
import type { Style } from "./style.ts"

/** The style of a name. Both are a few kilobytes; a run file may hold either. */
export function styleNamed(name: StyleName): Style {
  return STYLES[name]
}

/**
 * The style in which messages of elsewhere are written: the one that finds tool calls in them, where only one does.
 *
 * @param preferred where they do not tell
 */
export function styleIn(messages: readonly Message[], preferred: Style): Style {
  const findsCalls = (style: Style) =>
    messages.some((message) => message.role === "assistant" && style.parseMessage(message).calls.length > 0)
  return findsCalls(preferred) ? preferred : (Object.values(STYLES).find(findsCalls) ?? preferred)
}

const STYLES: Record<StyleName, Style> = { openai, anthropic }
