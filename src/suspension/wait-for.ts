import type { Answer } from "./answer.ts"
import type { Request } from "./request.ts"

/** What goes with a question. */
export interface WaitForOptions {
  /** Aborted at `expiresAt`, when the run is stopped, and when the request was settled otherwise. */
  signal: AbortSignal
  /** What was typed and not sent when this request was asked before. */
  draft?: string
  /** Records what was typed and not sent, to be offered the next time; never call it with a secret. */
  saveDraft(draft: string): void
}

/**
 * Asks somebody. It gives an answer with the request's own id, or `undefined`: nobody answers now, the request stays open.
 * A throw is an error to the host; nothing new is started and the run stays resumable.
 */
export type WaitFor = (request: Request, options: WaitForOptions) => Promise<Answer | undefined> | Answer | undefined
