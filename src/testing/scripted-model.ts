import assert from "node:assert"
import type { Generate, Generated } from "../index.ts"

/** What the model says at one turn: a text, calls, or a function of what it was sent. */
export type ScriptedTurn =
  | string
  | Generated
  | ((request: Parameters<Generate>[0]) => string | Generated | Promise<string | Generated>)

/** A model that says what a test wants, and remembers what it was sent. */
export interface ScriptedModel {
  /** For `createInProcessClient({ model, generate })`. */
  generate: Generate
  /** What it was sent, one entry a turn, as it was then. */
  readonly requests: Parameters<Generate>[0][]
  /** Complains about turns that nobody asked for. */
  assertUsed(): void
}

/**
 * A model from a script.
 *
 * @param turns one entry a turn; a call more than there are turns is an error
 * @example
 * const model = scriptedModel([{ toolCalls: [{ name: "deploy", input: {} }] }, "deployed"])
 * const client = createInProcessClient({ model: "scripted", generate: model.generate })
 */
export function scriptedModel(turns: readonly ScriptedTurn[]): ScriptedModel {
  const requests: Parameters<Generate>[0][] = []
  return {
    requests,
    async generate(request) {
      const turn = turns[requests.length]
      requests.push(structuredClone(request))
      if (turn === undefined)
        throw new Error(`the script has ${turns.length} turns, and the model was asked ${requests.length} times`)
      const said = typeof turn === "function" ? await turn(request) : turn
      return typeof said === "string" ? { text: said } : said
    },
    assertUsed() {
      assert.equal(requests.length, turns.length, "the model was asked as often as the script has turns")
    },
  }
}
