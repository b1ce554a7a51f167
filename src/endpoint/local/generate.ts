import type { Message, Usage } from "../../event/event.ts"
import type { ToolSpec } from "../../tool/tool.ts"

/** One reply of a model in this process. */
export type Generate = (
  request: { systemPrompt?: string; messages: readonly Message[]; tools: readonly ToolSpec[] },
  options: { signal: AbortSignal; onText?: (text: string) => void },
) => Promise<Generated> | Generated

/** What {@link Generate} gives: text, calls, or both. */
export interface Generated {
  text?: string
  toolCalls?: { id?: string; name: string; input: unknown }[]
  usage?: Usage
}
