import { keysLine } from "./keys-line.ts"
import type { Prompt } from "./prompt.ts"

const WORDS = ["Space or Enter shows more", "Ctrl-C declines", "Ctrl-D later"]
const SHORT = ["Space", "^C", "^D"]

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
      const names = keys === "count" ? { words: WORDS, short: SHORT } : { words: [], short: [] }
      const all = { words: [label, ...names.words], short: [`-- ${linesToCome}`, ...names.short] }
      const rows = keysLine(all, size.columns - 1, Math.max(1, Math.floor(size.rows / 2)))
      return { rows, cursor: { row: 0, column: 0 } }
    },
    left: () => [],
    isWhole: () => true,
  }
  return prompt
}
