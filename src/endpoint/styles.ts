import type { StyleName } from "../event/event.ts"
import { anthropic } from "./anthropic.ts"
import { openai } from "./openai.ts"
import type { Style } from "./style.ts"

/** The style of a name. Both are a few kilobytes; a run file may hold either. */
export function styleNamed(name: StyleName): Style {
  return STYLES[name]
}

const STYLES: Record<StyleName, Style> = { openai, anthropic }
