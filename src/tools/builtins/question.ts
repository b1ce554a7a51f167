import { outputOf } from "../../suspension/answer.ts"
import { isRecord, type Question } from "../../suspension/request.ts"
import { pending } from "../../tool/result.ts"
import type { JSONSchema, Tool, ToolResult } from "../../tool/tool.ts"
import { toolOf } from "../define-tool.ts"

/** The built-in that asks a person one or more questions. */
export function questionTool(): Tool {
  return toolOf<{ questions: Question[] }>("builtin", {
    name: "question",
    description:
      "Asks the user one or more questions and gives back the answers. Use it when you need a decision or a fact that only the user has. " +
      "Offer options where the likely answers are known; the user may always type another one.",
    inputSchema: SCHEMA,
    annotations: { readOnly: true },
    run: ({ questions }, { answer }) => (answer ? answered(questions, outputOf(answer) ?? "") : ask(questions)),
  })
}

const MAX_QUESTIONS = 20
const MAX_OPTIONS = 50

const SCHEMA: JSONSchema = {
  type: "object",
  properties: {
    questions: {
      type: "array",
      minItems: 1,
      maxItems: MAX_QUESTIONS,
      items: {
        type: "object",
        properties: {
          question: { type: "string", minLength: 1, description: "The whole question" },
          options: {
            type: "array",
            maxItems: MAX_OPTIONS,
            description: "Answers to choose from",
            items: {
              type: "object",
              properties: {
                label: { type: "string", minLength: 1, description: "The answer, in a few words" },
                description: { type: "string", description: "What choosing it means" },
              },
              required: ["label"],
            },
          },
          multiple: { type: "boolean", description: "Whether several options may be chosen" },
        },
        required: ["question"],
      },
    },
  },
  required: ["questions"],
}

function ask(questions: readonly Question[]): ToolResult {
  const [only, ...others] = questions
  const prompt =
    only && others.length === 0
      ? only.question
      : questions.map(({ question }, at) => `${at + 1}. ${question}`).join("\n")
  return pending({ kind: "question", prompt, data: { questions: questions.map(plainQuestion) } })
}

// What else a model put there is nobody's business who draws the question.
function plainQuestion({ question, options, multiple }: Question): Question {
  return {
    question,
    ...(options && options.length > 0 ? { options: options.map(plainOption) } : {}),
    ...(multiple ? { multiple } : {}),
  }
}

function plainOption({ label, description }: { label: string; description?: string }) {
  return description === undefined ? { label } : { label, description }
}

/** The output is the text for one question, a JSON list for one with `multiple`, a JSON list in order for several. */
function answered(questions: readonly Question[], output: string): string {
  const [only, ...others] = questions
  if (only && others.length === 0) return only.multiple ? readable(parseList(output) ?? output) : output
  const answers = parseList(output)
  if (answers?.length !== questions.length) return output
  return questions.map(({ question }, at) => `${question}\n${readable(answers[at])}`).join("\n\n")
}

function parseList(text: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : undefined
  } catch {
    return undefined // typed by hand: it is passed on as it is
  }
}

function readable(answer: unknown): string {
  if (typeof answer === "string") return answer
  if (!Array.isArray(answer)) return isRecord(answer) ? JSON.stringify(answer) : String(answer)
  return answer.length === 0 ? "(none chosen)" : answer.map((item) => `- ${readable(item)}`).join("\n")
}
