import { keysLine } from "./keys-line.ts"
import type { Prompt } from "./prompt.ts"

const KEYS = ["Space or Enter shows more", "Ctrl-C declines", "Ctrl-D later"]

/** Below a screenful of text: Space or Enter shows the next one; nothing skips to the end. */
export function morePrompt(linesToCome: number): Prompt {
  const label = `-- ${linesToCome === 1 ? "1 more line" : `${linesToCome} more lines`}`
  const prompt: Prompt = {
    kind: "more",
    typed: "",
    retyped: () => prompt,
    press(key) {
      const next = key.type === "text" ? key.text === " " : key.type === "press" && key.name === "enter"
      return next ? { type: "done", value: undefined } : { type: "on", prompt }
    },
    view(size, keys) {
      const named = keys === "count" ? [label, ...KEYS] : [label]
      return { rows: keysLine(named, size.columns - 1), cursor: { row: 0, column: 0 } }
    },
    left: () => [],
    isWhole: () => true,
  }
  return prompt
}
