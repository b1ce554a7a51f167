import type { Answer, RunEvent } from "../../index.ts"
import { callLine } from "../words/call-line.ts"
import { shortened } from "../words/shortened.ts"
import { type LiveOutput, NO_LIVE_OUTPUT } from "./live-output.ts"

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
  /** What people allowed for the rest of the run, each call whole. */
  grants(): string[]
}

interface SeenCall {
  /** On the wire. */
  id: string
  name: string
  input: string
}

/** @param live what was shown while it ran is not shown once more */
export function createProgress(live: LiveOutput = NO_LIVE_OUTPUT): Progress {
  const turns = new Map<string, number>()
  const calls = new Map<string, SeenCall>()
  const decided = new Map<string, "allow" | "refuse">()
  /** The calls of each request. */
  const askedFor = new Map<string, string[]>()
  /** The requests that an edit of the arguments may answer. */
  const byGate = new Set<string>()
  /** How a call was turned down, in words. */
  const declined = new Map<string, string>()
  let granted: string[] = []
  /** The call of the last answer: a grant is recorded with the answer that gave it. */
  let lastAnswered: string | undefined

  const see = (event: RunEvent) => {
    if (event.type === "model.replied") {
      const agent = agentOf(event)
      const turn = (turns.get(agent) ?? 0) + 1
      turns.set(agent, turn)
      for (const [index, call] of callsIn(event.message).entries()) calls.set(keyOf(agent, turn, index), call)
    } else if (event.type === "run.imported") {
      const replies = event.messages.filter(({ role }) => role === "assistant")
      const turn = Math.max(1, event.turns ?? replies.length)
      turns.set(agentOf(event), turn)
      for (const [index, call] of callsIn(replies.at(-1) ?? {}).entries())
        calls.set(keyOf(agentOf(event), turn, index), call)
    } else if (event.type === "call.suspended") {
      const agent = agentOf(event)
      const keys = event.indexes.map((index) => keyOf(agent, event.turn, index))
      askedFor.set(event.request.id, keys)
      if (event.by === "gate") byGate.add(event.request.id)
    } else if (event.type === "request.answered") {
      for (const key of askedFor.get(event.answer.id) ?? []) answered(key, event.answer)
    } else if (event.type === "grant.given") {
      const { name, input } = calls.get(lastAnswered ?? "") ?? { name: event.tool, input: "" }
      granted.push(`${name} ${input}${event.folder === undefined ? "" : ` in ${event.folder}`}`)
    } else if (event.type === "run.resumed" && event.foreign) {
      granted = []
    }
  }
  const answered = (key: string, answer: Answer) => {
    const { ok, data } = answer
    const call = calls.get(key)
    lastAnswered = key
    if (!ok) declined.set(key, declineOf(answer))
    else if (call && byGate.has(answer.id) && data?.input !== undefined)
      calls.set(key, { ...call, input: JSON.stringify(data.input) })
  }
  const callAt = (event: RunEvent & { turn: number; index: number }) => {
    const key = keyOf(agentOf(event), event.turn, event.index)
    const { id, name, input } = calls.get(key) ?? { id: "", name: "a call", input: "" }
    return { key, id, name, text: `${prefixOf(event)}${callLine(name, input)}` }
  }

  return {
    see,
    grants: () => [...granted],
    lines(event) {
      see(event)
      switch (event.type) {
        case "model.replied":
          return event.usage ? [detail(`${prefixOf(event)}the model replied: ${event.usage.totalTokens} tokens`)] : []
        case "call.decided": {
          const call = callAt(event)
          decided.set(call.key, event.decision)
          const verb = event.decision === "allow" ? "allowed" : "refused"
          return [notice(`${call.text}: ${verb} by ${event.rule ?? reasonOf(event.by)}`)]
        }
        case "call.started": {
          const call = callAt(event)
          return decided.has(call.key) ? [] : [notice(`${call.text}: runs`)]
        }
        case "call.finished": {
          if ("from" in event) {
            const { key, name } = callAt(event)
            const turnedDown = declined.get(key)
            return turnedDown === undefined ? [] : [notice(`${prefixOf(event)}${name}: ${turnedDown}`)]
          }
          const { key, id, name } = callAt(event)
          const who = `${prefixOf(event)}${name}`
          const rest = live.end({ turn: event.turn, id }) ? lastLineOf(event.output) : event.output
          const whole = detail(`${who}: ${shortened(rest)}`)
          if (!event.isError) return [whole]
          // It was said when it was decided.
          if (decided.get(key) === "refuse") return [whole]
          const known = notFailed(event.output, declined.get(key))
          return known === undefined
            ? [notice(`${who}: failed: ${shortened(rest)}`)]
            : [notice(`${who}: ${known}`), whole]
        }
        case "request.answered": {
          const [key = ""] = askedFor.get(event.answer.id) ?? []
          const { name, input } = calls.get(key) ?? { name: event.answer.id, input: "" }
          return event.via === "grant"
            ? [notice(`${prefixOf(event)}${callLine(name, input)}: allowed by a grant for this run`)]
            : []
        }
        case "request.reopened":
          return [notice(`${prefixOf(event)}${event.id}: asked again: ${event.why}`)]
        default:
          return []
      }
    },
  }
}

function lastLineOf(output: string): string {
  return output.slice(output.lastIndexOf("\n") + 1)
}

function notice(text: string): ProgressLine {
  return { level: "notice", text }
}

function detail(text: string): ProgressLine {
  return { level: "detail", text }
}

/** What a person decided, and what nobody knows, is no failure of the tool. */
function notFailed(output: string, turnedDown: string | undefined): string | undefined {
  if (output.startsWith("declined/expired: ")) return turnedDown ?? "declined"
  return output.startsWith("outcome unknown: ") ? "outcome unknown" : undefined
}

function declineOf({ reason, data }: Answer): string {
  const how = reason === "expired" ? "nobody answered in time" : "declined"
  const own = reason === undefined || OUR_REASONS.has(reason) ? undefined : reason
  const note = typeof data?.note === "string" ? data.note : undefined
  const said = [own, note].filter((words) => words !== undefined).map((words) => shortened(words))
  return said.length === 0 ? how : `${how} (${said.join("; ")})`
}

const OUR_REASONS: ReadonlySet<string> = new Set(["declined", "cancelled", "expired"])

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
      return {
        id: String(call?.id),
        name: String(name),
        input: typeof input === "string" ? input : JSON.stringify(input ?? {}),
      }
    })
  }
  const blocks = Array.isArray(content) ? content.filter((block) => block?.type === "tool_use") : []
  return blocks.map(({ id, name, input }) => ({
    id: String(id),
    name: String(name),
    input: JSON.stringify(input ?? {}),
  }))
}
