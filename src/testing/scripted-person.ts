import assert from "node:assert"
import { type Answer, answerDeclined, answerOutput, type Request, type WaitFor } from "../index.ts"

/**
 * What the person does at one question: types a text (a tool's own approval takes any), declines, leaves it for later, or what
 * a function says: `({ id }) => ({ id, ok: true })` approves for the gate.
 */
export type Reaction =
  | string
  | { decline: string }
  | "later"
  | ((request: Request) => Answer | undefined | Promise<Answer | undefined>)

/** Somebody who answers as a test wants, and remembers what was asked. */
export interface ScriptedPerson {
  waitFor: WaitFor
  readonly asked: Request[]
  /** Complains about reactions that nobody asked for. */
  assertUsed(): void
}

/**
 * A person from a script.
 *
 * @param reactions one entry a question; a question more than there are reactions is an error
 * @example const person = scriptedPerson(["staging", { decline: "declined" }, "later"])
 */
export function scriptedPerson(reactions: readonly Reaction[]): ScriptedPerson {
  const asked: Request[] = []
  return {
    asked,
    waitFor(request) {
      const reaction = reactions[asked.length]
      asked.push(structuredClone(request))
      if (reaction === undefined)
        throw new Error(`the script has ${reactions.length} reactions, and was asked: ${request.prompt}`)
      if (reaction === "later") return undefined
      if (typeof reaction === "function") return reaction(request)
      return typeof reaction === "string"
        ? answerOutput(request.id, reaction)
        : answerDeclined(request.id, reaction.decline)
    },
    assertUsed() {
      assert.equal(asked.length, reactions.length, "the person was asked as often as the script has reactions")
    },
  }
}
