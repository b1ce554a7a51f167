import type { RunEvent } from "../index.ts"
import { shortened } from "./shortened.ts"

/** One line about what a run does. */
export interface ProgressLine {
  level: "notice" | "detail"
  text: string
}

/** Says in short lines what a run does, from its events. */
export interface Progress {
  /** Looks at an event without saying anything, for those of an earlier process. */
  see(event: RunEvent): void
  lines(event: RunEvent): ProgressLine[]
}

interface SeenCall {
  name: string
  input: string
}

export function createProgress(): Progress {
  const turns = new Map<string, number>()
  const calls = new Map<string, SeenCall>()
  const announced = new Set<string>()

  const see = (event: RunEvent) => {
    if (event.type !== "model.replied") return
    const agent = agentOf(event)
    const turn = (turns.get(agent) ?? 0) + 1
    turns.set(agent, turn)
    for (const [index, call] of callsIn(event.message).entries()) calls.set(keyOf(agent, turn, index), call)
  }
  const callAt = (event: RunEvent & { turn: number; index: number }) => {
    const key = keyOf(agentOf(event), event.turn, event.index)
    const { name, input } = calls.get(key) ?? { name: "a call", input: "" }
    return {
      key,
      name,
      text: `${prefixOf(event)}${name}${input === "" || input === "{}" ? "" : ` ${shortened(input)}`}`,
    }
  }

  return {
    see,
    lines(event) {
      see(event)
      switch (event.type) {
        case "model.replied":
          return event.usage ? [detail(`${prefixOf(event)}the model replied: ${event.usage.totalTokens} tokens`)] : []
        case "call.decided": {
          const call = callAt(event)
          announced.add(call.key)
          const verb = event.decision === "allow" ? "allowed" : "refused"
          return [notice(`${call.text}: ${verb} by ${event.rule ?? reasonOf(event.by)}`)]
        }
        case "call.started": {
          const call = callAt(event)
          return announced.has(call.key) ? [] : [notice(`${call.text}: runs`)]
        }
        case "call.finished": {
          if ("from" in event) return []
          const { name } = callAt(event)
          const line = `${prefixOf(event)}${name}: ${event.isError ? "failed: " : ""}${shortened(event.output)}`
          return [event.isError ? notice(line) : detail(line)]
        }
        case "request.answered":
          return event.via === "grant"
            ? [notice(`${prefixOf(event)}${event.answer.id}: answered by a grant for this run`)]
            : []
        case "request.reopened":
          return [notice(`${prefixOf(event)}${event.id}: asked again: ${event.why}`)]
        default:
          return []
      }
    },
  }
}

function notice(text: string): ProgressLine {
  return { level: "notice", text }
}

function detail(text: string): ProgressLine {
  return { level: "detail", text }
}

function reasonOf(by: string): string {
  return by === "default" ? "default" : `a ${by}`
}

function agentOf(event: RunEvent): string {
  return JSON.stringify(event.agent ?? [])
}

function prefixOf(event: RunEvent): string {
  return event.agent && event.agent.length > 1 ? `[${event.agent.slice(1).join("/")}] ` : ""
}

function keyOf(agent: string, turn: number, index: number): string {
  return `${agent} ${turn} ${index}`
}

/** The calls of a reply, in either style; what cannot be read is left out: this is for showing only. */
function callsIn(message: Record<string, unknown>): SeenCall[] {
  const { tool_calls: openai, content } = message
  if (Array.isArray(openai)) {
    return openai.map((call) => {
      const { name, arguments: input } = (call?.function ?? {}) as Record<string, unknown>
      return { name: String(name), input: typeof input === "string" ? input : JSON.stringify(input ?? {}) }
    })
  }
  const blocks = Array.isArray(content) ? content.filter((block) => block?.type === "tool_use") : []
  return blocks.map(({ name, input }) => ({ name: String(name), input: JSON.stringify(input ?? {}) }))
}
