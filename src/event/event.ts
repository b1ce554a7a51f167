import type { Answer } from "../suspension/answer.ts"
import type { Request } from "../suspension/request.ts"
import type { ToolSpec } from "../tool/tool.ts"

/** A message in the endpoint's own shape, as it is sent and received. */
export type Message = Record<string, unknown>

export type StyleName = "openai" | "anthropic"

/** Tokens, as the endpoint counts them. */
export interface Usage {
  /** Cached ones included. */
  promptTokens: number
  completionTokens: number
  totalTokens: number
  cachedTokens?: number
}

/** What a run may use, over all its processes. */
export interface Limits {
  /** Replies of the model. */
  maxTurns?: number
  /** All tokens, in and out. */
  maxTokens?: number
  /** Milliseconds with a model or a tool at work; waiting for a person is not counted. */
  timeoutMs?: number
  /** Calls of tools, whatever comes of them. Those of a reply that are too many are not run. */
  maxToolCalls?: number
  /** How often the same call (tool and arguments) may be made in a row: in one reply, or in replies that follow each other. */
  maxRepeats?: number
}

/** The limit that ended a run; `context` is the endpoint's own. */
export type LimitName = keyof Limits | "maxOutputTokens" | "context"

/** The agents on the way from the root to the one meant, by id: `["root", "coder.1"]`. */
export type AgentPath = readonly string[]

/** What an agent starts with; fixed for its life, so that every process sends the same. */
export interface AgentSetup {
  model: string
  style: StyleName
  systemPrompt?: string
  limits?: Limits
  tools: ToolSpec[]
}

/** Which call: with the agent, its name inside a run. The wire's id is for the wire. */
export interface CallRef {
  agent?: AgentPath
  /** From 1, over the agent's life. */
  turn: number
  /** From 0, in the order in which the model made them. */
  index: number
}

/** Who said so, where the gate decided without asking. */
export interface Because {
  by: "rule" | "hook" | "grant" | "default"
  /** The rule or the hook's reason, in words a person can read. */
  rule?: string
}

/** How an answer came: `waitFor` asked for it, a resume brought it, the clock or a grant made it, or (`answer`) it was recorded only. */
export type AnswerVia = "waitFor" | "resume" | "clock" | "grant" | "answer"

/** What a listing shows, repeated on the closing event so that a listing reads the last line only. */
export interface Closing {
  /** The beginning of the last prompt. */
  prompt?: string
  text: string
  turns: number
  toolCallCount: number
  usage: Usage
  /** The open requests' ids, kinds and prompts. */
  open?: { id: string; kind: string; prompt: string; agent?: AgentPath }[]
}

/** Milliseconds of work (model or tools, in parallel counted once) of the whole run so far. */
interface Worked {
  workMs: number
}

/** Every event says when (RFC 3339) and, below the root, of which agent. */
interface Stamped {
  at: string
  agent?: AgentPath
  /** The names of the marks `[masked NAME]` that were made in its texts. */
  masked?: string[]
}

/** What a run is made of. One flat union, one JSON object a line. */
export type RunEvent = Stamped &
  (
    | ({ type: "run.started"; v: 1; runId: string } & AgentSetup)
    /** Messages of elsewhere: earlier ones (`history`), or a halted transcript with its requests. */
    | {
        type: "run.imported"
        style: StyleName
        messages: Message[]
        requests?: Request[]
        /** The wire ids of calls of the last reply that had started and have no result. */
        started?: string[]
        turns?: number
        usage?: Usage
        toolCallCount?: number
      }
    /** The border between processes: what had started before it and not ended is in doubt. */
    | { type: "run.resumed"; limits?: Limits; foreign?: true } // of one agent: it tries again after its endpoint failed
    /** A prompt. It settles every call that has no result yet. `style` where it is not the transcript's. */
    | { type: "user.said"; message: Message; style?: StyleName; limits?: Limits }
    | ({
        type: "model.replied"
        style: StyleName
        /** As the endpoint sent it, after repairs. */
        message: Message
        usage?: Usage
        /** Why the model stopped, in the endpoint's own word. */
        stop?: string
        /** By call index: why that call is not run, as the model is told. */
        problems?: Record<string, string>
      } & Worked)
    /** `person`: one who declined the same call before. */
    | (CallRef & { type: "call.decided"; decision: "allow" | "refuse" } & (
          | Because
          | (Pick<Because, "rule"> & { by: "person" })
        ))
    | (CallRef & { type: "call.started" })
    | (CallRef & {
        type: "call.finished"
        output: string
        isError: boolean
        metadata?: Record<string, unknown>
      } & Worked)
    /** Of a relayed call: its result is in the answer to its request. */
    | (CallRef & { type: "call.finished"; from: "answer" } & Worked)
    | ({
        type: "call.suspended"
        turn: number
        /** The calls that ride on the request: one, or all the relayed ones. */
        indexes: number[]
        by: "tool" | "gate" | "relay"
        rule?: string
        /** The request that it puts again: the secret given to that one is in no file. */
        renews?: string
        /** As it was made; what the engine adds is computed by `fold`. */
        request: Request
      } & Worked)
    | {
        type: "request.answered"
        answer: Answer
        via: AnswerVia
        /** Who, as the answer said. */
        by?: string
        /** The value is in no file: it was a secret. */
        withheld?: true
        /** Of what was shown; checked before the call runs. */
        digest?: string
      }
    /** What was typed and not sent; never a secret's. */
    | { type: "request.drafted"; id: string; draft: string }
    | { type: "request.reopened"; id: string; why: string }
    /** A person stands by an answer that was recorded elsewhere. */
    | { type: "request.accepted"; id: string }
    /** The same call (tool and arguments by their digest, and folder) needs no question for the rest of this run. */
    | { type: "grant.given"; tool: string; digest: string; folder?: string }
    | ({ type: "agent.spawned"; name: string; prompt?: Message; call?: CallRef } & AgentSetup)
    /** Something was said to a busy agent. */
    | { type: "agent.posted"; item: Message }
    | { type: "agent.closed" }
    | ({ type: "run.halted" } & Closing & Worked)
    | ({ type: "run.interrupted"; why: "signal" | "close" } & Closing & Worked)
    | ({ type: "run.failed"; code: string; message: string } & Closing & Worked)
    | ({ type: "run.limited"; limit: LimitName } & Closing & Worked)
    | ({ type: "run.finished" } & Closing & Worked)
    /** Of a later release. It is kept and skipped, unless it says `must`. */
    | { type: "unknown"; must?: boolean }
  )

/** One event of a kind. */
export type EventOf<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>
