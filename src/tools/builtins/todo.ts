import type { JSONSchema, Tool } from "../../tool/tool.ts"
import { toolOf } from "../define-tool.ts"

interface Item {
  text: string
  status: "open" | "doing" | "done"
}

const MAX_ITEMS = 200
const MAX_ITEM_CHARS = 500

/** The built-in for a list that the model keeps. It has no memory of its own: the transcript is that. */
export function todoTool(): Tool {
  return toolOf<{ items: Item[] }>("builtin", {
    name: "todo",
    description:
      "Keeps your list of what is to be done, for work of several steps. Send the whole list each time: it takes the place of the one before, " +
      "and comes back. Have one item at a time in the status doing, and mark it done as soon as it is.",
    inputSchema: SCHEMA,
    annotations: { readOnly: true, idempotent: true },
    run: ({ items }) => (items.length === 0 ? "(nothing to do)" : items.map(render).join("\n")),
  })
}

const SCHEMA: JSONSchema = {
  type: "object",
  properties: {
    items: {
      type: "array",
      maxItems: MAX_ITEMS,
      description: "All of them, in order; what is left out is forgotten",
      items: {
        type: "object",
        properties: {
          text: {
            type: "string",
            minLength: 1,
            maxLength: MAX_ITEM_CHARS,
            description: "What is to be done, in a line",
          },
          status: { enum: ["open", "doing", "done"] },
        },
        required: ["text", "status"],
        additionalProperties: false,
      },
    },
  },
  required: ["items"],
  additionalProperties: false,
}

const MARKS: Readonly<Record<Item["status"], string>> = { open: "[ ]", doing: "[>]", done: "[x]" }

function render({ text, status }: Item): string {
  return `${MARKS[status]} ${text.replace(/\s*\n\s*/g, " ")}`
}
