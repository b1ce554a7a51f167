import type { Message } from "../../event/event.ts"
import { openai } from "../openai/style.ts"
import type { Model } from "../style.ts"
import {
  beforeCommand,
  commandFor,
  explanation,
  QUESTION,
  type Ran,
  report,
  welcome,
  welcomeBack,
} from "./demo-script.ts"
import type { Generate, Generated } from "./generate.ts"
import { createInProcessModel } from "./in-process.ts"

/**
 * The built-in scripted model behind `--model demo`: it asks a question, wants one harmless command, and reports. It is
 * no language model and says so. Everything is read from the transcript, so any process can go on with it.
 */
export function createDemoModel(): Model {
  return createInProcessModel({ model: "demo", generate })
}

const generate: Generate = ({ messages, tools }, { onText }) => {
  const has = (name: string) => tools.some((tool) => tool.name === name)
  const generated = step(readScene(messages), has)
  for (const piece of generated.text?.match(/\S*\s*/g) ?? []) if (piece !== "") onText?.(piece)
  return generated
}

/** What has happened since the latest prompt; a tool's result is `undefined` before it was called. */
interface Scene {
  isFirstPrompt: boolean
  question: string | undefined
  command: string | undefined
}

function readScene(messages: readonly Message[]): Scene {
  const from = messages.findLastIndex((message) => message.role === "user")
  const since = messages.slice(from + 1)
  const results = new Map(openai.parseResults(since).map(({ id, output }) => [id, output]))
  const calls = since
    .filter((message) => message.role === "assistant")
    .flatMap((message) => openai.parseMessage(message).calls)
  const resultOf = (name: string) => {
    const call = calls.find((made) => made.name === name)
    return call && (results.get(call.id) ?? "no result")
  }
  const isFirstPrompt = !messages.slice(0, Math.max(from, 0)).some((message) => message.role === "assistant")
  return { isFirstPrompt, question: resultOf("question"), command: resultOf("bash") }
}

function step({ isFirstPrompt, question, command }: Scene, has: (name: string) => boolean): Generated {
  const answer = question === undefined || isUnanswered(question) ? undefined : question.trim()
  if (command !== undefined) return { text: report(answer, ranOf(command)) }
  if (question === undefined && has("question")) {
    return { text: isFirstPrompt ? welcome() : welcomeBack(), toolCalls: [{ name: "question", input: QUESTION }] }
  }
  if (has("bash")) {
    const asked = question === undefined ? "not asked" : answer === undefined ? "declined" : "answered"
    return { text: beforeCommand(asked, answer), toolCalls: [{ name: "bash", input: { command: commandFor(answer) } }] }
  }
  return { text: question === undefined ? explanation() : report(answer, { how: "no tool" }) }
}

// How results begin that stand for no answer, or for a command that was not run.
const NOT_DONE = /^(declined\/expired|unresolved|not run|refused by|outcome unknown|Unknown tool|no result)\b/

function isUnanswered(result: string): boolean {
  return NOT_DONE.test(result)
}

function ranOf(result: string): Ran {
  if (!NOT_DONE.test(result)) return { how: "ran", output: result }
  const [first = "", second = ""] = result.split("\n")
  if (!first.startsWith("declined/expired")) return { how: "not run", why: first }
  return { how: "not run", why: second.includes("nobody answered") ? "nobody answered in time." : "you declined it." }
}
